import { describe, test, type TestContext } from 'vitest';
import { all, idsOf } from '../live/subscription.ts';
import { subscribe, type EventStream } from '../support/event-stream.ts';
import { openSocket } from '../support/graphql-socket.ts';
import { GrowingDeliveries } from '../support/growing-deliveries.ts';
import { get } from '../support/http.ts';
import { valueOf } from '../support/metrics.ts';
import { main, startGatewayProgram, startProgram } from '../support/process.ts';
import { startScriptedUpstream, type Script } from '../support/scripted-upstream.ts';

const concurrently = test.concurrent;
type CleanUp = TestContext['onTestFinished'];
type Environment = Readonly<Record<string, string>>;

// Time limits have tests of their own.
const patient = {
  UPSTREAM_QUEUE_TIMEOUT_MS: '60000',
  UPSTREAM_TIMEOUT_MS: '60000',
  OPERATION_TIMEOUT_MS: '100000',
};
const preload = `--import=${new URL('preload/worker-fault.ts', import.meta.url).href}`;
const seven: Script = () => ({ json: { data: [{ mission_id: 'a' }], meta: { total_results: 7 } } });
const sevenText = '{"data":{"missions":{"totalCount":7}}}';
const missionsAt = (url: string): string => `${url}/graphql?query={missions(first:1){totalCount}}`;

/** Starts a gateway of workers before a scripted upstream, with planted faults. */
async function startWorkers(cleanUp: CleanUp, env: Environment = {}, script = seven) {
  const upstream = await startScriptedUpstream();
  cleanUp(() => upstream.close());
  upstream.script(script);
  // Keys that nobody has accepted share a quarter of the calls, and tests ask with many at once.
  const settings = {
    WORKERS: '2',
    UPSTREAM_MAX_CONCURRENCY: '2000',
    UPSTREAM_BASE_URL: upstream.baseUrl,
    NODE_OPTIONS: preload,
    ...patient,
    ...env,
  };
  const { program, url } = await startGatewayProgram(settings);
  cleanUp(() => program[Symbol.asyncDispose]());
  const metric = (name: string, labels = {}) => valueOf({ url }, `switchboard_${name}`, labels);
  return { program, url, upstream, metric };
}

/** Starts one that does not come to serve. */
function startUnready(cleanUp: CleanUp, env: Environment) {
  const program = startProgram(main, { PORT: '0', EXPLORER: 'false', WORKERS: '2', NODE_OPTIONS: preload, ...env });
  cleanUp(() => program[Symbol.asyncDispose]());
  return program;
}

/** Sends so many requests side by side, each of a caller and a connection of its own; returns their texts. */
async function crowd(url: string, count: number): Promise<readonly string[]> {
  const keys = Array.from({ length: count }, (_, index) => `key-${index}`);
  return Promise.all(keys.map(async (key) => (await get(missionsAt(url), { key })).text));
}

/** An upstream's script that holds its responses until `give` is called, and knows how many it held at most. */
function holding() {
  const giving = Promise.withResolvers<undefined>();
  const held = { now: 0, most: 0 };
  const script: Script = async (request) => {
    held.most = Math.max(held.most, ++held.now);
    await giving.promise;
    held.now -= 1;
    return seven(request);
  };
  return { held, script, give: () => giving.resolve(undefined) };
}

interface LogLine {
  readonly msg: string;
  readonly endpoint?: string;
  readonly waitMs?: number;
}

function linesOf(out: string): readonly LogLine[] {
  return out.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as LogLine] : []));
}

/** The milliseconds before each replacement so far. */
function waitsIn(out: string): readonly (number | undefined)[] {
  return linesOf(out).flatMap(({ msg, waitMs }) => (msg === 'a worker has ended and is replaced' ? [waitMs] : []));
}

describe('WORKERS=2', () => {
  concurrently(
    'is one process: one port, one count, one line of the log for each request, one end',
    async (context) => {
      const { expect, onTestFinished } = context;
      const { give, script } = holding();
      const { program, url, upstream } = await startWorkers(onTestFinished, { ADMIN_PORT: '0' }, script);
      const [, adminUrl = ''] = await program.printed(/Probes and metrics: (http:\/\/[\d.]+:\d+)/);
      const metric = (name: string, labels = {}) => valueOf({ url: adminUrl }, `switchboard_${name}`, labels);
      // Equal calls that are under way together are one call of each worker: the system spreads connections over both.
      const equal = Promise.all(Array.from({ length: 50 }, () => get(missionsAt(url))));
      await expect.poll(() => upstream.requests.length).toBe(2);
      give();
      expect(new Set((await equal).map(({ text }) => text))).toEqual(new Set([sevenText]));
      expect(new Set(await crowd(url, 50))).toEqual(new Set([sevenText]));
      const labels = { endpoint: '/graphql', status: '200' };
      for (let round = 0; round < 5; round++)
        expect(await metric('http_request_duration_seconds_count', labels)).toBe(100);
      expect(await metric('workers')).toBe(2);
      expect((await get(`${url}/metrics`)).status).toBe(404);
      for (const path of ['/health', '/ready']) expect((await get(adminUrl + path)).status).toBe(200);

      const sockets = await Promise.all(Array.from({ length: 20 }, () => openSocket({ url })));
      for (const socket of sockets) socket.subscribe('1', { query: '{ missions { totalCount } }' });
      for (const socket of sockets) expect(JSON.stringify((await socket.next('1')).payload)).toBe(sevenText);
      expect(await metric('websockets')).toBe(20);
      program.kill('SIGTERM');
      for (const { closed } of sockets) expect((await closed).code).toBe(1001);
      expect(await program.ending).toEqual([0, null]);
      expect(program.err).toBe('');
      expect(linesOf(program.out).filter(({ endpoint }) => endpoint === '/graphql')).toHaveLength(100);
    },
  );

  concurrently('makes no more calls at once than UPSTREAM_MAX_CONCURRENCY', async ({ expect, onTestFinished }) => {
    const { give, held, script } = holding();
    // A quarter of it is for keys that nobody has accepted.
    const { url } = await startWorkers(onTestFinished, { UPSTREAM_MAX_CONCURRENCY: '24' }, script);
    const outcomes = crowd(url, 60);
    await expect.poll(() => held.now).toBe(6);
    give();
    expect(new Set(await outcomes)).toEqual(new Set([sevenText]));
    expect(held.most).toBe(6);
  });

  concurrently(
    'stops the calls of a caller whose rate limit one worker has met',
    async ({ expect, onTestFinished }) => {
      let isLimited = false;
      const { url, upstream } = await startWorkers(onTestFinished, { UPSTREAM_RETRIES: '0' }, (request) =>
        isLimited ? { status: 429, headers: { 'retry-after': '60' }, json: { errors: [] } } : seven(request),
      );
      const ask = async (key: string, times: number) =>
        (await Promise.all(Array.from({ length: times }, () => get(missionsAt(url), { key })))).map(({ text }) => text);
      // So that both workers know both callers: of forty connections, one has none in one of a billion runs.
      for (const key of ['busy', 'other']) await ask(key, 40);
      isLimited = true;
      expect((await ask('busy', 1))[0]).toContain('RATE_LIMITED');
      isLimited = false;
      const refused = async () => (await ask('busy', 40)).filter((text) => text.includes('RATE_LIMITED')).length;
      // The other worker hears of it a moment later.
      await expect.poll(refused).toBe(40);
      const before = upstream.requests.length;
      expect([await refused(), upstream.requests.length]).toEqual([40, before]);
      expect(await ask('other', 1)).toEqual([sevenText]);
    },
  );

  concurrently('polls a list once in each worker for all streams, and loses nothing with a worker', async (context) => {
    const { expect, onTestFinished } = context;
    const deliveries = new GrowingDeliveries();
    deliveries.add([1, 2, 3]);
    let polls = { now: 0, most: 0 };
    const { url, metric } = await startWorkers(onTestFinished, { SUBSCRIPTION_POLL_MS: '100' }, async (request) => {
      polls.most = Math.max(polls.most, ++polls.now);
      await new Promise(setImmediate);
      polls.now -= 1;
      return deliveries.answer(request);
    });
    // All of one worker: in one of half a million runs.
    const streams = await Promise.all(Array.from({ length: 20 }, () => subscribe({ url }, all)));
    polls = { now: 0, most: 0 };
    const ended = new Set<EventStream>();
    for (const stream of streams) void stream.ended.then(() => ended.add(stream));
    const sent: string[] = [];
    const add = async (seconds: number[]): Promise<void> => {
      sent.push(...deliveries.add(seconds));
      const isTold = (stream: EventStream) => ended.has(stream) || idsOf(stream).length === sent.length;
      await expect.poll(() => streams.every(isTold)).toBe(true);
    };
    for (let round = 0; round < 3; round++) await add([10 + round, 10.5 + round]);
    expect(ended.size).toBe(0);
    expect(polls.most).toBeLessThanOrEqual(2);
    await get(`${url}/fault/exit`);
    await add([21]);
    await expect.poll(() => metric('replaced_workers_total')).toBe(1);
    await expect.poll(() => metric('workers')).toBe(2);
    await add([22]);
    expect(ended.size).toBeLessThan(streams.length);
    for (const stream of streams) {
      expect(idsOf(stream)).toEqual(sent.slice(0, idsOf(stream).length));
      stream.close();
    }
  });
});

describe('a worker that ends', () => {
  concurrently('costs its own requests alone, and is replaced', async ({ expect, onTestFinished }) => {
    const { give, script } = holding();
    const { program, url, metric, upstream } = await startWorkers(onTestFinished, {}, script);
    const underWay = crowd(url, 60);
    await expect.poll(() => upstream.requests.length).toBe(60);
    const counted = () => metric('http_request_duration_seconds_count', { endpoint: '/health', status: '200' });
    for (let sent = 0; sent < 30; sent++) await get(`${url}/health`);
    await expect.poll(counted).toBe(30);
    expect(await get(`${url}/fault/exit`)).toMatchObject({ status: 0 });
    await expect.poll(() => metric('replaced_workers_total')).toBe(1);
    give();
    const texts = await underWay;
    expect([...new Set(texts)].sort()).toEqual(['ECONNRESET', sevenText].sort());
    expect(new Set(await crowd(url, 20))).toEqual(new Set([sevenText]));
    // The counts of the worker that has ended are still in the sum.
    expect(await counted()).toBe(30);
    expect(waitsIn(program.out)).toEqual([100]);
    program.kill('SIGTERM');
    expect(await program.ending).toEqual([0, null]);
    expect(program.err).toBe('');
  });

  concurrently('never, since it hangs, holds up neither metrics nor the stop', async ({ expect, onTestFinished }) => {
    const { program, url, metric } = await startWorkers(onTestFinished);
    void get(`${url}/fault/hang`);
    // Half of all connections go to the worker that hangs: of ten, one is answered.
    expect(await Promise.any(Array.from({ length: 30 }, () => metric('workers')))).toBeGreaterThan(0);
    program.kill('SIGTERM');
    expect(await program.ending).toEqual([0, null]);
  });

  concurrently(
    'by an exception finishes its requests, while the process stays ready',
    async ({ expect, onTestFinished }) => {
      const { give, script } = holding();
      const { program, url, metric, upstream } = await startWorkers(onTestFinished, {}, script);
      const underWay = crowd(url, 60);
      await expect.poll(() => upstream.requests.length).toBe(60);
      await get(`${url}/fault/throw`);
      for (let round = 0; round < 20; round++) expect(await get(`${url}/ready`)).toMatchObject({ status: 200 });
      await expect.poll(() => metric('replaced_workers_total')).toBe(1);
      expect(await metric('unhandled_total')).toBe(1);
      give();
      expect(new Set(await underWay)).toEqual(new Set([sevenText]));
      program.kill('SIGTERM');
      expect(await program.ending).toEqual([0, null]);
      expect(program.out).not.toMatch(/test-key/);
    },
  );

  concurrently(
    'at each start is tried again less and less often, and the others serve',
    async ({ expect, onTestFinished }) => {
      const { program, url } = await startWorkers(onTestFinished, { FAULT_AT_START: 'later' });
      await expect.poll(() => waitsIn(program.out).length).toBeGreaterThan(3);
      expect(waitsIn(program.out).slice(0, 4)).toEqual([100, 200, 400, 800]);
      expect(new Set(await crowd(url, 20))).toEqual(new Set([sevenText]));
      // This stop falls into the wait for a replacement.
      program.kill('SIGTERM');
      expect(await program.ending).toEqual([0, null]);
    },
  );
});

describe('a start of workers that cannot be', () => {
  concurrently('ends with 1 and one line where they fail', async ({ expect, onTestFinished }) => {
    const program = startUnready(onTestFinished, { FAULT_AT_START: 'all' });
    expect(await program.ending).toEqual([1, null]);
    expect(program.err).toMatch(/^Switchboard cannot start: a worker has ended while it started[^\n]*\n$/);
    expect(program.out).toBe('');
  });

  concurrently('ends with 1 and one line where another gateway has the port', async ({ expect, onTestFinished }) => {
    const { url } = await startWorkers(onTestFinished);
    const program = startUnready(onTestFinished, { PORT: new URL(url).port });
    expect(await program.ending).toEqual([1, null]);
    expect(program.err).toMatch(/^[^\n]*PORT[^\n]*EADDRINUSE[^\n]*\n$/);
  });
});
