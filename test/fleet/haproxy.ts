import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { programPath } from './programs.ts';

/** The configuration that the project ships. */
export const configFile = fileURLToPath(new URL('../../deploy/haproxy.cfg', import.meta.url));

/** A HAProxy with the shipped configuration before three replicas. */
export interface Haproxy extends AsyncDisposable {
  readonly url: string;
}

export interface HaproxyOptions {
  /** Three addresses, each a host and a port. */
  readonly replicas: readonly string[];
  /** Changes the configuration. */
  readonly change?: (config: string) => string;
}

/** Starts one on a free port, and waits until it sees all replicas. */
export async function startHaproxy({ replicas, change = (config) => config }: HaproxyOptions): Promise<Haproxy> {
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-haproxy-'));
  const file = join(folder, 'haproxy.cfg');
  await writeFile(file, change(await readFile(configFile, 'utf8')));
  const bind = `127.0.0.1:${await freePort()}`;
  const env = {
    BIND: bind,
    ...Object.fromEntries(replicas.map((address, index) => [`GATEWAY_${index + 1}`, address])),
  };
  const child = spawn(programPath('haproxy'), ['-f', file], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
    await rm(folder, { recursive: true });
  };
  const url = `http://${bind}`;
  for (let tries = 0; !(await isUp(url)); tries++) {
    if (tries < 1_000 && child.exitCode === null) continue;
    await stop();
    throw new Error(`HAProxy does not serve: ${said}`);
  }
  return { url, [Symbol.asyncDispose]: stop };
}

async function isUp(url: string): Promise<boolean> {
  const status = await fetch(`${url}/ready`).then(
    (response) => response.status,
    () => 0,
  );
  if (status !== 200) await new Promise((resolve) => setTimeout(resolve, 50));
  return status === 200;
}

/** A port that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
