import { writeSync } from 'node:fs';
import type { Broken, Step } from '../types.ts';
import { loadGateway, type Gateway } from './gateway.ts';
import { runWorld, scriptOf, type Outcome } from './run.ts';
import { real } from './time.ts';

/** A world: its seed, and the script that is played in the place of the seed's own. */
export interface Chosen {
  readonly seed: string;
  readonly script?: readonly Step[];
}

/** What a process is to run. */
export interface Job {
  readonly worlds?: readonly Chosen[];
  /** Then the seeds from `first` on, each `step` apart, for so many seconds. */
  readonly first?: number;
  readonly step?: number;
  readonly seconds?: number;
  /** Seconds of the processor in which a failing script may be cut down. */
  readonly shrinkSeconds?: number;
  /** Whether each line of a world's trace is written to standard error. */
  readonly isTraced?: boolean;
}

/** What a process says of one run. */
export interface Line extends Outcome {
  /** The smallest script that breaks the same promise; absent where nothing was broken. */
  readonly smallest?: readonly Step[];
}

/** Runs worlds one after the other. */
export async function serveRuns(job: Job): Promise<void> {
  const { worlds = [], first = 0, step = 1, seconds = 0 } = job;
  const gateway = await loadGateway();
  for (const world of worlds) write(await runOne(world, job, gateway));
  const end = real.now() + seconds * 1_000;
  for (let seed = first; real.now() < end; seed += step) write(await runOne({ seed: String(seed) }, job, gateway));
}

// Standard output may be a pipe, and the process ends at once behind the last line.
function write(line: Line): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

async function runOne(
  { seed, script = scriptOf(seed) }: Chosen,
  { shrinkSeconds = 0, isTraced = false }: Job,
  gateway: Gateway,
): Promise<Line> {
  const traced = isTraced ? (line: string) => void process.stderr.write(line) : undefined;
  const outcome = await runWorld({ seed, steps: script, ...(traced && { traced }) }, gateway);
  const { broken } = outcome;
  const [first] = broken;
  const line = { ...outcome, broken: broken.slice(0, 10) };
  if (first === undefined || shrinkSeconds === 0) return line;
  return { ...line, smallest: await smallestOf(seed, script, first, gateway, shrinkSeconds) };
}

/** The smallest script that is found in time of those that break the same promise. */
async function smallestOf(
  seed: string,
  script: readonly Step[],
  { promise, at: brokenAt }: Broken,
  gateway: Gateway,
  seconds: number,
): Promise<readonly Step[]> {
  const end = cpuSeconds() + seconds;
  const fails = async (steps: readonly Step[]): Promise<boolean> => {
    const { broken } = await runWorld({ seed, steps, isHasty: true }, gateway);
    return broken.some((each) => each.promise === promise);
  };
  // What comes behind the broken promise has no part in it, as a rule.
  const until = script.filter(({ at }) => at <= brokenAt);
  const isEarly = until.length < script.length && (await fails(until));
  return shrink(isEarly ? until : script, fails, () => cpuSeconds() > end);
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000_000;
}

/** Leaves out parts of a list for as long as it still fails without them, ever smaller parts, until nothing can go or it is time to end. */
async function shrink<Item>(
  items: readonly Item[],
  fails: (fewer: readonly Item[]) => Promise<boolean>,
  isTimeOver: () => boolean,
): Promise<readonly Item[]> {
  let left = items;
  for (let size = Math.ceil(left.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    let at = 0;
    while (at < left.length) {
      if (isTimeOver()) return left;
      const fewer = [...left.slice(0, at), ...left.slice(at + size)];
      if (await fails(fewer)) left = fewer;
      else at += size;
    }
  }
  return left;
}
