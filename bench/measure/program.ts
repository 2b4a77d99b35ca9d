import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { treeOf } from './process-tree.ts';
import { scratchFolder } from './scratch-folder.ts';

/** How a program is started: arguments for Node, and its settings. */
export interface ProgramOptions {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The core to keep it to. */
  readonly core?: string | undefined;
}

/** A program of the benchmark in a process of its own. */
export interface Program {
  readonly pid: number;
  /** The address that it printed. */
  readonly origin: string;
  readonly startMs: number;
  stop(): Promise<void>;
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const longestStartMs = 60_000;
let programs = 0;
const running = new Set<ChildProcess>();

// However this process ends, what it started does not stay behind.
process.once('exit', () => {
  for (const child of running) killTree(child);
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

function killTree(child: ChildProcess): void {
  for (const pid of treeOf(child.pid ?? 0).toReversed()) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
}

// As each of them would be run, and as `npm start` runs Switchboard; its cache of compiled code serves all alike.
const production = { NODE_ENV: 'production', NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'node') };

/** Starts a program in the project's root and waits for the line with its address. What it prints goes to a file. */
export async function startProgram({ args, env, core }: ProgramOptions): Promise<Program> {
  const started = performance.now();
  const log = join(scratchFolder, `program-${programs++}.log`);
  const output = openSync(log, 'w');
  const command = [...(core === undefined ? [] : ['taskset', '-c', core]), process.execPath, ...args];
  const child = spawn(command[0] as string, command.slice(1), {
    cwd: root,
    env: { ...production, PATH: process.env['PATH'] ?? '', HOST: '127.0.0.1', PORT: '0', ...env },
    // Into a file: a pipe that nobody has time to read would hold up whoever writes to it.
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  running.add(child);
  let hasEnded = false;
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => {
      hasEnded = true;
      running.delete(child);
      resolve();
    });
  });
  const fail = (): Error => new Error(`${args.join(' ')} did not start: ${readFileSync(log, 'utf8').slice(-2_000)}`);
  let origin: string | undefined;
  while (origin === undefined) {
    if (hasEnded || performance.now() - started > longestStartMs) throw fail();
    await sleep(10);
    origin = /listens on (http:\/\/[^/\s]+)/.exec(readFileSync(log, 'utf8'))?.[1];
  }
  return {
    pid: child.pid ?? 0,
    origin,
    startMs: performance.now() - started,
    async stop() {
      killTree(child);
      await ended;
      rmSync(log, { force: true });
    },
  };
}
