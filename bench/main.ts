import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { contenders } from './contenders.ts';
import { measureQuery, type Figures } from './measure.ts';
import { startProgram } from './program.ts';
import { queries } from './queries.ts';
import { describeMachine, fillPages, tables, writeResults } from './results.ts';

// `npm run bench`: see the README here. Load and API share the first core, and what is measured has the second.
const { values: chosen } = parseArgs({
  options: {
    only: { type: 'string', default: contenders.map(({ name }) => name).join(',') },
    queries: { type: 'string', default: queries.map(({ name }) => name).join(',') },
    rounds: { type: 'string', default: '24' },
    seconds: { type: 'string', default: '0.2' },
    'warm-up': { type: 'string', default: '6' },
  },
});
const isWhole = process.argv.length === 2;
const length = {
  rounds: Number(chosen.rounds),
  seconds: Number(chosen.seconds),
  warmUpRequests: 25_000,
  warmUpSeconds: Number(chosen['warm-up']),
};

/** Those of a list that are named, in the order of the list. */
function named<Each extends { readonly name: string }>(
  option: 'only' | 'queries',
  all: readonly Each[],
): readonly Each[] {
  const names = chosen[option].split(',');
  const unknown = names.find((name) => !all.some((one) => one.name === name));
  if (unknown === undefined) return all.filter(({ name }) => names.includes(name));
  throw new Error(`--${option} knows ${all.map(({ name }) => name).join(', ')}, not ${unknown}.`);
}

execFileSync('taskset', ['-acp', '0', String(process.pid)], { stdio: 'ignore' });
const api = await startProgram({ args: ['bench/upstream/main.ts'], env: {}, core: '0' });
const figures: Figures[] = [];
const results = { machine: describeMachine(), rounds: length.rounds, figures };
for (const query of named('queries', queries)) {
  figures.push(...(await measureQuery(query, named('only', contenders), api, length)));
  console.log(`${tables(figures.filter((one) => one.query === query.name))}\n`);
  // A run of a part does not replace a whole one.
  writeResults(isWhole ? 'results.json' : 'partial-results.json', results);
}
if (isWhole) fillPages(results);
process.exit(0);
