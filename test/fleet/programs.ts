import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/** The programs that the tests of a fleet start, with the Debian package that has each. */
export const packages = { haproxy: 'haproxy', 'redis-server': 'redis-server', promtool: 'prometheus' } as const;

export type ProgramName = keyof typeof packages;

// Debian keeps servers in a folder that is not on everybody's PATH.
const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin'];

/** The path of a program; null where it is not installed. */
export function findProgram(name: ProgramName): string | null {
  return folders.map((folder) => join(folder, name)).find(isExecutable) ?? null;
}

/** The path of a program. Throws with instructions where it is not installed. */
export function programPath(name: ProgramName): string {
  const path = findProgram(name);
  if (path === null) throw new Error(instructions([name]));
  return path;
}

interface Serving {
  readonly url: string;
  /** An address that is answered with 200 when it is ready. */
  readonly ready: string;
  /** What it finds in the folder where it runs. */
  readonly files: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts a program of another project in a folder of its own, and waits until it is ready; throws what it says where it is not. */
export async function startServing(file: string, args: readonly string[], { url, ready, files, env }: Serving) {
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-program-'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const stdio = ['ignore', 'pipe', 'pipe'] as const;
  const child = spawn(file, args, { cwd: folder, env: { HOME: folder, PATH: '', ...env }, stdio: [...stdio] });
  let said = '';
  child.once('error', ({ message }) => (said += message));
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (said += text));
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  for (let tries = 0; !(await isUp(ready)); tries++) {
    if (tries < 1_000 && child.exitCode === null) continue;
    await stop();
    throw new Error(`${file} does not serve: ${said}`);
  }
  return { url, [Symbol.asyncDispose]: stop };
}

async function isUp(url: string): Promise<boolean> {
  const { status } = await fetch(url).catch(() => ({ status: 0 }));
  if (status !== 200) await new Promise((resolve) => setTimeout(resolve, 50));
  return status === 200;
}

/** How to get programs that are not installed, in one line. */
export function instructions(missing: readonly ProgramName[]): string {
  const names = missing.map((name) => packages[name]).join(' ');
  return `The tests of a fleet need ${missing.join(', ')}. On Debian: apt-get install --no-install-recommends ${names}`;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
