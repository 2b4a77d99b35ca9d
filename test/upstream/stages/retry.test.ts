import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { StagedClient } from '../../../src/upstream/client.ts';
import { retry } from '../../../src/upstream/stages/retry.ts';
import { describe, downloadReport, expect, test } from '../../support/gateway.ts';
import { chargesSummaryRecord } from '../../support/records.ts';
import {
  cutOff,
  hang,
  hangUp,
  stall,
  watched,
  type Reply,
  type ScriptedUpstream,
} from '../../support/scripted-upstream.ts';
import { callerOf, createScriptedTransport, get, thing } from '../client-harness.ts';
import { open, startBefore } from '../loopback.ts';

const document = '{ chargesSummary(startDate: "2026-10-01", endDate: "2026-11-01") { currency } }';
const well: Reply = { json: { data: chargesSummaryRecord() } };
const none: Reply = { json: { data: [], meta: { total_results: 0 } } };
const retries = { UPSTREAM_RETRIES: '2' };
const limited = (seconds: string): Reply => ({ status: 429, headers: { 'retry-after': seconds } });
const reset: Reply = { act: (res) => void res.socket?.resetAndDestroy() };

/** Answers the replies in turn. */
function scriptInTurn(upstream: ScriptedUpstream, replies: readonly Reply[]): void {
  upstream.script(() => replies[upstream.requests.length - 1] ?? well);
}

describe('a retry', () => {
  test.for<[string, Reply]>([
    ['a reset before any byte', reset],
    ['an end before any byte', hangUp],
    ['502', { status: 502, text: 'bad gateway' }],
    ['503', { status: 503, json: { errors: [{ title: 'sick' }] } }],
    ['504', { status: 504 }],
    ['429 with a time to come back that fits', limited('0')],
    ['429 whose limit is reset in time', { status: 429, headers: { 'x-ratelimit-reset': '0.05' } }],
  ])('hides from the client: %s', async ([, fault], { startWith, upstream }) => {
    const gateway = await startWith(retries);
    scriptInTurn(upstream, [fault, fault]);
    const data = await gateway.data(document);
    expect(data.chargesSummary.currency).toBe('USD');
    expect(upstream.requests).toHaveLength(3);
    expect(new Set(upstream.requests.map(({ headers: sent }) => sent['x-request-id'])).size).toBe(1);
    expect(JSON.parse(gateway.log.at(-1) ?? '')).toMatchObject({ upstreamCalls: 3 });
  });

  test.for<[string, Reply]>([
    ['429', limited('1')],
    ['response that leaves no call', { ...none, headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1' } }],
  ])('waits as long as a %s says', async ([, told], { startWith, upstream }) => {
    const gateway = await startWith(retries);
    const times: number[] = [];
    upstream.script(() => (times.push(performance.now()) === 1 ? told : none));
    for (const _ of ['first', 'second'])
      expect((await gateway.query('{ missions { totalCount } }')).errors).toEqual([]);
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(1000);
  });

  test('follows a connection that is not made in time, twice at most, and before the deadline', async () => {
    // TLS that is never answered belongs to connecting.
    const silent = await open(createTcpServer());
    const gateway = await startBefore(silent.baseUrl('https'), { ...retries, UPSTREAM_CONNECT_TIMEOUT_MS: '20' });
    const { errors } = await gateway.query(document);
    expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_TIMEOUT', retryable: true } }]);
    await expect.poll(() => silent.connections.length).toBe(3);
    const hurried = { UPSTREAM_CONNECT_TIMEOUT_MS: '1000', OPERATION_TIMEOUT_MS: '300' };
    expect((await downloadReport(await startBefore(silent.baseUrl('https'), hurried))).status).toBe(504);
  });

  test('follows the failed beginning of an export', async ({ startWith, upstream }) => {
    const gateway = await startWith(retries);
    // An error body without an end: it is given up, or the connection would be lost for good.
    const endless = watched(stall('sick', { status: 503 }));
    scriptInTurn(upstream, [endless.reply, reset, { text: 'tn\n1\n', headers: { 'content-type': 'text/csv' } }]);
    expect(await (await downloadReport(gateway)).text()).toBe('tn\n1\n');
    await endless.left;
    expect(upstream.requests).toHaveLength(3);
  });

  test('comes by the connection of the failed attempt, whose body is read to its end', async () => {
    let calls = 0;
    const server = await open(
      createServer((_req, res) => {
        res.writeHead(++calls < 3 ? 503 : 200, { 'content-type': 'application/json' });
        res.end(calls < 3 ? 'x'.repeat(100_000) : JSON.stringify(well.json));
      }),
    );
    const gateway = await startBefore(server.baseUrl(), retries);
    expect((await gateway.query(document)).errors).toEqual([]);
    expect([calls, server.connections.length]).toEqual([3, 1]);
  });

  test('does not come where the caller leaves during the wait for it', async () => {
    const transport = createScriptedTransport((call) => call.answer(429, {}, { 'retry-after': '2' }));
    const client = new StagedClient(transport, [retry({ upstreamRetries: 2 })]);
    const leaving = new AbortController();
    const answer = get(client, thing(), callerOf('a', { signal: leaving.signal }));
    // The first answer has come by now, and the wait has begun.
    await new Promise((resolve) => setImmediate(resolve));
    leaving.abort(new Error('gone'));
    await expect(answer).rejects.toThrow('gone');
    expect(transport.paths).toHaveLength(1);
  });
});

describe('no retry follows', () => {
  test.for<[string, Reply, string?, Record<string, string>?]>([
    ...[400, 401, 408, 500, 302].map((status): [string, Reply] => [
      `${status}`,
      { status, headers: { 'retry-after': '0', location: '/' } },
    ]),
    ['429 that tells no time', { status: 429 }, 'RATE_LIMITED'],
    ['429 with a wait that is the client’s to decide on', limited('7'), 'RATE_LIMITED'],
    ['503 beyond the longest wait', { ...limited('60'), status: 503 }, 'UPSTREAM_ERROR'],
    ['503 beyond the deadline', { ...limited('2'), status: 503 }, 'UPSTREAM_ERROR', { OPERATION_TIMEOUT_MS: '1900' }],
    ['a reply that broke off', cutOff('{"'), 'UPSTREAM_UNAVAILABLE'],
    ['no JSON', { text: 'well?' }, 'UPSTREAM_BAD_RESPONSE'],
    ['headers without end', { headers: { x: 'x'.repeat(40_000) } }, 'UPSTREAM_BAD_RESPONSE'],
    // The upstream may still be at work.
    ['a time-out without a response', hang, 'UPSTREAM_TIMEOUT', { UPSTREAM_TIMEOUT_MS: '200' }],
  ])('%s', async ([, reply, code, settings], { startWith, upstream }) => {
    const gateway = await startWith({ ...retries, ...settings });
    upstream.script(() => reply);
    const { data, errors } = await gateway.query(document);
    expect(data).toEqual({ chargesSummary: null });
    expect(errors).toMatchObject([{ extensions: { code: code ?? expect.any(String) } }]);
    const told = reply.status === 429 ? reply.headers?.['retry-after'] : undefined;
    if (told !== undefined) expect(errors[0].extensions.retryAfterSeconds).toBe(Number(told));
    expect(upstream.requests).toHaveLength(1);
  });

  test('an export whose report has begun', async ({ startWith, upstream }) => {
    const gateway = await startWith(retries);
    upstream.script(() => cutOff('tn\n', { headers: { 'content-type': 'text/csv' } }));
    await expect(downloadReport(gateway).then((response) => response.text())).rejects.toThrow();
    expect(upstream.requests).toHaveLength(1);
  });
});

test('retries add a fifth to the load at most, or ten a second', async ({ startWith, upstream }) => {
  const gateway = await startWith(retries);
  // A fifth of the calls fail for good, and want two retries each: too few for the breaker, too many for the budget.
  upstream.script(({ query }) => (Number(query['filter[fqdn]']) % 5 === 0 ? { status: 503 } : { json: { data: [] } }));
  const calls = 240;
  const started = performance.now();
  for (let n = 0; n < calls; n += 30) {
    const numbers = Array.from({ length: 30 }, (_, index) => n + index);
    const fields = numbers.map((number) => `f${number}: ipConnections(filter: { fqdn: "${number}" }) { nodes { id } }`);
    expect((await gateway.query(`{ ${fields.join(' ')} }`)).errors).toHaveLength(6);
  }
  const seconds = (performance.now() - started) / 1000;
  // Ten are saved up from the beginning, and ten may be owed.
  const extra = upstream.requests.length - calls;
  expect(extra).toBeGreaterThan(40);
  expect(extra).toBeLessThanOrEqual(Math.max(0.2 * calls, 10 * seconds) + 21);
});
