import { Agent, createServer, request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, vi, type TestContext } from 'vitest';
import { listening, startGatewayProgram, startProgram } from '../support/program.ts';
import { subscribe } from '../support/event-stream.ts';
import { startGateway as startInProcess } from '../support/gateway.ts';
import { startScriptedUpstream } from '../support/scripted-upstream.ts';
import { whenReady } from '../support/ready.ts';

// Side by side: each waits for processes to start and to end.
const concurrently = test.concurrent;
type CleanUp = TestContext['onTestFinished'];

/** An upstream that holds its replies until `give` is called. */
async function startHoldingUpstream(cleanUp: CleanUp) {
  const upstream = await startScriptedUpstream();
  cleanUp(() => upstream.close());
  const giving = Promise.withResolvers<undefined>();
  upstream.script(async () => {
    await giving.promise;
    return { json: { data: [{ mission_id: 'a' }], meta: { total_results: 7 } } };
  });
  return { ...upstream, give: () => giving.resolve(undefined) };
}

async function startGateway(cleanUp: CleanUp, env: Readonly<Record<string, string>>) {
  const gateway = await startGatewayProgram(env);
  cleanUp(() => gateway.program[Symbol.asyncDispose]());
  return gateway;
}

function keptAgent(cleanUp: CleanUp, maxSockets: number): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets });
  cleanUp(() => agent.destroy());
  return agent;
}

interface Answer {
  readonly status: number;
  readonly connection: string | undefined;
  readonly body: string;
}

/** A connection that failed while it was opened: no request was lost with it. */
class RefusedError extends Error {
  readonly code = 'refused';
}

interface GetOptions {
  readonly agent?: Agent | false;
  /** Callers of their own do not share calls. */
  readonly key?: string;
}

function get(url: string, { agent = false, key = 'a-key' }: GetOptions = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const answered = (res: IncomingMessage): void => {
      let body = '';
      res.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      res.once('end', () => resolve({ status: res.statusCode ?? 0, connection: res.headers.connection, body }));
      res.once('error', reject);
    };
    const asking = request(url, { agent, headers: { authorization: `Bearer ${key}` } }, answered);
    asking.once('error', (error) => reject(asking.reusedSocket ? error : new RefusedError()));
    asking.end();
  });
}

const missions = (url: string): string => `${url}/graphql?query={missions(first:1){totalCount}}`;
const seven = '{"data":{"missions":{"totalCount":7}}}';

concurrently(
  'a stop loses none of the requests under way, and turns readiness before it refuses connections',
  async ({ expect, onTestFinished }) => {
    const upstream = await startHoldingUpstream(onTestFinished);
    const { program, url } = await startGateway(onTestFinished, {
      UPSTREAM_BASE_URL: upstream.baseUrl,
      // Keys that nobody has accepted share a quarter.
      UPSTREAM_MAX_CONCURRENCY: '400',
      NODE_OPTIONS: `--import=${new URL('long-retirement.ts', import.meta.url).href}`,
    });
    const agent = keptAgent(onTestFinished, 1);
    await whenReady(url);
    expect(await get(`${url}/ready`, { agent })).toMatchObject({ status: 200, connection: 'keep-alive' });
    const underWay = Array.from({ length: 100 }, (_, index) => get(missions(url), { key: `key-${index}` }));
    await expect.poll(() => upstream.requests.length).toBe(100);

    program.kill('SIGTERM');
    const readiness: Answer[] = [];
    const watch = async (): Promise<number> => {
      readiness.push(await get(`${url}/ready`, { agent: false }));
      return readiness.at(-1)?.status ?? 0;
    };
    await expect.poll(watch, { interval: 10 }).toBe(503);
    // The kept connection is still served, with `connection: close`.
    expect(await get(`${url}/ready`, { agent })).toMatchObject({ status: 503, connection: 'close' });
    await expect
      .poll(() =>
        get(`${url}/ready`).then(
          ({ status }) => status,
          ({ code }) => code as string,
        ),
      )
      .toBe('refused');

    upstream.give();
    for (const answer of await Promise.all(underWay)) expect(answer).toMatchObject({ status: 200, body: seven });
    expect(await program.ending).toEqual([0, null]);
    expect(program.err).toBe('');
  },
);

concurrently('a stop waits for a slow reader of a response', async ({ expect, onTestFinished }) => {
  const upstream = await startScriptedUpstream();
  onTestFinished(() => upstream.close());
  const name = 'x'.repeat(200_000);
  const rows = Array.from({ length: 100 }, (_, index) => ({ mission_id: `mission-${index}`, name }));
  upstream.script(() => ({ json: { data: rows, meta: { total_results: rows.length } } }));
  const { program, url } = await startGateway(onTestFinished, { UPSTREAM_BASE_URL: upstream.baseUrl });
  const headers = { authorization: 'Bearer a-key', 'content-type': 'application/json' };
  const body = JSON.stringify({ query: '{ missions(first: 100) { nodes { name } } }' });
  const ask = () => fetch(`${url}/graphql`, { method: 'POST', headers, body });
  // On both paths: that of a new query, and that of a known one.
  const slow = [await ask(), await ask()];
  program.kill('SIGTERM');
  await expect
    .poll(() =>
      fetch(`${url}/health`).then(
        () => 'served',
        () => 'refused',
      ),
    )
    .toBe('refused');
  for (const response of slow) expect((await response.text()).length).toBeGreaterThan(rows.length * name.length);
  expect(await program.ending).toEqual([0, null]);
});

concurrently(
  'a stop under load answers every request of connections that are kept',
  async ({ expect, onTestFinished }) => {
    const upstream = await startHoldingUpstream(onTestFinished);
    upstream.give();
    const { program, url } = await startGateway(onTestFinished, { UPSTREAM_BASE_URL: upstream.baseUrl });
    const agent = keptAgent(onTestFinished, 20);
    const outcomes: string[] = [];
    let refused = 0;
    const work = async (): Promise<void> => {
      while (refused === 0) {
        const outcome = await get(missions(url), { agent }).then(
          ({ status, body }) => (body === seven ? String(status) : body),
          ({ code }) => code as string,
        );
        if (outcome === 'refused') refused = performance.now();
        else outcomes.push(outcome);
      }
    };
    const load = Array.from({ length: 20 }, work);
    await expect.poll(() => outcomes.length).toBeGreaterThan(200);
    const stopped = performance.now();
    program.kill('SIGTERM');
    expect(await program.ending).toEqual([0, null]);
    expect(performance.now() - stopped).toBeLessThan(10_000);
    await Promise.all(load);
    expect([...new Set(outcomes)]).toEqual(['200']);
    // Whoever spreads the load has had time to see that this one is not ready any more.
    expect(refused - stopped).toBeGreaterThan(400);
  },
);

concurrently(
  'a start under load answers every request from the moment that it says so',
  async ({ expect, onTestFinished }) => {
    const upstream = await startHoldingUpstream(onTestFinished);
    upstream.give();
    const placeholder = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => placeholder.once('listening', resolve));
    const { port } = placeholder.address() as AddressInfo;
    await new Promise((resolve) => placeholder.close(resolve));

    const url = `http://127.0.0.1:${port}`;
    const over = new AbortController();
    const early: string[] = [];
    const knock = async (): Promise<void> => {
      while (!over.signal.aborted)
        early.push(
          await get(missions(url)).then(
            ({ body }) => body,
            ({ code }) => code as string,
          ),
        );
    };
    const load = Array.from({ length: 2 }, knock);
    const program = startProgram('src/main.ts', { PORT: String(port), UPSTREAM_BASE_URL: upstream.baseUrl });
    onTestFinished(() => program[Symbol.asyncDispose]());
    await program.printed(listening);
    const first = await Promise.all(Array.from({ length: 50 }, () => get(missions(url))));
    expect(first.map(({ status, body }) => `${status} ${body}`)).toEqual(
      Array.from({ length: 50 }, () => `200 ${seven}`),
    );
    over.abort();
    await Promise.all(load);
    // Before the process listened, connections were refused; none was accepted and then dropped.
    expect([...new Set(early)].sort()).toEqual(['refused', seven]);
  },
);

test('a stop responds to requests that wait for a silent upstream, before its time is up', async ({
  expect,
  onTestFinished,
}) => {
  const upstream = await startHoldingUpstream(onTestFinished);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const settings = { UPSTREAM_TIMEOUT_MS: '60000', OPERATION_TIMEOUT_MS: '60000' };
  const gateway = await startInProcess(upstream.baseUrl, settings);
  const waiting = get(missions(gateway.url));
  await expect.poll(() => upstream.requests.length).toBe(1);
  const closing = gateway.close();
  vi.advanceTimersByTime(8_600);
  expect(JSON.parse((await waiting).body)).toMatchObject({
    data: { missions: null },
    errors: [{ path: ['missions'], extensions: { code: 'UPSTREAM_UNAVAILABLE', retryable: true } }],
  });
  await closing;
});

concurrently('a stop ends streams of live deliveries, in time', async ({ expect, onTestFinished }) => {
  // In front of its own sandbox, to which a delivery comes every five seconds.
  const { program, url } = await startGateway(onTestFinished, { SUBSCRIPTION_POLL_MS: '20' });
  const streams = await Promise.all(
    ['key-a', 'key-b'].map((key) => subscribe({ url }, 'subscription { webhookDeliveries { startedAt } }', { key })),
  );
  for (const { events } of streams) await expect.poll(() => events).not.toEqual([]);
  const stopped = performance.now();
  program.kill('SIGTERM');
  expect(await program.ending).toEqual([0, null]);
  // Streams that were waited for would be given up half a second later.
  expect(performance.now() - stopped).toBeLessThan(8_000);
  for (const { events, ended } of streams) {
    await ended;
    expect(events[0]?.data.data.webhookDeliveries.startedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    expect(events.slice(-2)).toMatchObject([
      { name: 'next', data: { errors: [{ extensions: { code: 'UPSTREAM_UNAVAILABLE', retryable: true } }] } },
      { name: 'complete' },
    ]);
  }
  expect(program.err).toBe('');
});
