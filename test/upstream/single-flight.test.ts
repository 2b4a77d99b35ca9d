import type { ServerResponse } from 'node:http';
import { describe } from 'vitest';
import { StagedClient } from '../../src/upstream/client.ts';
import { retry } from '../../src/upstream/stages/retry.ts';
import { UnansweredError } from '../../src/upstream/response/wire-response.ts';
import { expect, test, type Gateway } from '../support/gateway.ts';
import { chargesSummaryRecord } from '../support/records.ts';
import { pageReply, type ScriptedUpstream } from '../support/scripted-upstream.ts';
import { callerOf, createScriptedTransport, thing } from './client-harness.ts';

// The mark is asked for beside what is shared: once it has been seen, the query has joined or begun the shared call.
const marked = (mark: number): string =>
  `{ chargesSummary(startDate: "2026-10-01", endDate: "2026-11-01") { userId }
     ipConnections(filter: { fqdn: "${mark}" }) { nodes { id } } }`;

/** Answers marks at once, and holds the shared calls back until they are released. */
function holdSummaries(upstream: ScriptedUpstream) {
  const held: { readonly res: ServerResponse; readonly owner: string | undefined }[] = [];
  let closed = 0;
  upstream.script((request) => {
    const owner = request.headers.authorization;
    if (request.path !== '/charges_summary') return pageReply([], request);
    return { act: (res) => void held.push({ res: res.on('close', () => closed++), owner }) };
  });
  return {
    closed: () => closed,
    summaries: () => held.length,
    marks: () => upstream.requests.length - held.length,
    release: (status = 200): void => {
      for (const { res, owner } of held) {
        const data = chargesSummaryRecord({ user_id: owner });
        res.writeHead(status, { 'content-type': 'application/json' });
        res.end(JSON.stringify(status === 200 ? { data } : { errors: [{ title: 'sick' }] }));
      }
    },
  };
}

/** Asks with a mark; the function leaves. */
function leavable(gateway: Gateway, mark: number): () => void {
  const leaving = new AbortController();
  const path = `/graphql?query=${encodeURIComponent(marked(mark))}`;
  gateway.fetch(path, { headers: { authorization: 'Bearer test-key' }, signal: leaving.signal }).catch(() => {});
  return () => leaving.abort();
}

describe('equal calls of one caller that are under way', () => {
  test('are read digit for digit for whom it matters, after bytes could not tell what is shown', async ({
    gateway,
    upstream,
  }) => {
    const exact = '"metadata":{"a":12345678901234567890}';
    const wrongName = `{"data":[{"mission_id":"m","name":7,${exact}}],"meta":{"total_results":1}}`;
    const held: ServerResponse[] = [];
    upstream.script((request) =>
      request.path === '/ai/missions' ? { act: (res) => void held.push(res) } : pageReply([], request),
    );
    const answers = ['name', 'name metadata', 'name', 'metadata name'].map((selection, mark) =>
      gateway.query(
        `{ missions { nodes { ${selection} } } ipConnections(filter: { fqdn: "${mark}" }) { nodes { id } } }`,
      ),
    );
    await expect.poll(() => upstream.requests.length).toBe(5);
    for (const res of held) res.writeHead(200, { 'content-type': 'application/json' }).end(wrongName);
    const isExact = (await Promise.all(answers)).map(({ text }) => text.includes(exact));
    expect(isExact).toEqual([false, true, false, true]);
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
    const leaveFirst = leavable(gateway, 1);
    await expect.poll(marks).toBe(1);
    const second = gateway.query(marked(2));
    await expect.poll(marks).toBe(2);
    leaveFirst();
    await expect.poll(() => gateway.log.join('')).toContain('"aborted":true');
    expect(closed()).toBe(0);
    release();
    expect((await second).errors).toEqual([]);
    expect(summaries()).toBe(1);
  });

  test('are cancelled when the last waiter has left, and begin anew for the next', async ({ gateway, upstream }) => {
    const { release, marks, summaries, closed } = holdSummaries(upstream);
    const leavers = [leavable(gateway, 1), leavable(gateway, 2)];
    await expect.poll(marks).toBe(2);
    expect(summaries()).toBe(1);
    for (const leave of leavers) leave();
    await expect.poll(closed).toBe(1);
    const next = gateway.query(marked(3));
    await expect.poll(summaries).toBe(2);
    release();
    expect((await next).errors).toEqual([]);
  });
});

test.for([
  { patient: false, attempts: 1 },
  { patient: true, attempts: 2 },
])('a shared call is retried until the latest deadline of its waiters: %j', async ({ patient, attempts }) => {
  const transport = createScriptedTransport();
  const client = new StagedClient(transport, [retry({ most: 2, random: () => 0 })]);
  const first = client.get(thing(), callerOf('a', { deadline: performance.now() - 1 }));
  const second = patient ? client.get(thing(), callerOf('a')) : first;
  for (const call of transport.pending) call.fail(new UnansweredError('UPSTREAM_UNAVAILABLE'));
  if (patient) await expect.poll(() => transport.pending.size).toBeGreaterThan(0);
  for (const call of transport.pending) call.answer(200, { data: 3 });
  const settled = await Promise.allSettled([first, second]);
  expect(settled.map(({ status }) => status)).toEqual(Array(2).fill(patient ? 'fulfilled' : 'rejected'));
  expect(transport.paths).toHaveLength(attempts);
});
