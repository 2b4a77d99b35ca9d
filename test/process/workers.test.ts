import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { watchForHanging, pingMs, hungAfterPings } from '../../src/workers/workers.ts';
import { all, idsOf } from '../live/subscription.ts';
import { subscribe, type EventStream, openSocket } from '../support/streams.ts';
import { GrowingDeliveries } from '../support/moving-upstream.ts';
import { get } from '../support/http.ts';
import { valueOf } from '../support/metrics.ts';
import { patient } from '../support/gateway.ts';
import { startGatewayProgram } from '../support/process.ts';
import { startScriptedUpstream, type Script } from '../support/scripted-upstream.ts';

type Environment = Readonly<Record<string, string>>;

const preload = `--import=${new URL('preload/worker-fault.ts', import.meta.url).href}`;
const seven: Script = () => ({ json: { data: [{ mission_id: 'a' }], meta: { total_results: 7 } } });
const sevenText = '{"data":{"missions":{"totalCount":7}}}';
const missionsAt = (url: string): string => `${url}/graphql?query={missions(first:1){totalCount}}`;

/** Starts a gateway of two workers before a scripted upstream, with planted faults. */
async function startWorkers(env: Environment = {}) {
  const upstream = await startScriptedUpstream();
  upstream.script(seven);
  const settings = { WORKERS: '2', UPSTREAM_MAX_CONCURRENCY: '2000', NODE_OPTIONS: preload, ...patient };
  const { program, url } = await startGatewayProgram({ ...settings, UPSTREAM_BASE_URL: upstream.baseUrl, ...env });
  const metric = (name: string, labels = {}) => valueOf({ url }, `switchboard_${name}`, labels);
  const close = async () => {
    await program[Symbol.asyncDispose]();
    await upstream.close();
  };
  return { program, url, upstream, metric, close };
}

/** Starts one that ends with its test. */
async function startOwn(env: Environment) {
  const workers = await startWorkers(env);
  onTestFinished(workers.close);
  return workers;
}

let callers = 0;

/** Sends so many requests side by side, each of a new caller and a connection of its own; returns their texts. */
async function crowd(url: string, count: number): Promise<readonly string[]> {
  const keys = Array.from({ length: count }, () => `key-${callers++}`);
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

test('a gateway of workers is one process: one port, one count, one line of the log for each request, one end', async () => {
  const { give, script } = holding();
  const { program, url, upstream } = await startOwn({ ADMIN_PORT: '0' });
  upstream.script(script);
  const [, adminUrl = ''] = await program.printed(/Probes and metrics: (http:\/\/[\d.]+:\d+)/);
  const metric = (name: string, labels = {}) => valueOf({ url: adminUrl }, `switchboard_${name}`, labels);
  // Equal calls that are under way together are one call of each worker: the system spreads connections over both.
  const equal = Promise.all(Array.from({ length: 50 }, () => get(missionsAt(url))));
  await expect.poll(() => upstream.requests.length).toBe(2);
  give();
  expect(new Set((await equal).map(({ text }) => text))).toEqual(new Set([sevenText]));
  const labels = { endpoint: '/graphql', status: '200' };
  for (let round = 0; round < 5; round++) expect(await metric('http_request_duration_seconds_count', labels)).toBe(50);
  expect([await metric('workers'), await metric('build_info')]).toEqual([2, 1]);
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
  expect(program.out.match(/"endpoint":"\/graphql"/g)).toHaveLength(50);
});

describe('two workers', () => {
  let workers: Awaited<ReturnType<typeof startWorkers>>;
  // A quarter of the calls is for keys that nobody has accepted.
  const heldAtMost = 6;
  const settings = {
    UPSTREAM_MAX_CONCURRENCY: '24',
    UPSTREAM_QUEUE_SIZE: '9000',
    UPSTREAM_RETRIES: '0',
    SUBSCRIPTION_POLL_MS: '100',
  };
  beforeAll(async () => void (workers = await startWorkers(settings)));
  afterAll(() => workers.close());

  /** Does something, and waits until a worker has been replaced after it. */
  async function replaces(act: () => Promise<unknown>): Promise<void> {
    const { metric } = workers;
    const before = (await metric('replaced_workers_total')) ?? 0;
    await act();
    await expect.poll(() => metric('replaced_workers_total')).toBe(before + 1);
  }

  /** Has more and more callers ask, until as many calls are under way as may be: a new worker serves a while after it counts. */
  async function beginCrowd() {
    const { held, script, give } = holding();
    workers.upstream.script(script);
    const asked: Promise<readonly string[]>[] = [];
    const ask = (): number => (asked.push(crowd(workers.url, 3)), held.now);
    await expect.poll(ask).toBe(heldAtMost);
    return { held, outcomes: async () => new Set((await Promise.all(asked)).flat()), give };
  }

  test('make no more calls at once than UPSTREAM_MAX_CONCURRENCY', async () => {
    const { held, outcomes, give } = await beginCrowd();
    give();
    expect(await outcomes()).toEqual(new Set([sevenText]));
    expect(held.most).toBe(heldAtMost);
  });

  test('stop the calls of a caller whose rate limit one of them has met', async () => {
    const { url, upstream } = workers;
    let isLimited = false;
    upstream.script((request) =>
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
  });

  test('poll a list once each for all streams, and lose nothing with a worker', async () => {
    const { url, upstream } = workers;
    const deliveries = new GrowingDeliveries();
    deliveries.add([1, 2, 3]);
    let polls = { now: 0, most: 0 };
    upstream.script(async (request) => {
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
    await replaces(() => get(`${url}/fault/exit`));
    await add([21]);
    expect(ended.size).toBeLessThan(streams.length);
    for (const stream of streams) {
      expect(idsOf(stream)).toEqual(sent.slice(0, idsOf(stream).length));
      stream.close();
    }
  });

  test('lose the requests of one that ends only, and none of its counts', async () => {
    const { url, metric } = workers;
    const counted = () => metric('http_request_duration_seconds_count', { endpoint: '/health', status: '200' });
    for (let sent = 0; sent < 30; sent++) await get(`${url}/health`);
    await expect.poll(counted).toBe(30);
    const { outcomes, give } = await beginCrowd();
    await replaces(async () => expect(await get(`${url}/fault/exit`)).toMatchObject({ status: 0 }));
    give();
    expect(await outcomes()).toEqual(new Set(['ECONNRESET', sevenText]));
    expect(new Set(await crowd(url, 20))).toEqual(new Set([sevenText]));
    expect(await counted()).toBe(30);
  });

  test('lose no request of one that ends by an exception, and stay ready', async () => {
    const { program, url, metric } = workers;
    const { outcomes, give } = await beginCrowd();
    await replaces(async () => {
      await get(`${url}/fault/throw`);
      for (let round = 0; round < 20; round++) expect(await get(`${url}/ready`)).toMatchObject({ status: 200 });
      // Before its stop, which begins at once, ends what it still waits for.
      give();
      expect(await outcomes()).toEqual(new Set([sevenText]));
    });
    await expect.poll(() => metric('unhandled_total')).toBe(1);
    expect(program.out).not.toMatch(/test-key/);
  });
});

/** What a worker says to each ping, and whether it is given up. */
const late = pingMs * (hungAfterPings - 1);
test.for<readonly [what: string, answer: () => Promise<void>, gaveUp: number]>([
  ['answers', () => Promise.resolve(), 0],
  ['answers late, or had no time to', () => new Promise((resolve) => setTimeout(resolve, late)), 0],
  ['does not answer', () => new Promise(() => {}), 1],
])('a worker that %s is given up at most once', async ([, answer, gaveUp]) => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const giveUp = vi.fn<() => void>();
  watchForHanging(answer, giveUp);
  await vi.advanceTimersByTimeAsync(pingMs * hungAfterPings);
  expect(giveUp).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(pingMs * 100);
  expect(giveUp).toHaveBeenCalledTimes(gaveUp);
});
