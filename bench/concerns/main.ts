import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { contenders, type Contender } from '../contenders.ts';
import { saturate } from '../load/saturation.ts';
import { claimCores } from '../measure/cores.ts';
import { loadQueries, type BenchQuery } from '../queries.ts';
import { concernsTable, type ConcernFigures } from '../report/concerns-table.ts';
import { describeMachine, machineLines } from '../report/machine.ts';
import { writeJson } from '../report/results.ts';
import { openStage, startContender, type Stage } from '../stage.ts';
import { comparePlayers } from '../suites/player.ts';
import { attribute, countConcerns } from './attribution.ts';
import { profileDuring, withProfiler } from './profile.ts';
import { threadTimesOf, timesBetween } from './thread-times.ts';

// `npm --prefix bench run concerns` prints Markdown: what the time of a request goes to, in Switchboard and in the floor.

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
const seconds = values.quick ? 1 : 8;
const warmUpRequests = values.quick ? 5_000 : 25_000;
const atOnce = 16;
const root = fileURLToPath(new URL('../..', import.meta.url));

/** Measures the time of a request without a profiler, and splits it by a profile that is taken afterwards. */
async function measure(stage: Stage, chosen: Contender, query: BenchQuery): Promise<ConcernFigures> {
  const { contender, file } = withProfiler(chosen);
  const running = await startContender(stage, contender);
  try {
    const [player] = await comparePlayers([running], query, 64);
    if (player === undefined) throw new Error(`${chosen.title} takes no part.`);
    const { client, next } = player;
    await saturate(client, next, { atOnce, seconds: 60, most: warmUpRequests });
    const before = threadTimesOf(running.pid);
    const { requests } = await saturate(client, next, { atOnce, seconds });
    const times = timesBetween(before, threadTimesOf(running.pid), requests);
    const profile = await profileDuring(running.pid, file, () => saturate(client, next, { atOnce, seconds }));
    await client.close();
    return { query: query.name, contender: chosen.name, micros: attribute(countConcerns(profile, root), times) };
  } finally {
    await running.stop();
  }
}

const cores = claimCores();
const machine = describeMachine(cores);
console.log(`${machineLines(machine)}\n`);
const stage = await openStage(cores);
const figures: ConcernFigures[] = [];
for (const query of loadQueries.filter(({ name }) => name === 'q4' || name === 'q1'))
  for (const contender of contenders.filter(({ name }) => name === 'floor' || name === 'switchboard'))
    figures.push(await measure(stage, contender, query));
console.log(concernsTable(figures));
writeJson(values.quick ? 'partial-concerns' : 'concerns', { machine, figures });
process.exit(0);
