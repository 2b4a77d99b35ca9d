import { spawn, type ChildProcess } from 'node:child_process';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { treeOf } from './process-tree.ts';

/** How a program is started: its command, without one arguments for Node, and its settings. */
export interface ProgramOptions {
  readonly command?: readonly string[] | undefined;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The core to keep it to: '0' is that of load and API, '1' that of what is measured. */
  readonly core: '0' | '1';
  /** The port that it was given; absent: it prints its address. */
  readonly port?: number | undefined;
}

/** A program of the benchmark in a process of its own. */
export interface Program {
  readonly pid: number;
  /** The address that it printed. */
  readonly origin: string;
  stop(): Promise<void>;
}

const root = fileURLToPath(new URL('..', import.meta.url));
const longestStartMs = 60_000;
const longestPrint = 2_000;
const running = new Set<ChildProcess>();

// Whatever ends this process, the programs that it started end too.
process.once('exit', () => {
  for (const child of running) killTree(child);
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

function killTree(child: ChildProcess): void {
  running.delete(child);
  for (const pid of treeOf(child.pid ?? 0).toReversed()) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
}

// As each contender would be run, and as `npm start` runs Switchboard; all use the same cache of compiled code.
const production = { NODE_ENV: 'production', NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'node') };

/** Whether somebody listens on a port of this machine. */
const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const end = (answer: boolean) => () => resolve((socket.destroy(), answer));
    socket.once('connect', end(true)).once('error', end(false));
  });

/** Starts a program in the project's root and waits until it listens; the end of its output is shown where it ends by itself. */
export async function startProgram({
  command = [process.execPath],
  args,
  env,
  core,
  port,
}: ProgramOptions): Promise<Program> {
  const child = spawn('taskset', ['-c', core, ...command, ...args], {
    cwd: root,
    env: { ...production, PATH: process.env['PATH'] ?? '', HOST: '127.0.0.1', PORT: '0', ...env },
    // As a container's log is read. A file that grows would cost its writer fresh memory with each page.
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  let printed = '';
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => {
      if (running.delete(child)) console.error(`${args.join(' ')} has ended: ${printed}`);
      resolve();
    });
  });
  const read = (chunk: Buffer): void => void (printed = (printed + chunk.toString()).slice(-longestPrint));
  for (const stream of [child.stdout, child.stderr]) stream.on('data', read);
  let origin: string | undefined;
  for (const until = performance.now() + longestStartMs; origin === undefined; await sleep(10)) {
    if (child.exitCode !== null || performance.now() > until)
      throw new Error(`${[...command, ...args].join(' ')} did not start: ${printed}`);
    if (port === undefined) origin = /listens on (http:\/\/[^/\s]+)/.exec(printed)?.[1];
    else if (await isOpen(port)) origin = `http://127.0.0.1:${port}`;
  }
  return {
    pid: child.pid ?? 0,
    origin,
    async stop() {
      killTree(child);
      await ended;
    },
  };
}
