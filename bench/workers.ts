import { withWorkers } from './contenders.ts';
import { readOptions } from './options.ts';
import { loadQueries } from './queries.ts';
import { describeMachine, machineLines } from './report/machine.ts';
import { writeJson } from './report/results.ts';
import { openStage } from './stage.ts';
import { runLoad } from './suites/load.ts';
import type { LoadFigures } from './suites/load-figures.ts';

// `npm --prefix bench run workers` prints Markdown: the floor and Switchboard with one worker and with two, on all cores, which load
// and upstream share with them. It takes the options of the benchmark; see the README here.

const options = readOptions(['--only', 'floor,switchboard', ...process.argv.slice(2)]);
const queries = loadQueries.filter(({ name }) => options.queries?.has(name) ?? ['q1', 'q2', 'q4'].includes(name));
const chosen = options.contenders.flatMap((contender) => [contender, withWorkers(contender, 2)]);
const machine = describeMachine(null);

console.log(`${machineLines(machine)}\n`);
console.log('| query | contender | requests/s | CPU µs/request | idle MiB | peak MiB |');
console.log('| ----- | --------- | ---------: | -------------: | -------: | -------: |');
const stage = await openStage(null);
const load: LoadFigures[] = [];
for (const query of queries) {
  const figures = await runLoad(stage, query, { ...options, contenders: chosen });
  load.push(...figures);
  for (const one of figures) console.log(row(one));
}
const results = { machine, options: { rounds: options.rounds, seconds: options.seconds }, load };
writeJson('workers', results);
process.exit(0);

function row(figures: LoadFigures): string {
  const { query, contender, requestsPerSecond: rate, cpuMicrosPerRequest: cpu, idleMebibytes, peakMebibytes } = figures;
  const range = `${rate.median.toFixed(0)} (${rate.min.toFixed(0)}–${rate.max.toFixed(0)})`;
  return `| ${query} | ${contender} | ${range} | ${cpu.median.toFixed(0)} | ${idleMebibytes.toFixed(0)} | ${peakMebibytes.toFixed(0)} |`;
}
