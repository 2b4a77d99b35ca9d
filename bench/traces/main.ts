import { parseArgs } from 'node:util';
import { claimCores } from '../measure/cores.ts';
import { startProgram } from '../measure/program.ts';
import { loadQueries } from '../queries.ts';
import { describeMachine, machineLines } from '../report/machine.ts';
import { writeJson } from '../report/results.ts';
import { tracesTable } from '../report/traces-table.ts';
import { openStage } from '../stage.ts';
import { priceTraces, type TraceFigures, type TraceOptions } from './price.ts';

// `npm --prefix bench run traces` prints Markdown: Switchboard without traces, with traces of which none is sampled, and with each
// sampled, in front of a collector on this machine.

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
const options: TraceOptions = values.quick
  ? { rounds: 1, seconds: 1, rate: 1_000, warmUpRequests: 5_000 }
  : { rounds: 7, seconds: 2, rate: 2_000, warmUpRequests: 25_000 };

const cores = claimCores();
const machine = describeMachine(cores);
console.log(`${machineLines(machine)}\n`);
const stage = await openStage(cores);
const collector = await startProgram({ args: ['bench/traces/collector.ts'], env: {}, core: cores?.load });
const figures: TraceFigures[] = [];
for (const query of loadQueries.filter(({ name }) => name === 'q4' || name === 'q1')) {
  figures.push(...(await priceTraces(stage, collector, query, options)));
}
console.log(tracesTable({ options, figures }));
writeJson(values.quick ? 'partial-traces' : 'traces', { machine, options, figures });
process.exit(0);
