import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import fc from 'fast-check';
import { describe } from 'vitest';
import { createClient } from '../../../src/upstream/client.ts';
import { createRetryBudget, retry } from '../../../src/upstream/stages/retry.ts';
import { UnansweredError } from '../../../src/upstream/response/wire-response.ts';
import { expect, startGateway, test } from '../../support/gateway.ts';
import { chargesSummaryRecord } from '../../support/records.ts';
import type { Reply, ScriptedUpstream } from '../../support/scripted-upstream.ts';
import { callerOf, createScriptedTransport, thing, type WireCall } from '../client-harness.ts';
import { listenOnLoopback } from '../loopback.ts';

const document = '{ chargesSummary(startDate: "2026-10-01", endDate: "2026-11-01") { currency } }';
const csv = '/exports/charges-breakdown.csv?startDate=2026-10-01&endDate=2026-11-01';
const authorization = 'Bearer test-key';
const well: Reply = { json: { data: chargesSummaryRecord() } };
const retries = { UPSTREAM_RETRIES: '2' };

/** Answers the replies in turn, the last one for good. */
function scriptInTurn(upstream: ScriptedUpstream, replies: readonly Reply[]): void {
  upstream.script(() => replies[Math.min(upstream.requests.length, replies.length) - 1] ?? well);
}

const reset: Reply = { act: (res) => void res.socket?.resetAndDestroy() };
const hangUp: Reply = { act: (res) => void res.destroy() };

describe('a retry', () => {
  test.for<[string, Reply]>([
    ['a reset before any byte', reset],
    ['an end before any byte', hangUp],
    ['502', { status: 502, text: 'bad gateway' }],
    ['503', { status: 503, json: { errors: [{ title: 'sick' }] } }],
    ['504', { status: 504 }],
    ['429 with a time to come back that fits', { status: 429, headers: { 'retry-after': '0' } }],
  ])('hides from the client: %s', async ([, fault], { startWith, upstream }) => {
    const gateway = await startWith(retries);
    scriptInTurn(upstream, [fault, fault, well]);
    const { data, errors } = await gateway.query(document);
    expect(errors).toEqual([]);
    expect(data.chargesSummary.currency).toBe('USD');
    expect(upstream.requests).toHaveLength(3);
    expect(new Set(upstream.requests.map(({ headers }) => headers['x-request-id'])).size).toBe(1);
    expect(JSON.parse(gateway.log.at(-1) ?? '')).toMatchObject({ upstreamCalls: 3 });
  });

  test('waits as long as a 429 says', async ({ startWith, upstream }) => {
    const gateway = await startWith(retries);
    const times: number[] = [];
    upstream.script(() => {
      times.push(performance.now());
      return times.length === 1 ? { status: 429, headers: { 'retry-after': '1' } } : well;
    });
    expect((await gateway.query(document)).errors).toEqual([]);
    const [first = 0, second = 0, ...more] = times;
    expect(more).toEqual([]);
    expect(second - first).toBeGreaterThanOrEqual(1000);
  });

  test('follows a connection that is not made in time', async () => {
    // TLS that is never answered belongs to connecting.
    const silent = await listenOnLoopback(createTcpServer());
    const gateway = await startGateway(silent.baseUrl('https'), { ...retries, UPSTREAM_CONNECT_TIMEOUT_MS: '20' });
    const { errors } = await gateway.query(document);
    expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_TIMEOUT', retryable: true } }]);
    await expect.poll(() => silent.connections.length).toBe(3);
    await gateway.close();
    await silent.close();
  });

  test('follows the failed beginning of an export', async ({ startWith, upstream }) => {
    const gateway = await startWith(retries);
    const discarded = Promise.withResolvers<void>();
    // An error body without an end: it is given up, or the connection would be lost for good.
    const endless: Reply = {
      act: (res) => {
        res.on('close', () => discarded.resolve());
        res.writeHead(503, { 'content-type': 'text/plain' });
        res.write('sick');
      },
    };
    scriptInTurn(upstream, [endless, reset, { text: 'tn\n1\n', headers: { 'content-type': 'text/csv' } }]);
    const response = await gateway.fetch(csv, { headers: { authorization } });
    expect(await response.text()).toBe('tn\n1\n');
    await discarded.promise;
    expect(upstream.requests).toHaveLength(3);
  });
});

describe('no retry follows', () => {
  test.for([400, 401, 408, 500, 302])('%d', async (status, { startWith, upstream }) => {
    const gateway = await startWith(retries);
    upstream.script(() => ({ status, headers: { 'retry-after': '0', location: '/' } }));
    expect((await gateway.query(document)).errors).toHaveLength(1);
    expect(upstream.requests).toHaveLength(1);
  });

  test.for<[string, Reply, string]>([
    ['429 that tells no time', { status: 429 }, 'RATE_LIMITED'],
    ['429 beyond the deadline', { status: 429, headers: { 'retry-after': '60' } }, 'RATE_LIMITED'],
    [
      '429 with a wait that is the client’s to decide on',
      { status: 429, headers: { 'retry-after': '7' } },
      'RATE_LIMITED',
    ],
    ['503 beyond the deadline', { status: 503, headers: { 'retry-after': '60' } }, 'UPSTREAM_ERROR'],
    [
      'an answer that broke off',
      { act: (res) => void res.writeHead(200).write('{"data":', () => res.destroy()) },
      'UPSTREAM_UNAVAILABLE',
    ],
    ['no JSON', { text: 'well?' }, 'UPSTREAM_BAD_RESPONSE'],
    ['headers without end', { headers: { x: 'x'.repeat(40_000) } }, 'UPSTREAM_BAD_RESPONSE'],
  ])('%s', async ([, reply, code], { startWith, upstream }) => {
    const gateway = await startWith(retries);
    upstream.script(() => reply);
    const { data, errors } = await gateway.query(document);
    expect(data).toEqual({ chargesSummary: null });
    expect(errors).toMatchObject([{ extensions: { code } }]);
    const told = reply.status === 429 ? reply.headers?.['retry-after'] : undefined;
    if (told !== undefined) expect(errors[0].extensions.retryAfterSeconds).toBe(Number(told));
    expect(upstream.requests).toHaveLength(1);
  });

  test('a time-out without a response, as the upstream may still be at work', async ({ startWith, upstream }) => {
    const gateway = await startWith({ ...retries, UPSTREAM_TIMEOUT_MS: '200' });
    upstream.script(() => ({ act: () => {} }));
    expect((await gateway.query(document)).errors).toMatchObject([{ extensions: { code: 'UPSTREAM_TIMEOUT' } }]);
    expect(upstream.requests).toHaveLength(1);
  });

  test('an export whose report has begun', async ({ startWith, upstream }) => {
    const gateway = await startWith(retries);
    upstream.script(() => ({
      act: (res) => void res.writeHead(200, { 'content-type': 'text/csv' }).write('tn\n', () => res.destroy()),
    }));
    const read = gateway.fetch(csv, { headers: { authorization } }).then((response) => response.text());
    await expect(read).rejects.toThrow();
    expect(upstream.requests).toHaveLength(1);
  });

  test('any failure past the deadline of the operation', async ({ startWith, upstream }) => {
    const gateway = await startWith({ ...retries, OPERATION_TIMEOUT_MS: '1900' });
    upstream.script(() => ({ status: 503, headers: { 'retry-after': '2' } }));
    const { errors } = await gateway.query(document);
    expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_ERROR', upstream: { status: 503 } } }]);
    expect(upstream.requests).toHaveLength(1);
  });
});

test('the body of a failed attempt is read to its end, so that its connection serves the next', async () => {
  let calls = 0;
  const server = await listenOnLoopback(
    createServer((_req, res) => {
      res.statusCode = ++calls < 3 ? 503 : 200;
      res.setHeader('content-type', 'application/json');
      res.end(calls < 3 ? 'x'.repeat(100_000) : JSON.stringify({ data: chargesSummaryRecord() }));
    }),
  );
  const gateway = await startGateway(server.baseUrl(), retries);
  expect((await gateway.query(document)).errors).toEqual([]);
  expect(calls).toBe(3);
  expect(server.connections).toHaveLength(1);
  await gateway.close();
  await server.close();
});

describe('the wait before a retry', () => {
  const refused = (call: WireCall): void => call.fail(new UnansweredError('UPSTREAM_UNAVAILABLE'));

  test.for([
    [0, 0, 0],
    [0.999, 99, 199],
  ])('is jittered in full: %d of at most 100, then 200 ms', async ([random = 0, ...waits]) => {
    const times: number[] = [];
    const late: number[] = [];
    let limit: NodeJS.Timeout | undefined;
    const transport = createScriptedTransport((call) => {
      clearTimeout(limit);
      const wait = waits[times.length];
      const attempt = times.push(performance.now());
      // However late a busy machine fires its timers, it fires them in their order.
      if (wait !== undefined) limit = setTimeout(() => late.push(attempt), wait + 50);
      refused(call);
    });
    const client = createClient(transport, [retry({ most: 2, random: () => random })]);
    await expect(client.get(thing(), callerOf('a'))).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
    expect(times).toHaveLength(3);
    expect(late).toEqual([]);
    // Timers may fire a millisecond early.
    for (const [index, wait] of waits.entries())
      expect((times[index + 1] ?? 0) - (times[index] ?? 0)).toBeGreaterThanOrEqual(wait - 1);
  });

  test('ends with the caller', async () => {
    const transport = createScriptedTransport((call) => call.answer(429, {}, { 'retry-after': '2' }));
    const client = createClient(transport, [retry({ most: 2 })]);
    const leaving = new AbortController();
    const answer = client.get(thing(), callerOf('a', { signal: leaving.signal }));
    // The first answer has come by now, and the hour has begun.
    await new Promise((resolve) => setImmediate(resolve));
    leaving.abort(new Error('gone'));
    await expect(answer).rejects.toThrow('gone');
    expect(transport.paths).toHaveLength(1);
    expect(transport.pending.size).toBe(0);
  });
});

test('retries add at most a fifth to the load of a sick upstream, or ten a second where that is more', async ({
  startWith,
  upstream,
}) => {
  const gateway = await startWith(retries);
  // A fifth of the calls fail for good, and want two retries each: too few for the breaker, too many for the budget.
  upstream.script(({ query }) => (Number(query['filter[fqdn]']) % 5 === 0 ? { status: 503 } : { json: { data: [] } }));
  const calls = 240;
  const started = performance.now();
  const field = (n: number): string => `f${n}: ipConnections(filter: { fqdn: "${n}" }) { nodes { id } }`;
  for (let n = 0; n < calls; n += 30) {
    const fields = Array.from({ length: 30 }, (_, index) => field(n + index));
    expect((await gateway.query(`{ ${fields.join(' ')} }`)).errors).toHaveLength(6);
  }
  const seconds = (performance.now() - started) / 1000;
  // Ten are saved up from the beginning, and ten may be owed.
  const extra = upstream.requests.length - calls;
  expect(extra).toBeGreaterThan(40);
  expect(extra).toBeLessThanOrEqual(Math.max(0.2 * calls, 10 * seconds) + 21);
});

/** Calls and what they may retry, at so many calls a second for so many seconds, when every call wants two retries. */
function spendAll(rates: readonly number[]): readonly number[] {
  let time = 0;
  const budget = createRetryBudget({ now: () => time });
  return rates.map((rate, second) => {
    let made = 0;
    for (let call = 0; call < rate; call++) {
      time = (second + call / rate) * 1000;
      budget.earn();
      for (let tries = 0; tries < 2; tries++) if (budget.spend()) made++;
    }
    return made;
  });
}

describe('the retry budget', () => {
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

  test('allows a fifth of any traffic, or ten a second where that is more, whenever one looks', () => {
    const traffic = fc.oneof(
      fc.array(fc.integer({ min: 0, max: 500 }), { minLength: 1, maxLength: 30 }),
      fc
        .tuple(fc.integer({ min: 1, max: 2_000 }), fc.integer({ min: 1, max: 30 }))
        .map(([rate, n]) => Array(n).fill(rate)),
    );
    fc.assert(
      fc.property(traffic, (rates: readonly number[]) => {
        const made = spendAll(rates);
        const allowed = rates.map((count) => Math.max(0.2 * count, 10));
        for (let from = 0; from < rates.length; from++)
          for (let to = from + 1; to <= rates.length; to++)
            // Ten are saved up, and ten may be owed.
            expect(sum(made.slice(from, to))).toBeLessThanOrEqual(sum(allowed.slice(from, to)) + 21);
      }),
      { numRuns: 200 },
    );
  });

  test('allows ten a second again soon after the traffic has gone', () => {
    const made = spendAll([...Array<number>(60).fill(1_000), ...Array<number>(10).fill(20)]);
    expect(sum(made.slice(0, 60))).toBeGreaterThan(60 * 190);
    for (const count of made.slice(62)) expect(count).toBeGreaterThanOrEqual(9);
  });
});
