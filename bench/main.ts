import { claimCores } from './measure/cores.ts';
import { readOptions, type Options } from './options.ts';
import { loadQueries, type BenchQuery } from './queries.ts';
import { loadTable } from './report/load-table.ts';
import { describeMachine, machineLines } from './report/machine.ts';
import { breakdownTable, crowdTable, exportTable, newOperationTable } from './report/other-tables.ts';
import { writeResults, type Results } from './report/results.ts';
import { openStage, startOnce, type Stage } from './stage.ts';
import { runBreakdownPages } from './suites/breakdown-pages.ts';
import { runCrowd } from './suites/crowd.ts';
import { runExport } from './suites/export.ts';
import { runLoad } from './suites/load.ts';
import { runNewOperation } from './suites/new-operation.ts';
import { variedQueries } from './varied-queries.ts';

// `npm start` in this folder prints Markdown; see the README here.

/** Runs a suite where its query was chosen, and prints its table. */
async function runChosen<Figures>(
  { queries }: Options,
  name: string,
  run: () => Promise<Figures>,
  table: (figures: Figures) => string,
): Promise<Figures | null> {
  if (queries !== null && !queries.has(name)) return null;
  const figures = await run();
  console.log(table(figures));
  return figures;
}

async function runAll(stage: Stage, options: Options): Promise<Omit<Results, 'machine' | 'options'>> {
  const chosen = options.contenders;
  const load = [];
  const queries = [...loadQueries, ...variedQueries];
  for (const query of queries.filter(({ isOptional }) => isOptional !== true || options.queries !== null)) {
    const run = () => runLoad(stage, query, options);
    load.push(await runChosen(options, query.name, run, (figures) => loadTable(query, figures)));
  }
  return {
    load: load.flatMap((figures) => figures ?? []),
    breakdown: await runChosen(options, 'q5', () => runBreakdownPages(stage, chosen), breakdownTable),
    export: await runChosen(options, 'csv', () => runExport(stage, chosen), exportTable),
    crowd: await runChosen(options, 'q7', () => runCrowd(stage, chosen), crowdTable),
    newOperation: await runChosen(options, 'q8', () => runNewOperation(stage, chosen), newOperationTable),
  };
}

const started = performance.now();
try {
  const options = readOptions(process.argv.slice(2));
  const cores = claimCores();
  const machine = describeMachine(cores);
  console.log(`${machineLines(machine)}\n`);
  const stage = await openStage(cores);
  for (const contender of options.contenders) await startOnce(stage, contender, loadQueries[0] as BenchQuery);
  const figures = await runAll(stage, options);
  writeResults({ machine, options, ...figures });
  console.log(`Took ${Math.round((performance.now() - started) / 1_000)} s.`);
  process.exit(0);
} catch (error) {
  console.error(`The benchmark failed: ${(error as Error).message}`);
  process.exit(1);
}
