import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type Program, startProgram, whenReady } from '../support/process.ts';
import { startFixedSandbox } from '../support/sandbox.ts';
import { programPath, startServing } from './programs.ts';
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
  const bind = `127.0.0.1:${await freePort()}`;
  const url = `http://${bind}`;
  const gateways = Object.fromEntries(addresses.map((address, index) => [`GATEWAY_${index + 1}`, address]));
  return startServing(programPath('haproxy'), ['-f', 'haproxy.cfg'], {
    url,
    ready: `${url}/ready`,
    files: { 'haproxy.cfg': change(await readFile(configFile, 'utf8')) },
    env: { BIND: bind, ...gateways },
  });
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
