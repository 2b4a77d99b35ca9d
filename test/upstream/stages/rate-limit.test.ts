import { describe } from 'vitest';
import { GatewayError } from '../../../src/errors.ts';
import { createClient } from '../../../src/upstream/client.ts';
import { RateLimits } from '../../../src/upstream/stages/rate-limit.ts';
import type { ResponseHeaders } from '../../../src/upstream/response/wire-response.ts';
import { expect, test } from '../../support/gateway.ts';
import { healthyReply, rootFields } from '../../support/root-fields.ts';
import { callerOf, createScriptedTransport, thing, type WireCall } from '../client-harness.ts';

const start = Date.UTC(2026, 10, 20);

/** A client with this stage alone, before a wire and a clock that the test decides on. */
function setUp() {
  const world: { time: number; jumpedMs: number; decide: (call: WireCall) => void } = {
    time: start,
    jumpedMs: 0,
    decide: () => {},
  };
  const transport = createScriptedTransport((wireCall) => world.decide(wireCall));
  const limits = new RateLimits({ now: () => world.time, date: () => world.time + world.jumpedMs });
  const client = createClient(transport, [limits.respect]);
  let calls = 0;

  /** Calls, and tells the seconds to wait where the call was not sent; null where it was. */
  async function call(key = 'a'): Promise<number | null> {
    const before = transport.paths.length;
    const error: unknown = await client.get(thing(calls++), callerOf(key)).catch((reason: unknown) => reason);
    if (transport.paths.length > before) return null;
    expect(error).toMatchObject({ code: 'RATE_LIMITED', retryable: true });
    return (error as GatewayError).retryAfterSeconds ?? Number.NaN;
  }

  function answers(status: number, headers: ResponseHeaders = {}): void {
    world.decide = (wireCall) => wireCall.answer(status, {}, headers);
  }

  return { transport, world, call, answers };
}

const inSeconds = (seconds: number): string => String(start / 1000 + seconds);

describe('a used-up rate limit', () => {
  test.for<[string, number, ResponseHeaders, number]>([
    ['by a 429 with a span', 429, { 'retry-after': '30' }, 30],
    ['by a 429 with a span to the reset', 429, { 'x-ratelimit-reset': '12' }, 12],
    ['by a 429 with the moment of the reset', 429, { 'x-ratelimit-reset': inSeconds(45) }, 45],
    ['by a 429 whose Retry-After counts most', 429, { 'retry-after': '7', 'x-ratelimit-reset': '60' }, 7],
    ['with the last good answer, by a span', 200, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '20' }, 20],
    [
      'with the last good answer, by a moment',
      200,
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': inSeconds(90) },
      90,
    ],
    ['with a failure', 500, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '5' }, 5],
    ['for a fraction of a second', 200, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '0.5' }, 1],
    ['for longer than is believed', 429, { 'retry-after': '86400' }, 300],
    ['until a moment in the next century', 429, { 'x-ratelimit-reset': '9999999999' }, 300],
  ])('%s: calls fail here until the reset', async ([, status, headers, seconds]) => {
    const { call, answers, world, transport } = setUp();
    answers(status, headers);
    expect(await call()).toBe(null);
    answers(200);
    expect(await call()).toBe(seconds);
    const reset = headers['x-ratelimit-reset'] === '0.5' ? 500 : seconds * 1000;
    world.time = start + reset - 1;
    expect(await call()).toBe(1);
    expect(transport.paths).toHaveLength(1);
    world.time = start + reset;
    expect(await call()).toBe(null);
    expect(await call()).toBe(null);
  });

  test.for([-3_600_000, -60_000, 45_000, 3_600_000])('lasts as long when the clock jumps by %d ms', async (jumpMs) => {
    const { call, answers, world } = setUp();
    answers(429, { 'retry-after': '60' });
    expect(await call()).toBe(null);
    world.jumpedMs = jumpMs;
    expect(await call()).toBe(60);
    world.time = start + 60_000;
    expect(await call()).toBe(null);
  });

  test('is told as a moment of the clock, wherever this has jumped', async () => {
    const { call, answers, world } = setUp();
    world.jumpedMs = 3_600_000;
    answers(429, { 'x-ratelimit-reset': inSeconds(3_600 + 30) });
    expect(await call()).toBe(null);
    expect(await call()).toBe(30);
  });

  test('does not affect other callers', async () => {
    const { call, answers } = setUp();
    answers(429, { 'retry-after': '60' });
    expect(await call('a')).toBe(null);
    answers(200);
    expect(await call('b')).toBe(null);
    expect(await call('a')).toBe(60);
  });

  test('stays used up when a late response names an earlier reset', async () => {
    const { client, first, second, transport } = overtaking();
    const calls = [client.get(thing(1), callerOf('a')), client.get(thing(2), callerOf('a'))];
    second(60);
    first(1);
    await Promise.allSettled(calls);
    await expect(client.get(thing(3), callerOf('a'))).rejects.toMatchObject({ retryAfterSeconds: 60 });
    expect(transport.paths).toHaveLength(2);
  });
});

/** Two calls under way, to be answered in any order with a budget used up for so many seconds. */
function overtaking() {
  const transport = createScriptedTransport();
  const client = createClient(transport, [new RateLimits({ now: () => start, date: () => start }).respect]);
  const answer = (index: number) => (seconds: number) =>
    [...transport.pending]
      .find(({ request }) => request.path.endsWith(`q=${index}`))
      ?.answer(200, {}, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(seconds) });
  return { transport, client, first: answer(1), second: answer(2) };
}

describe('a response without a usable reset stops no call', () => {
  test.for<[number, ResponseHeaders]>([
    [429, {}],
    [429, { 'retry-after': 'soon' }],
    [429, { 'retry-after': '-5' }],
    [429, { 'retry-after': '0' }],
    [429, { 'x-ratelimit-reset': inSeconds(-10) }],
    [429, { 'x-ratelimit-reset': 'tomorrow' }],
    [429, { 'x-ratelimit-reset': '1e9' }],
    [429, { 'x-ratelimit-reset': '9999999999999999' }],
    [200, { 'x-ratelimit-remaining': '0' }],
    [200, { 'x-ratelimit-remaining': '1', 'x-ratelimit-reset': '60' }],
    [200, { 'x-ratelimit-remaining': '', 'x-ratelimit-reset': '60' }],
    [200, { 'x-ratelimit-remaining': 'none', 'x-ratelimit-reset': '60' }],
    [200, { 'x-ratelimit-remaining': '-0', 'x-ratelimit-reset': '60' }],
    [200, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '-1' }],
    [200, { 'retry-after': '60' }],
    [503, { 'retry-after': '60' }],
  ])('%d %j', async ([status, headers]) => {
    const { call, answers } = setUp();
    answers(status, headers);
    expect(await call()).toBe(null);
    expect(await call()).toBe(null);
  });
});

test('the rate limits of the latest ten thousand callers are remembered', async () => {
  const { call, answers } = setUp();
  answers(429, { 'retry-after': '60' });
  for (let n = 0; n < 10_000; n++) await call(`key ${n}`);
  expect(await call('key 0')).toBe(60);
  await call('one more');
  expect(await call('key 0')).toBe(null);
  expect(await call('key 2')).toBe(60);
});

describe('the rate limit in the gateway', () => {
  const [summary, , connections] = rootFields;
  const summaryQuery = `{ ${summary?.selection} }`;
  const connectionsQuery = `{ ${connections?.selection} }`;

  test('says when to come back to its endpoint, and costs no call', async ({ gateway, upstream }) => {
    upstream.script((request) =>
      request.headers.authorization === 'Bearer busy'
        ? { status: 429, headers: { 'retry-after': '60' }, json: { errors: [{ title: 'Slow down' }] } }
        : healthyReply(request),
    );
    const first = await gateway.query(summaryQuery, { key: 'busy' });
    expect(first.errors).toMatchObject([
      { message: 'Slow down', extensions: { code: 'RATE_LIMITED', retryAfterSeconds: 60, upstream: { status: 429 } } },
    ]);
    for (const document of [
      summaryQuery,
      '{ chargesSummary(startDate: "2026-09-01", endDate: "2026-10-01") { currency } }',
    ]) {
      const { errors } = await gateway.query(document, { key: 'busy' });
      expect(errors).toHaveLength(1);
      const { code, retryable, retryAfterSeconds, upstream: fault } = errors[0].extensions;
      expect({ code, retryable }).toEqual({ code: 'RATE_LIMITED', retryable: true });
      expect(retryAfterSeconds).toBeGreaterThan(50);
      expect(retryAfterSeconds).toBeLessThanOrEqual(60);
      expect(fault).not.toHaveProperty('status');
    }
    expect(upstream.requests).toHaveLength(1);
    expect((await gateway.query(summaryQuery, { key: 'other' })).errors).toEqual([]);
    expect(upstream.requests).toHaveLength(2);
    expect((await gateway.query(connectionsQuery, { key: 'busy' })).errors).toMatchObject([
      { message: 'Slow down', extensions: { upstream: { status: 429 } } },
    ]);
    expect(upstream.requests).toHaveLength(3);
  });

  test('returns the response that used it up, and makes the next call after the reset', async ({
    gateway,
    upstream,
  }) => {
    upstream.script((request) => ({
      ...healthyReply(request),
      headers: {
        'content-type': 'application/json',
        ...(upstream.requests.length === 1 && { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '2' }),
      },
    }));
    expect((await gateway.query(summaryQuery)).errors).toEqual([]);
    const { errors } = await gateway.query(summaryQuery);
    expect(errors).toMatchObject([{ extensions: { code: 'RATE_LIMITED' } }]);
    expect([1, 2]).toContain(errors[0].extensions.retryAfterSeconds);
    expect(upstream.requests).toHaveLength(1);
    await expect.poll(async () => (await gateway.query(summaryQuery)).errors).toEqual([]);
    expect(upstream.requests).toHaveLength(2);
  });

  test('stops calls that wait for a slot when it is found used up', async ({ startWith, upstream }) => {
    const gateway = await startWith({ UPSTREAM_MAX_CONCURRENCY: '1' });
    upstream.script(() => ({ status: 429, headers: { 'retry-after': '60' } }));
    const fields = Array.from(
      { length: 20 },
      (_, n) => `f${n}: ipConnections(filter: { fqdn: "${n}" }) { nodes { id } }`,
    );
    const { errors } = await gateway.query(`{ ${fields.join(' ')} }`);
    expect(errors.map(({ extensions }) => extensions.code)).toEqual(Array(20).fill('RATE_LIMITED'));
    expect(upstream.requests).toHaveLength(1);
    expect(JSON.parse(gateway.log.at(-1) ?? '')).toMatchObject({ upstreamCalls: 1 });
  });
});
