import { onTestFinished, vi } from 'vitest';
import { GatewayError } from '../../../src/errors.ts';
import { StagedClient } from '../../../src/upstream/client.ts';
import { createKnownCallers } from '../../../src/upstream/stages/known-callers.ts';
import { RateLimits } from '../../../src/upstream/stages/rate-limit.ts';
import type { ResponseHeaders } from '../../../src/upstream/response/wire-response.ts';
import { describe, expect, test } from '../../support/gateway.ts';
import { healthyReply } from '../../support/records.ts';
import { refusal } from '../../support/scripted-upstream.ts';
import { callerOf, createScriptedTransport, everybodyKnown, get, thing, type WireCall } from '../client-harness.ts';

const start = Date.UTC(2026, 10, 20);

/** A client with this stage alone, before a wire and a clock that the test decides on. */
function setUp() {
  const world = { time: start, jumpedMs: 0, decide: (_call: WireCall): void => {} };
  const transport = createScriptedTransport((wireCall) => world.decide(wireCall));
  const limits = new RateLimits({ known: everybodyKnown, now: () => world.time });
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => world.time + world.jumpedMs);
  onTestFinished(() => clock.mockRestore());
  const client = new StagedClient(transport, [limits.respect]);
  let calls = 0;

  /** Calls, and tells the seconds to wait where the call was not sent; null where it was. */
  async function call(key = 'a'): Promise<number | null> {
    const before = transport.paths.length;
    const error: unknown = await get(client, thing(calls++), callerOf(key)).catch((reason: unknown) => reason);
    if (transport.paths.length > before) return null;
    expect(error).toMatchObject({ code: 'RATE_LIMITED', retryable: true });
    return (error as GatewayError).details.retryAfterSeconds ?? Number.NaN;
  }

  function answers(status: number, headers: ResponseHeaders = {}): void {
    world.decide = (wireCall) => wireCall.answer(status, {}, headers);
  }

  return { transport, world, call, answers };
}

describe('a used-up rate limit', () => {
  const leavesNone = (reset: string): ResponseHeaders => ({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset });

  // In which forms a reset is told: rate-limit-fields.test.ts.
  test.for<[string, number, ResponseHeaders, number]>([
    ['by a 429', 429, { 'retry-after': '30' }, 30],
    ['with the last good answer', 200, leavesNone('20'), 20],
    ['with a failure', 500, leavesNone('5'), 5],
    ['for longer than is believed', 429, { 'retry-after': '86400' }, 300],
  ])('%s: calls fail here until the reset', async ([, status, headers, seconds]) => {
    const { call, answers, world, transport } = setUp();
    answers(status, headers);
    expect(await call()).toBe(null);
    answers(200);
    expect(await call()).toBe(seconds);
    world.time = start + seconds * 1000 - 1;
    expect(await call()).toBe(1);
    expect(transport.paths).toHaveLength(1);
    world.time = start + seconds * 1000;
    expect(await call()).toBe(null);
    expect(await call()).toBe(null);
  });

  test.for([-3_600_000, 3_600_000])('lasts as long when the clock jumps by %d ms', async (jumpMs) => {
    const { call, answers, world } = setUp();
    answers(429, { 'retry-after': '60' });
    expect(await call()).toBe(null);
    world.jumpedMs = jumpMs;
    expect(await call()).toBe(60);
    world.time = start + 60_000;
    expect(await call()).toBe(null);
  });

  test('stays used up when a late response names an earlier reset', async () => {
    const { call, world, transport } = setUp();
    const calls = [call(), call()];
    const [first, second] = [...transport.pending];
    second?.answer(200, {}, leavesNone('60'));
    first?.answer(200, {}, leavesNone('1'));
    await Promise.all(calls);
    world.time = start + 1_000;
    expect(await call()).toBe(59);
  });
});

test('a used-up rate limit tells when to come back, and costs no call', async ({ gateway, upstream }) => {
  const summaryOf = (month: string) =>
    `{ chargesSummary(startDate: "2026-${month}-01", endDate: "2026-${month}-08") { currency } }`;
  upstream.script((request) =>
    request.headers.authorization === 'Bearer busy'
      ? { ...refusal(429, '10011', 'Slow down'), headers: { 'retry-after': '60' } }
      : healthyReply(request),
  );
  const { errors: told } = await gateway.query(summaryOf('10'), { key: 'busy' });
  const fault = { code: 'RATE_LIMITED', retryable: true };
  expect(told).toMatchObject([{ extensions: { ...fault, retryAfterSeconds: 60, upstream: { status: 429 } } }]);
  for (const month of ['10', '09']) {
    const { errors } = await gateway.query(summaryOf(month), { key: 'busy' });
    expect(errors).toMatchObject([{ extensions: fault }]);
    const { retryAfterSeconds, upstream: own } = errors[0].extensions;
    expect([retryAfterSeconds > 50, retryAfterSeconds <= 60, 'status' in own]).toEqual([true, true, false]);
  }
  expect(upstream.requests).toHaveLength(1);
  // Another caller, and another endpoint.
  expect((await gateway.query(summaryOf('10'), { key: 'other' })).errors).toEqual([]);
  const { errors } = await gateway.query('{ missions { totalCount } }', { key: 'busy' });
  expect(errors).toMatchObject([{ extensions: { upstream: { status: 429 } } }]);
  expect(upstream.requests).toHaveLength(3);
});

test('a rate limit stops calls that wait for a slot when it is found used up', async ({ startWith, upstream }) => {
  const gateway = await startWith({ UPSTREAM_MAX_CONCURRENCY: '1' });
  upstream.script(() => ({ status: 429, headers: { 'retry-after': '60' } }));
  const fields = Array.from({ length: 20 }, (_, n) => `f${n}: ipConnections(filter: { fqdn: "${n}" }) { totalCount }`);
  const { errors } = await gateway.query(`{ ${fields.join(' ')} }`);
  expect(errors.map(({ extensions }) => extensions.code)).toEqual(Array(20).fill('RATE_LIMITED'));
  expect(upstream.requests).toHaveLength(1);
  expect(JSON.parse(gateway.log.at(-1) ?? '')).toMatchObject({ upstreamCalls: 1 });
});

test('ten thousand strangers with used-up rate limits make the gateway forget no known caller’s', async () => {
  const known = createKnownCallers();
  const transport = createScriptedTransport(({ key, answer }) => {
    const status = key === 'good' && transport.paths.length === 1 ? 200 : 429;
    known.learn(callerOf(key).identity, status);
    answer(status, {}, { 'retry-after': '60' });
  });
  const client = new StagedClient(transport, [new RateLimits({ known, now: () => 1 }).respect]);
  const call = (key: string) =>
    get(client, thing(transport.paths.length), callerOf(key)).catch((error: unknown) => error);
  await call('good');
  await call('good');
  for (let n = 0; n < 10_000; n++) await call(`made-up-${n}`);
  const sent = transport.paths.length;
  expect(await call('good')).toMatchObject({ code: 'RATE_LIMITED', details: { retryAfterSeconds: 60 } });
  expect(await call('made-up-9999')).toMatchObject({ code: 'RATE_LIMITED' });
  expect(transport.paths).toHaveLength(sent);
  // No more of them are remembered than their share.
  await call('made-up-0');
  expect(transport.paths).toHaveLength(sent + 1);
});

test('a caller is known after a success, a stranger again after a 401, and the same as before after anything else', () => {
  for (const accepting of [200, 204]) {
    const known = createKnownCallers();
    const others = [300, 400, 403, 404, 422, 429, 500, 503];
    const states = [401, ...others, accepting, ...others, 401].map((status) => {
      known.learn('a', status);
      known.learn('b', 401);
      return [known.has('a'), known.has('b')].join();
    });
    expect(states).toEqual([...Array(9).fill('false,false'), ...Array(9).fill('true,false'), 'false,false']);
  }
});
