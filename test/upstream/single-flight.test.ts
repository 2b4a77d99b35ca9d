import type { ServerResponse } from 'node:http';
import { describe } from 'vitest';
import { createClient } from '../../src/upstream/client.ts';
import { retry } from '../../src/upstream/stages/retry.ts';
import { UnansweredError } from '../../src/upstream/response/wire-response.ts';
import { expect, test, type Gateway } from '../support/gateway.ts';
import { chargesSummaryRecord } from '../support/records.ts';
import type { ScriptedUpstream } from '../support/scripted-upstream.ts';
import { callerOf, createScriptedTransport, thing } from './client-harness.ts';

// The mark is asked for beside what is shared: once it has been seen, the query has joined or begun the shared call.
const marked = (mark: number): string =>
  `{ chargesSummary(startDate: "2026-10-01", endDate: "2026-11-01") { userId }
     ipConnections(filter: { fqdn: "${mark}" }) { nodes { id } } }`;

/** Answers marks at once, and holds the shared calls back until they are released. */
function holdSummaries(upstream: ScriptedUpstream) {
  const held: ServerResponse[] = [];
  const closed: ServerResponse[] = [];
  upstream.script(({ path }) => {
    if (path !== '/charges_summary') return { json: { data: [], meta: { total_results: 0 } } };
    return {
      act: (res) => {
        held.push(res);
        res.on('close', () => closed.push(res));
      },
    };
  });
  const count = (path: string): number => upstream.requests.filter((request) => request.path === path).length;
  return {
    closed,
    summaries: () => count('/charges_summary'),
    marks: () => count('/ip_connections'),
    release: (status = 200): void => {
      const requests = upstream.requests.filter(({ path }) => path === '/charges_summary');
      for (const [index, res] of held.entries()) {
        const data = chargesSummaryRecord({ user_id: requests[index]?.headers.authorization });
        res.writeHead(status, { 'content-type': 'application/json' });
        res.end(JSON.stringify(status === 200 ? { data } : { errors: [{ title: 'sick' }] }));
      }
    },
  };
}

function leavable(gateway: Gateway, mark: number, key = 'test-key') {
  const leaving = new AbortController();
  const answer = gateway.fetch('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ query: marked(mark) }),
    signal: leaving.signal,
  });
  answer.catch(() => {});
  return { leave: () => leaving.abort(), answer };
}

const hasLeft = (gateway: Gateway, count: number) =>
  expect.poll(() => gateway.log.filter((line) => line.includes('"aborted":true')).length).toBe(count);

describe('equal calls of one caller that are under way', () => {
  test('are read digit for digit for whom it matters, after bytes could not tell what is shown', async ({
    gateway,
    upstream,
  }) => {
    const wrongName =
      '{"data":[{"mission_id":"m","name":7,"metadata":{"a":12345678901234567890}}],"meta":{"total_results":1}}';
    const type = { 'content-type': 'application/json' };
    const mark = (number: number): string => `ipConnections(filter: { fqdn: "${number}" }) { nodes { id } }`;
    const queries = ['name', 'name metadata', 'name', 'metadata name'].map(
      (selection, index) => `{ missions { nodes { ${selection} } } ${mark(index)} }`,
    );
    const others = { data: [], meta: { total_results: 0 } };
    const held: ServerResponse[] = [];
    upstream.script(({ path }) => (path === '/ai/missions' ? { act: (res) => void held.push(res) } : { json: others }));
    const answers = Promise.all(queries.map((query) => gateway.query(query)));
    await expect.poll(() => upstream.requests.length).toBe(5);
    for (const res of held) res.writeHead(200, type).end(wrongName);
    const exact = '"metadata":{"a":12345678901234567890}';
    expect((await answers).map(({ text }) => text.includes(exact))).toEqual([false, true, false, true]);
  });

  test('are one call across a hundred requests, and one for each of two callers', async ({ gateway, upstream }) => {
    const { release, summaries, marks } = holdSummaries(upstream);
    const keys = Array.from({ length: 100 }, (_, mark) => (mark % 2 === 0 ? 'key-a' : 'key-b'));
    const answers = Promise.all(keys.map((key, mark) => gateway.query(marked(mark), { key })));
    await expect.poll(marks).toBe(100);
    expect(summaries()).toBe(2);
    release();
    for (const [index, { data, errors }] of (await answers).entries()) {
      expect(errors).toEqual([]);
      expect(data.chargesSummary.userId).toBe(`Bearer ${keys[index]}`);
    }
    expect(upstream.requests).toHaveLength(102);
  });

  test('fail together, each with its own request id', async ({ gateway, upstream }) => {
    const { release, marks, summaries } = holdSummaries(upstream);
    const ids = ['id-1', 'id-2', 'id-3'];
    const answers = Promise.all(
      ids.map((id, mark) => gateway.query(marked(mark), { headers: { 'x-request-id': id } })),
    );
    await expect.poll(marks).toBe(3);
    release(503);
    const errors = (await answers).map((answer) => answer.errors);
    expect(errors.map(([error]) => error.extensions.requestId)).toEqual(ids);
    for (const [error, ...more] of errors) {
      expect(more).toEqual([]);
      expect(error).toMatchObject({ path: ['chargesSummary'], extensions: { upstream: { status: 503 } } });
    }
    expect(summaries()).toBe(1);
    const shared = upstream.requests.find(({ path }) => path === '/charges_summary');
    expect(ids).toContain(shared?.headers['x-request-id']);
  });

  test('go on when one waiter has left, even the first', async ({ gateway, upstream }) => {
    const { release, marks, summaries, closed } = holdSummaries(upstream);
    const first = leavable(gateway, 1);
    await expect.poll(marks).toBe(1);
    const second = gateway.query(marked(2));
    await expect.poll(marks).toBe(2);
    first.leave();
    await hasLeft(gateway, 1);
    expect(closed).toEqual([]);
    release();
    expect((await second).errors).toEqual([]);
    expect(summaries()).toBe(1);
  });

  test('are cancelled when the last waiter has left, and begin anew for the next', async ({ gateway, upstream }) => {
    const { release, marks, summaries, closed } = holdSummaries(upstream);
    const leavers = [leavable(gateway, 1), leavable(gateway, 2)];
    await expect.poll(marks).toBe(2);
    expect(summaries()).toBe(1);
    for (const { leave } of leavers) leave();
    await expect.poll(() => closed.length).toBe(1);
    const next = gateway.query(marked(3));
    await expect.poll(summaries).toBe(2);
    release();
    expect((await next).errors).toEqual([]);
  });
});

describe('a shared call of single flight', () => {
  test('is retried until the latest deadline of its waiters', async () => {
    for (const [patient, attempts] of [
      [false, 1],
      [true, 2],
    ] as const) {
      const transport = createScriptedTransport();
      const client = createClient(transport, [retry({ most: 2, random: () => 0 })]);
      const first = client.get(thing(), callerOf('a', { deadline: performance.now() - 1 }));
      const second = patient ? client.get(thing(), callerOf('a')) : first;
      for (const call of transport.pending) call.fail(new UnansweredError('UPSTREAM_UNAVAILABLE'));
      if (patient) await expect.poll(() => transport.pending.size).toBeGreaterThan(0);
      for (const call of transport.pending) call.answer(200, { data: 3 });
      const settled = await Promise.allSettled([first, second]);
      expect(settled.map(({ status }) => status)).toEqual(Array(2).fill(patient ? 'fulfilled' : 'rejected'));
      expect(transport.paths).toHaveLength(attempts);
    }
  });
});
