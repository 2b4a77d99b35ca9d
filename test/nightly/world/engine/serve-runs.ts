import { writeSync } from 'node:fs';
import type { Broken, Step } from '../types.ts';
import { realNow } from './entropy.ts';
import { loadGateway, type Gateway, type Plant } from './gateway.ts';
import { part } from './part.ts';
import { runWorld, scriptOf, type Outcome } from './run.ts';

/** A world: its seed, and the script that is played in the place of the seed's own. */
export interface Chosen {
  readonly seed: string;
  readonly script?: readonly Step[];
  /** A fault in the gateway of this world; absent: there is none. */
  readonly plant?: Plant;
}

/** What a process is to run. */
export interface Job {
  readonly worlds?: readonly Chosen[];
  /** Then the seeds from `first` on, each `step` apart, for so many seconds. */
  readonly first?: number;
  readonly step?: number;
  readonly seconds?: number;
  /** Then each of these faults is looked for, with the seeds from `first` on, for so many seconds of the processor. */
  readonly hunts?: readonly Plant[];
  readonly huntSeconds?: number;
  /** Seconds of the processor in which a failing script may be cut down. */
  readonly shrinkSeconds?: number;
  readonly isTraced?: boolean;
  /** Whether all new worlds are long ones. */
  readonly isLong?: boolean;
}

/** What a process says of one run. */
export interface Line extends Omit<Outcome, 'steps'> {
  /** Processor time in milliseconds; of a hunt, that of all its runs. */
  readonly ms: number;
  /** The smallest script that breaks the same promise; absent where nothing was broken. */
  readonly smallest?: readonly Step[];
}

/** Runs worlds one after the other. */
export async function serveRuns(job: Job): Promise<void> {
  const { worlds = [], first = 0, step = 1, seconds = 0, hunts = [] } = job;
  for (const world of worlds) write(await runOne(world, job));
  const end = realNow() + seconds * 1_000;
  for (let seed = first; realNow() < end; seed += step) {
    write(await runOne({ seed: job.isLong === true ? `long ${seed}` : String(seed) }, job));
  }
  for (const plant of hunts) write(await hunt(plant, job));
}

// Standard output may be a pipe, and the process ends at once behind the last line.
function write(line: Line | null): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

/** Runs worlds with a planted fault until one breaks a promise that holds without the fault; null where none does in time. */
async function hunt(plant: Plant, { first = 1, huntSeconds = 120, ...job }: Job): Promise<Line | null> {
  const begun = cpuMs();
  for (let seed = first; cpuMs() < begun + huntSeconds * 1_000; seed++) {
    const before = cpuMs() - begun;
    const line = await runOne({ seed: String(seed), plant }, job, true);
    const { smallest, ms } = line;
    if (smallest === undefined) continue;
    const sound = await runOne({ seed: line.seed, script: smallest }, {});
    if (sound.broken.length === 0) return { ...line, ms: before + ms };
  }
  return null;
}

async function runOne(
  { seed, script = scriptOf(seed, part), plant }: Chosen,
  { shrinkSeconds = 0, isTraced = false }: Pick<Job, 'isTraced' | 'shrinkSeconds'>,
  isHasty = false,
): Promise<Line> {
  const gateway = await loadGateway(plant ?? null);
  const begun = cpuMs();
  const traced = isTraced ? (line: string) => void process.stderr.write(line) : undefined;
  const outcome = await runWorld({ seed, steps: script, isHasty, ...(traced && { traced }) }, part, gateway);
  const { steps: _played, broken, ...rest } = outcome;
  const ms = cpuMs() - begun;
  const smallest = await smallestOf({ seed, script, gateway }, broken, shrinkSeconds);
  return { ...rest, broken: broken.slice(0, 10), ms, ...(smallest && { smallest }) };
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return Math.round((user + system) / 1_000);
}

interface FailedRun {
  readonly seed: string;
  readonly script: readonly Step[];
  readonly gateway: Gateway;
}

async function smallestOf(
  { seed, script, gateway }: FailedRun,
  broken: readonly Broken[],
  seconds: number,
): Promise<readonly Step[] | null> {
  const [first] = broken;
  if (first === undefined || seconds === 0) return null;
  const end = cpuMs() + seconds * 1_000;
  const fails = async (steps: readonly Step[]): Promise<boolean> => {
    const { broken: still } = await runWorld({ seed, steps, isHasty: true }, part, gateway);
    return still.some(({ promise }) => promise === first.promise);
  };
  // What comes behind the broken promise has no part in it, as a rule.
  const until = script.filter(({ at }) => at <= first.at);
  const isEarly = until.length < script.length && (await fails(until));
  return shrink(isEarly ? until : script, fails, () => cpuMs() > end);
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
      if (fewer.length < left.length && (await fails(fewer))) left = fewer;
      else at += size;
    }
  }
  return left;
}
