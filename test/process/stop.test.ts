import { Agent } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, test as plain, vi, type TestContext } from 'vitest';
import { all } from '../live/subscription.ts';
import { subscribe } from '../support/streams.ts';
import { test } from '../support/gateway.ts';
import { get } from '../support/http.ts';
import { valueOf } from '../support/metrics.ts';
import { startGatewayProgram, whenReady } from '../support/process.ts';
import { hang, pageReply, startScriptedUpstream, type Script } from '../support/scripted-upstream.ts';

// Side by side: each waits for processes to start and to end.
const concurrently = plain.concurrent;
type CleanUp = TestContext['onTestFinished'];

const missions = (url: string): string => `${url}/graphql?query={missions(first:1){totalCount}}`;
const seven = '{"data":{"missions":{"totalCount":7}}}';
const sevenReply: Script = () => ({ json: { data: [{ mission_id: 'a' }], meta: { total_results: 7 } } });

async function startUpstream(cleanUp: CleanUp, script = sevenReply) {
  const upstream = await startScriptedUpstream();
  cleanUp(() => upstream.close());
  upstream.script(script);
  return upstream;
}

/** An upstream that holds its replies until `give` is called. */
async function startHoldingUpstream(cleanUp: CleanUp) {
  const giving = Promise.withResolvers<undefined>();
  const upstream = await startUpstream(cleanUp, async (request) => (await giving.promise, sevenReply(request)));
  return { ...upstream, give: () => giving.resolve(undefined) };
}

async function start(cleanUp: CleanUp, env: Readonly<Record<string, string>>) {
  const gateway = await startGatewayProgram(env);
  cleanUp(() => gateway.program[Symbol.asyncDispose]());
  return gateway;
}

/** Connects and sends a text. */
async function connectTo(cleanUp: CleanUp, url: string, text = '') {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {});
  cleanUp(() => void socket.destroy());
  await new Promise((resolve) => socket.once('connect', resolve));
  socket.write(text);
  return socket;
}

// Signals and failures to order: no request is known to cause one.
const faults = `--import=data:text/javascript,${encodeURIComponent(`
  const fault = () => new TypeError(['a', 'secret'].join('-'));
  process.on('SIGWINCH', () => void Promise.reject(fault()));
  process.on('SIGCONT', () => setImmediate(() => { throw fault(); }));
`)}`;

describe('a process', () => {
  concurrently(
    'that stops finishes what is under way, and says meanwhile that it is not ready',
    async ({ expect, onTestFinished }) => {
      const upstream = await startHoldingUpstream(onTestFinished);
      const { program, url } = await start(onTestFinished, { UPSTREAM_BASE_URL: upstream.baseUrl, ADMIN_PORT: '0' });
      const [, adminUrl = ''] = await program.printed(/"msg":"Probes and metrics: (http:[^\s"]+)\/health/);
      const underWay = Array.from({ length: 20 }, (_, index) => get(missions(url), { key: `key-${index}` }));
      await expect.poll(() => upstream.requests.length).toBe(20);
      const half = await connectTo(onTestFinished, url, 'GET /ready HTTP/1.1\r\nhost: gateway\r\n');
      await connectTo(onTestFinished, url);
      await connectTo(onTestFinished, adminUrl);
      // Those mean nothing, and a debugger would say that it listens.
      for (const ignored of ['SIGUSR1', 'SIGUSR2', 'SIGPIPE'] as const) program.kill(ignored);
      expect((await get(`${adminUrl}/ready`)).status).toBe(200);
      program.kill('SIGTERM');
      await expect.poll(async () => (await get(`${adminUrl}/ready`)).status).toBe(503);
      expect((await get(`${adminUrl}/health`)).status).toBe(200);
      for (const another of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) program.kill(another);
      await expect.poll(async () => (await get(`${url}/health`)).text).toBe('ECONNREFUSED');
      half.write('\r\n');
      expect(String(await new Promise((resolve) => half.once('data', resolve)))).toMatch(/^HTTP\/1\.1 503 /);
      upstream.give();
      for (const answer of await Promise.all(underWay)) expect(answer).toMatchObject({ status: 200, text: seven });
      expect(await program.ending).toEqual([0, null]);
      expect((await get(`${adminUrl}/health`)).status).toBe(0);
      expect(program.err).toBe('');
    },
  );

  concurrently.for([
    ['1', 'SIGINT'],
    ['2', 'SIGHUP'],
  ] as const)(
    'of WORKERS=%s that %s stops under load answers every request of connections that are kept',
    async ([WORKERS, signal], { expect, onTestFinished }) => {
      const upstream = await startUpstream(onTestFinished);
      const { program, url } = await start(onTestFinished, { UPSTREAM_BASE_URL: upstream.baseUrl, WORKERS });
      const agent = new Agent({ keepAlive: true, maxSockets: 20 });
      onTestFinished(() => agent.destroy());
      const outcomes: string[] = [];
      let isRefused = false;
      const load = Array.from({ length: 20 }, async () => {
        while (!isRefused) {
          const { text } = await get(missions(url), { agent });
          if (text === 'refused') isRefused = true;
          else outcomes.push(text);
        }
      });
      await expect.poll(() => outcomes.length).toBeGreaterThan(100);
      program.kill(signal);
      expect(await program.ending).toEqual([0, null]);
      await Promise.all(load);
      expect([...new Set(outcomes)]).toEqual([seven]);
    },
  );

  concurrently('goes on after an unhandled rejection and stops with 1 after an uncaught exception', async (context) => {
    const { expect, onTestFinished } = context;
    const upstream = await startHoldingUpstream(onTestFinished);
    const env = { UPSTREAM_BASE_URL: upstream.baseUrl, ADMIN_PORT: '0', NODE_OPTIONS: faults };
    const { program, url } = await start(onTestFinished, env);
    const [, adminUrl = ''] = await program.printed(/"msg":"Probes and metrics: (http:[^\s"]+)\/health/);
    const unhandled = () => valueOf({ url: adminUrl }, 'switchboard_unhandled_total');
    const underWay = get(missions(url));
    await expect.poll(() => upstream.requests.length).toBe(1);
    program.kill('SIGWINCH');
    await expect.poll(unhandled).toBe(1);
    await program.printed(/"level":"error",.*"error":"TypeError\\n {4}at .*"msg":"internal error"/);
    expect((await get(`${adminUrl}/ready`)).status).toBe(200);
    program.kill('SIGCONT');
    await expect.poll(async () => (await get(`${adminUrl}/ready`)).status).toBe(503);
    // Further ones neither hasten nor delay it.
    for (const signal of ['SIGCONT', 'SIGWINCH', 'SIGTERM'] as const) program.kill(signal);
    await expect.poll(unhandled).toBe(4);
    upstream.give();
    expect((await underWay).text).toBe(seven);
    expect(await program.ending).toEqual([1, null]);
    expect(program.out + program.err).not.toContain('a-secret');
  });
});

describe('a gateway in this process', () => {
  // Where time stands still, but for what is advanced.
  const stopTime = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  afterEach(() => void vi.useRealTimers());

  test('that retires serves for a while, and ends kept connections', async ({ expect, gateway, upstream }) => {
    upstream.script(sevenReply);
    const [ready, agent] = [`${gateway.url}/ready`, new Agent({ keepAlive: true, maxSockets: 1 })];
    await whenReady(gateway.url);
    expect(await get(ready, { agent })).toMatchObject({ status: 200, connection: 'keep-alive' });
    const retired = gateway.retire();
    const served = [get(ready, { agent }), get(ready), get(missions(gateway.url))];
    expect(await Promise.all(served)).toMatchObject([
      { status: 503, connection: 'close' },
      { status: 503, connection: 'close' },
      { status: 200, text: seven },
    ]);
    await retired;
    expect((await get(ready)).text).toBe('ECONNREFUSED');
    agent.destroy();
  });

  test('that stops waits for a slow reader of a response', async ({ expect, gateway, upstream }) => {
    const name = 'x'.repeat(200_000);
    const rows = Array.from({ length: 100 }, (_, index) => ({ mission_id: `mission-${index}`, name }));
    upstream.script((request) => pageReply(rows, request));
    const ask = () => gateway.post({ query: '{ missions(first: 100) { nodes { name } } }' });
    // On both paths: that of a new query, and that of a known one.
    const slow = [await ask(), await ask()];
    const closing = gateway.close();
    await expect.poll(async () => (await get(`${gateway.url}/health`)).text).toBe('ECONNREFUSED');
    for (const response of slow) expect((await response.text()).length).toBeGreaterThan(rows.length * name.length);
    await closing;
  });

  test('that stops answers who waits for a silent upstream in time', async ({ expect, startWith, upstream }) => {
    upstream.script(() => hang);
    stopTime();
    const gateway = await startWith({ UPSTREAM_TIMEOUT_MS: '60000', OPERATION_TIMEOUT_MS: '60000' });
    const waiting = get(missions(gateway.url));
    await expect.poll(() => upstream.requests.length).toBe(1);
    const closing = gateway.close();
    vi.advanceTimersByTime(8_600);
    expect(JSON.parse((await waiting).text)).toMatchObject({
      data: { missions: null },
      errors: [{ path: ['missions'], extensions: { code: 'UPSTREAM_UNAVAILABLE', retryable: true } }],
    });
    await closing;
  });

  test('that stops ends streams at once, with an error that says so', async ({ expect, gateway, upstream }) => {
    upstream.script((request) => pageReply([], request));
    const streams = [await subscribe(gateway, all), await subscribe(gateway, all, { key: 'another' })];
    stopTime();
    await gateway.close();
    const line = gateway.log.find((each) => each.includes('"stopped"'));
    const told = { streams: 2, websockets: 0, connections: 2, waitedMs: expect.any(Number) };
    expect(JSON.parse(line ?? '{}')).toMatchObject(told);
    for (const { events, ended } of streams) {
      await ended;
      expect(events).toMatchObject([
        { name: 'next', data: { errors: [{ extensions: { code: 'UPSTREAM_UNAVAILABLE', retryable: true } }] } },
        { name: 'complete' },
      ]);
    }
  });
});
