import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { composeSupergraph, type Subgraph } from '../federation/supergraph.ts';
import { freePort } from '../fleet/redis.ts';

const program = fileURLToPath(new URL('node_modules/@graphql-hive/gateway/dist/bin.js', import.meta.url));

const propagated = `propagateHeaders: {
    fromClientToSubgraphs: ({ request }) => ({ authorization: request.headers.get('authorization') }),
  },`;

const config = `export const gatewayConfig = { ${propagated} };\n`;

/** A Hive Gateway in a process of its own. */
export interface HiveGateway extends AsyncDisposable {
  readonly url: string;
}

/** Starts one with traces over subgraphs; throws what it prints where it does not serve. */
export function startHiveGateway(subgraphs: readonly Subgraph[], collectorUrl: string): Promise<HiveGateway> {
  return start(subgraphs, config, ['--opentelemetry', `${collectorUrl}/v1/traces`]);
}

/** How Hive Gateway follows the subscriptions of a subgraph: by default, over server-sent events; or over WebSocket. */
export type HiveSubscriptions = 'sse' | 'ws';

/** Starts one over subgraphs. Over WebSocket it forwards the caller's key in `connection_init`. */
export function startHiveFor(subgraphs: readonly Subgraph[], subscriptions: HiveSubscriptions): Promise<HiveGateway> {
  const options = {
    subscriptions: {
      kind: 'ws',
      location: '/graphql',
      options: { connectionParams: { authorization: '{context.headers.authorization}' }, retryAttempts: 0 },
    },
  };
  const overSockets = `transportEntries: { '*.http': { options: ${JSON.stringify(options)} } },`;
  const settings = subscriptions === 'ws' ? `${overSockets} ${propagated}` : propagated;
  return start(subgraphs, `export const gatewayConfig = { ${settings} };\n`, []);
}

async function start(
  subgraphs: readonly Subgraph[],
  configuration: string,
  flags: readonly string[],
): Promise<HiveGateway> {
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-hive-'));
  await Promise.all([
    writeFile(join(folder, 'supergraph.graphql'), composeSupergraph(subgraphs)),
    writeFile(join(folder, 'gateway.mjs'), configuration),
  ]);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const args = ['supergraph', 'supergraph.graphql', '-c', 'gateway.mjs', '-h', '127.0.0.1', '-p', String(port)];
  const child = spawn(process.execPath, [program, ...args, ...flags], {
    cwd: folder,
    env: { HOME: folder, PATH: '', OTEL_BSP_SCHEDULE_DELAY: '20' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  let output = '';
  let hasEnded = false;
  void ended.then(() => (hasEnded = true));
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  for (let tries = 1; !(await isReady(url)); tries++) {
    if (!hasEnded && tries < 600) continue;
    await stop();
    throw new Error(`Hive Gateway does not serve: ${output}`);
  }
  return { url: `${url}/graphql`, [Symbol.asyncDispose]: stop };
}

async function isReady(url: string): Promise<boolean> {
  const status = await fetch(`${url}/readiness`).then(
    (response) => response.status,
    () => 0,
  );
  if (status !== 200) await new Promise((resolve) => setTimeout(resolve, 50));
  return status === 200;
}
