import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { treeOf } from './process-tree.ts';

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
const longestPrint = 2_000;
const running = new Set<ChildProcess>();

// Whatever ends this process, the programs that it started end too.
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

// As each contender would be run, and as `npm start` runs Switchboard; all use the same cache of compiled code.
const production = { NODE_ENV: 'production', NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'node') };

/** Starts a program in the project's root and waits for the line with its address; other output is read and dropped. */
export async function startProgram({ args, env, core }: ProgramOptions): Promise<Program> {
  const started = performance.now();
  const command = [...(core === undefined ? [] : ['taskset', '-c', core]), process.execPath, ...args];
  const child = spawn(command[0] as string, command.slice(1), {
    cwd: root,
    env: { ...production, PATH: process.env['PATH'] ?? '', HOST: '127.0.0.1', PORT: '0', ...env },
    // As a container's log is read. A file that grows would cost its writer fresh memory with each page.
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => {
      running.delete(child);
      resolve();
    });
  });
  const { origin, startMs } = await new Promise<{ readonly origin: string; readonly startMs: number }>(
    (resolve, reject) => {
      let printed = '';
      const read = (chunk: Buffer): void => {
        printed = (printed + chunk.toString()).slice(-longestPrint);
        const address = /listens on (http:\/\/[^/\s]+)/.exec(printed)?.[1];
        if (address !== undefined) resolve({ origin: address, startMs: performance.now() - started });
      };
      const fail = (): void => reject(new Error(`${args.join(' ')} did not start: ${printed}`));
      const patience = setTimeout(fail, longestStartMs);
      child.stdout.on('data', read);
      child.stderr.on('data', read);
      child.once('close', fail);
      child.stdout.once('end', () => clearTimeout(patience));
    },
  );
  for (const stream of [child.stdout, child.stderr]) stream.removeAllListeners('data').resume();
  return {
    pid: child.pid ?? 0,
    origin,
    startMs,
    async stop() {
      killTree(child);
      await ended;
    },
  };
}
