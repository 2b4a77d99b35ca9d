import { spawn, type ChildProcess } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { createInterface } from 'node:readline';
import type { Job, Line } from './serve-runs.ts';

const program = new URL('process.ts', import.meta.url).pathname;
// As `npm start` has it: most of a start is the compiling of code that has not changed.
const compileCache = new URL('../../../node_modules/.cache/node', import.meta.url).pathname;

/** What is to be run, over as many processes as there are cores. */
export interface WorldsOptions extends Pick<Job, 'worlds' | 'seconds' | 'shrinkSeconds' | 'isLong'> {
  /** Of the new seeds. */
  readonly first?: number;
  readonly processes?: number;
  readonly each?: (line: Line) => void;
}

/** What came of several runs. */
export interface Summary {
  readonly runs: number;
  readonly hours: number;
  readonly requests: number;
  readonly calls: number;
  readonly faults: number;
  readonly failed: readonly Line[];
}

/** Runs worlds in processes of their own, recorded seeds first. Rejects where a process ends in another way than by finishing. */
export async function runWorlds(options: WorldsOptions): Promise<Summary> {
  const { worlds = [], seconds = 0, first = 0, processes = availableParallelism(), each = () => {} } = options;
  const lines: Line[] = [];
  const jobs = Array.from({ length: processes }, (_, index): Job => {
    const own = worlds.filter((_world, at) => at % processes === index);
    const { isLong = false } = options;
    return {
      isLong,
      worlds: own,
      seconds,
      first: first + index,
      step: processes,
      shrinkSeconds: options.shrinkSeconds ?? 30,
    };
  });
  await Promise.all(
    jobs.map((job) =>
      runProcess(job, (line) => {
        lines.push(line);
        each(line);
      }),
    ),
  );
  const sum = (of: (line: Line) => number): number => lines.reduce((total, line) => total + of(line), 0);
  return {
    runs: lines.length,
    hours: sum(({ hours }) => hours),
    requests: sum(({ requests }) => requests),
    calls: sum(({ calls }) => calls),
    faults: sum(({ faults }) => faults),
    failed: lines.filter(({ broken }) => broken.length > 0),
  };
}

/** Runs one process; resolves when it has ended. A hunt that has found nothing says null. */
export function runProcess(job: Job, each: (line: Line) => void, missed: () => void = () => {}): Promise<void> {
  const flags = ['--max-semi-space-size=64', '--no-warnings'];
  const { NODE_OPTIONS: _, ...env } = process.env;
  const child = spawn(process.execPath, [...flags, program, JSON.stringify(job)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...env,
      NODE_ENV: 'production',
      NODE_COMPILE_CACHE: compileCache,
    },
  });
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (text) => {
      const line = JSON.parse(text) as Line | null;
      if (line === null) missed();
      else each(line);
    });
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`A process of the world ended with ${endOf(child)}.`));
    });
  });
}

function endOf({ exitCode, signalCode }: ChildProcess): string {
  return signalCode ?? `exit code ${exitCode}`;
}

/** A failing run in words: its seed, what was broken, and the smallest script that breaks it. */
export function describeFailure({ seed, broken, smallest }: Line): string {
  const promises = broken.slice(0, 3).map(({ promise, detail }) => `  ${promise}: ${detail}`);
  const steps = smallest?.map((step) => `    ${JSON.stringify(step)}`) ?? [];
  return [`Seed ${seed}`, ...promises, ...(steps.length > 0 ? ['  The smallest script:', ...steps] : [])].join('\n');
}
