import { execFile, spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { root } from '../documents/page.ts';

/** How a program ended: its exit code, or the signal that killed it. */
export type Ending = readonly [code: number | null, signal: NodeJS.Signals | null];

/** A program of ours in a process of its own. */
export type Program = ReturnType<typeof startProgram>;

/** The line of a gateway that listens, with its address. */
export const listening = /"msg":"Switchboard listens on (http:[^\s"]+)\/graphql"/;

// Without one, each start compiles all modules anew, which takes as long as all else about it. V8 takes no code that was compiled under
// other flags, which each program sets for itself.
const compileCache = fileURLToPath(new URL('../../node_modules/.cache/programs', import.meta.url));

/** What a file of ours is given in its environment, so that it starts as fast as it can. */
export const swiftStart = (file: string) => ({
  NODE_COMPILE_CACHE: join(compileCache, basename(dirname(file)), basename(file)),
  WARM_UP_MS: '0',
});

/** Starts a file, by its path from the project's root, on this same Node, with these settings and no others, but without a warm-up. */
export function startProgram(file: string, env: Readonly<Record<string, string>>, options: readonly string[] = []) {
  const path = fileURLToPath(new URL(`../../${file}`, import.meta.url));
  const child = spawn(process.execPath, [path, ...options], {
    env: { ...swiftStart(file), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { out: '', err: '' };
  const ending = new Promise<Ending>((resolve) => {
    child.once('close', (code, signal) => resolve([code, signal]));
  });
  const exit = new Promise<Ending>((resolve) => {
    child.once('exit', (code, signal) => resolve([code, signal]));
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.err += text));
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.out += text));
  return {
    pid: child.pid ?? 0,
    get out() {
      return output.out;
    },
    get err() {
      return output.err;
    },
    /** Settles when the process has ended and all of its output has been read. */
    ending,
    /** Settles when the process has ended, whether its output has been read or not. */
    exit,
    /** Closes this end of standard output. */
    closeOutput: () => void child.stdout.destroy(),
    /** Waits until standard output matches; rejects where the process ends before it does. */
    printed: (pattern: RegExp) =>
      new Promise<RegExpExecArray>((resolve, reject) => {
        const look = (): void => {
          const match = pattern.exec(output.out);
          if (match === null) return;
          child.stdout.off('data', look);
          resolve(match);
        };
        child.stdout.on('data', look);
        look();
        void ending.then(() => reject(new Error(`${file} ended without printing ${pattern}: ${output.err}`)));
      }),
    kill: (signal: NodeJS.Signals) => void child.kill(signal),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ending;
    },
  };
}

/** Ends what is left of a process that was started `detached`, and of all that it has started. */
export function endGroup(leader: number | undefined): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** The gateway's program. */
export const main = 'src/main.cjs';

/** Nothing listens there: a call is refused, whatever else runs on the machine. */
export const refusingUpstream = 'http://127.0.0.1:9/v2';

/** Starts the gateway on a port that the system chooses, without pages, and waits until it listens; with its address. */
export async function startGatewayProgram(env: Readonly<Record<string, string>> = {}) {
  const program = startProgram(main, { PORT: '0', EXPLORER: 'false', ...env });
  const [, url = ''] = await program.printed(listening);
  return { program, url };
}

/** Resolves when a process says that it takes traffic: until its pages are built and its warm-up has ended, it answers 503 at once. */
export async function whenReady(url: string): Promise<void> {
  while ((await fetch(`${url}/ready`)).status !== 200) await pause(20);
}

const run = promisify(execFile);

/** A folder in which the client package is installed. */
export type ClientInstallation = Awaited<ReturnType<typeof installClient>>;

/** Installs what `npm pack` makes of the client package, by way of a copy, so that nobody sees it half written; disposing removes it. */
export async function installClient() {
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-client-'));
  const source = join(folder, 'source/client');
  const modules = join(folder, 'node_modules');
  for (const name of ['src', 'package.json', 'tsconfig.json', 'README.md'])
    await cp(join(root, 'client', name), join(source, name), { recursive: true });
  await cp(join(root, 'tsconfig.json'), join(folder, 'source/tsconfig.json'));
  const programs = [join(root, 'node_modules/.bin'), process.env['PATH']].join(delimiter);
  const pack = ['pack', '--silent', '--pack-destination', folder];
  const { stdout } = await run('npm', pack, { cwd: source, env: { ...process.env, PATH: programs } });
  const packed = stdout.trim().split('\n').at(-1) ?? '';
  const installed = join(modules, '@switchboard-gateway/client');
  await mkdir(installed, { recursive: true });
  await run('tar', ['xzf', join(folder, packed), '-C', installed, '--strip-components=1']);
  await rm(join(folder, 'source'), { recursive: true });
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}
