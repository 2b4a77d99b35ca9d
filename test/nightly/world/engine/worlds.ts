import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { createInterface } from 'node:readline';
import type { Job, Line } from './serve-runs.ts';

const program = new URL('process.ts', import.meta.url).pathname;
// Most of a start is the compiling of code that has not changed.
const compileCache = new URL('../../../../node_modules/.cache/node', import.meta.url).pathname;

/** What is to be run, over as many processes as there are cores. */
export interface WorldsOptions extends Pick<Job, 'worlds' | 'seconds' | 'first' | 'shrinkSeconds' | 'isTraced'> {
  readonly processes?: number;
  readonly each?: (line: Line) => void;
}

/** Runs worlds in processes of their own, the given ones first. Rejects where a process ends in another way than by finishing. */
export async function runWorlds(options: WorldsOptions): Promise<readonly Line[]> {
  const { worlds = [], first = 0, processes = availableParallelism(), each, ...rest } = options;
  const lines: Line[] = [];
  const jobs = Array.from({ length: processes }, (_, index) => ({
    ...rest,
    worlds: worlds.filter((_world, at) => at % processes === index),
    first: first + index,
    step: processes,
  }));
  const hear = (line: Line): void => {
    lines.push(line);
    each?.(line);
  };
  await Promise.all(jobs.map((job) => runProcess(job, hear)));
  return lines;
}

/** Runs one process; resolves when it has ended. */
export function runProcess(job: Job, each: (line: Line) => void): Promise<void> {
  const flags = ['--max-semi-space-size=64', '--no-warnings'];
  const { NODE_OPTIONS: _, ...env } = process.env;
  const child = spawn(process.execPath, [...flags, program, JSON.stringify(job)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...env, NODE_ENV: 'production', NODE_COMPILE_CACHE: compileCache },
  });
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (text) => each(JSON.parse(text) as Line));
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`A process of the world ended with ${signal ?? `exit code ${code}`}.`));
    });
  });
}

/** A failing run in words: its seed, what was broken, and the smallest script that breaks it. */
export function describeFailure({ seed, broken, smallest }: Line): string {
  const promises = broken.slice(0, 3).map(({ promise, detail }) => `  ${promise}: ${detail}`);
  const steps = smallest?.map((step) => `    ${JSON.stringify(step)}`) ?? [];
  return [`Seed ${seed}`, ...promises, ...(steps.length > 0 ? ['  The smallest script:', ...steps] : [])].join('\n');
}
