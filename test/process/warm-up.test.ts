import { expect, test, type TestContext } from 'vitest';
import { openSocket } from '../support/graphql-socket.ts';
import { startGatewayProgram } from '../support/process.ts';
import { whenReady } from '../support/ready.ts';
import { startScriptedUpstream } from '../support/scripted-upstream.ts';

type CleanUp = TestContext['onTestFinished'];

const processorSeconds = async (url: string): Promise<number> => {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^process_cpu_seconds_total (\S+)/m.exec(text)?.[1]);
};

async function start(cleanUp: CleanUp, env: Readonly<Record<string, string>>) {
  const upstream = await startScriptedUpstream();
  cleanUp(() => upstream.close());
  const { program, url } = await startGatewayProgram({ UPSTREAM_BASE_URL: upstream.baseUrl, ...env });
  cleanUp(() => program[Symbol.asyncDispose]());
  return { upstream, program, url };
}

const statusOf = async (url: string): Promise<unknown> => {
  const response = await fetch(`${url}/ready`);
  return [response.status, ((await response.json()) as { readonly status: string }).status];
};

test('a process spends WARM_UP_MS before it is ready, and calls, logs and counts nothing', async ({
  onTestFinished,
}) => {
  const { upstream, program, url } = await start(onTestFinished, { WARM_UP_MS: '400', EXPLORER: 'false' });
  const before = await processorSeconds(url);
  await whenReady(url);
  // What had been spent when the first figure was read is missing in the difference.
  expect(await processorSeconds(url)).toBeGreaterThan(before + 0.2);
  expect(upstream.requests).toEqual([]);
  expect(program.out).not.toContain('"msg":"request"');
  const metrics = await (await fetch(`${url}/metrics`)).text();
  expect(metrics).not.toMatch(/^switchboard_(operations|upstream_calls)_total\{[^}]*\} [1-9]/m);
});

test('/ready says 503 at once meanwhile, and probes do not end a warm-up', async ({ onTestFinished }) => {
  const { url } = await start(onTestFinished, { WARM_UP_MS: '60000', EXPLORER: 'false' });
  for (let round = 0; round < 5; round++) {
    for (const path of ['/health', '/metrics']) expect((await fetch(url + path)).status).toBe(200);
    expect(await statusOf(url)).toEqual([503, 'starting']);
  }
});

test.for([
  ['a query', async (url: string): Promise<unknown> => fetch(`${url}/graphql?query={__typename}`)],
  ['a document that is none', async (url: string): Promise<unknown> => fetch(`${url}/graphql?query={`)],
  ['an unknown path', async (url: string): Promise<unknown> => fetch(`${url}/nothing`)],
  ['a WebSocket', async (url: string): Promise<unknown> => (await openSocket({ url })).ws.terminate()],
] as const)('%s ends a warm-up: its process is ready', async ([, ask], { onTestFinished }) => {
  const { url } = await start(onTestFinished, { WARM_UP_MS: '60000', EXPLORER: 'false' });
  expect(await statusOf(url)).toEqual([503, 'starting']);
  const started = await processorSeconds(url);
  await ask(url);
  await whenReady(url);
  // A warm-up would not have ended yet.
  expect((await processorSeconds(url)) - started).toBeLessThan(8);
});

test('requests that come meanwhile are answered, and a stop does not wait for it', async ({ onTestFinished }) => {
  const { upstream, program, url } = await start(onTestFinished, { WARM_UP_MS: '60000', EXPLORER: 'false' });
  upstream.script(() => ({ json: { data: [], meta: { total_results: 0 } } }));
  const headers = { authorization: 'Bearer test-key' };
  const response = await fetch(`${url}/graphql?query={missions(first:1){totalCount}}`, { headers });
  expect(await response.json()).toEqual({ data: { missions: { totalCount: 0 } } });
  expect(upstream.requests).toHaveLength(1);
  program.kill('SIGTERM');
  expect(await program.ending).toEqual([0, null]);
});
