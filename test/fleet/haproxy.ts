import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Program, startProgram, whenReady } from '../support/process.ts';
import { startFixedSandbox } from '../support/sandbox.ts';
import { programPath } from './programs.ts';
import { freePort } from './redis.ts';

/** The configuration that the project ships. */
export const configFile = fileURLToPath(new URL('../../deploy/haproxy.cfg', import.meta.url));

/** A gateway with these settings at an address of its own, which keeps the address when it is started anew. */
export async function startReplica(env: Readonly<Record<string, string>>) {
  const address = `127.0.0.1:${await freePort()}`;
  const url = `http://${address}`;
  let program: Program | null = null;
  const own = { PORT: new URL(url).port, EXPLORER: 'false', MCP: 'false', LOG_LEVEL: 'warn' };
  const replica = {
    address,
    url,
    /** Starts it, and waits until it is ready. */
    async start() {
      program = startProgram('src/main.cjs', { ...own, ...env });
      await program.printed(/Switchboard listens on /);
      await whenReady(url);
    },
    /** Sends the signal, and waits for the end. */
    async end(signal: NodeJS.Signals) {
      program?.kill(signal);
      await program?.ending;
    },
    [Symbol.asyncDispose]: async () => program?.[Symbol.asyncDispose](),
  };
  await replica.start();
  return replica;
}

/** Starts a HAProxy with the shipped configuration before three addresses, and waits until it sees all replicas. */
export async function startHaproxy(addresses: readonly string[], change = (config: string) => config) {
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-haproxy-'));
  const file = join(folder, 'haproxy.cfg');
  await writeFile(file, change(await readFile(configFile, 'utf8')));
  const bind = `127.0.0.1:${await freePort()}`;
  const gateways = Object.fromEntries(addresses.map((address, index) => [`GATEWAY_${index + 1}`, address]));
  const env = { BIND: bind, ...gateways };
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
  const { status } = await fetch(`${url}/ready`).catch(() => ({ status: 0 }));
  if (status !== 200) await new Promise((resolve) => setTimeout(resolve, 50));
  return status === 200;
}

/** Three replicas with a sandbox, behind HAProxy. */
export async function startReplicas(
  env: Readonly<Record<string, string>> = {},
  { uptime = () => 0, change }: { uptime?: () => number; change?: (config: string) => string } = {},
) {
  const cleanups = new AsyncDisposableStack();
  const sandbox = await startFixedSandbox(uptime);
  cleanups.defer(() => sandbox.close());
  const settings = { UPSTREAM_BASE_URL: sandbox.baseUrl, ...env };
  const replicas = await Promise.all([1, 2, 3].map(() => startReplica(settings)));
  for (const replica of replicas) cleanups.use(replica);
  const addresses = replicas.map(({ address }) => address);
  const { url } = cleanups.use(await startHaproxy(addresses, change));
  return { url, replicas, sandbox, [Symbol.asyncDispose]: () => cleanups.disposeAsync() };
}
