import diagnostics from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { onTestFinished } from 'vitest';
import { buildAppSchema } from '../../src/app.ts';
import { CancelSource, type CancelSignal } from '../../src/cancellation.ts';
import { readConfig } from '../../src/config.ts';
import { createWarmUp } from '../../src/workers/warm-up.ts';
import { expect, test } from '../support/gateway.ts';
import { openSocket } from '../support/streams.ts';
import { samplesOf, scrape, valueOf } from '../support/metrics.ts';
import { refusingUpstream, startGatewayProgram, whenReady } from '../support/process.ts';
import type { ScriptedUpstream } from '../support/scripted-upstream.ts';

async function start({ baseUrl }: ScriptedUpstream, env: Readonly<Record<string, string>>) {
  const { program, url } = await startGatewayProgram({ UPSTREAM_BASE_URL: baseUrl, ...env });
  onTestFinished(() => program[Symbol.asyncDispose]());
  return { program, url, spent: () => valueOf({ url }, 'process_cpu_seconds_total') };
}

const readiness = async (url: string): Promise<unknown> => {
  const response = await fetch(`${url}/ready`);
  return [response.status, ((await response.json()) as { readonly status: string }).status];
};

test('a process spends WARM_UP_MS before it is ready, and calls, logs and counts nothing', async ({ upstream }) => {
  const { program, url, spent } = await start(upstream, { WARM_UP_MS: '400' });
  const before = Number(await spent());
  await whenReady(url);
  // What had been spent when the first figure was read is missing in the difference.
  expect(await spent()).toBeGreaterThan(before + 0.2);
  expect(upstream.requests).toEqual([]);
  expect(program.out).not.toContain('"msg":"request"');
  const counted = /^switchboard_(?:operations|upstream_calls)_total$/;
  expect(samplesOf(await scrape({ url })).filter(({ name, value }) => counted.test(name) && value > 0)).toEqual([]);
});

test('a request that comes meanwhile is answered, and ends it', async ({ upstream }) => {
  const { program, url } = await start(upstream, { WARM_UP_MS: '60000' });
  upstream.script(() => ({ json: { data: [], meta: { total_results: 0 } } }));
  expect(await readiness(url)).toEqual([503, 'starting']);
  const headers = { authorization: 'Bearer test-key' };
  const response = await fetch(`${url}/graphql?query={missions(first:1){totalCount}}`, { headers });
  expect(await response.json()).toEqual({ data: { missions: { totalCount: 0 } } });
  expect(upstream.requests).toHaveLength(1);
  await whenReady(url);
  program.kill('SIGTERM');
  expect(await program.ending).toEqual([0, null]);
});

test('a warm-up asks for each list and report', async () => {
  const paths = new Set<string>();
  const note = (message: unknown): void => {
    const [path = ''] = (message as { readonly request: IncomingMessage }).request.url?.split('?') ?? [];
    if (path.startsWith('/v2/')) paths.add(path);
  };
  diagnostics.subscribe('http.server.request.start', note);
  const config = { ...readConfig({ WARM_UP_MS: '1', LOG_LEVEL: 'silent' }), upstreamBaseUrl: refusingUpstream };
  await createWarmUp(config)(new CancelSource(), buildAppSchema());
  diagnostics.unsubscribe('http.server.request.start', note);
  const names = ['ip_connections', 'webhook_deliveries', 'ai/missions', 'charges_summary', 'charges_breakdown'];
  expect(paths).toEqual(new Set(names.map((name) => `/v2/${name}`)));
});

/** A warm-up that lasts until it is told to end. */
const endless = (over: CancelSignal): Promise<void> =>
  new Promise((resolve) => over.addEventListener('abort', () => resolve()));

test.for([
  ['a query', async (url: string): Promise<unknown> => fetch(`${url}/graphql?query={__typename}`)],
  ['a WebSocket', async (url: string): Promise<unknown> => (await openSocket({ url })).ws.terminate()],
] as const)('%s ends a warm-up, and no probe does', async ([, ask], { startWith }) => {
  const { url } = await startWith({}, { warmUp: endless });
  for (const path of ['/health', '/ready', '/metrics']) await fetch(url + path);
  expect(await readiness(url)).toEqual([503, 'starting']);
  await ask(url);
  await whenReady(url);
});

test('a stop does not wait for a warm-up', async ({ startWith }) => {
  const gateway = await startWith({}, { warmUp: endless });
  expect(await gateway.close()).toBeUndefined();
});
