import type { ServerResponse } from 'node:http';
import { StagedClient } from '../../src/upstream/client.ts';
import { retry } from '../../src/upstream/stages/retry.ts';
import { UnansweredError } from '../../src/upstream/response/wire-response.ts';
import { describe, expect, test } from '../support/gateway.ts';
import { chargesSummaryRecord, allRootFields, healthyReply, rootFields } from '../support/records.ts';
import { pageReply, type ScriptedUpstream } from '../support/scripted-upstream.ts';
import { callerOf, createScriptedTransport, get, thing } from './client-harness.ts';

const summary = 'chargesSummary(startDate: "2026-10-01", endDate: "2026-11-01") { userId }';
// The mark is asked for beside what is shared: once it has been seen, the query has joined or begun the shared call.
const marked = (selection: string, mark: number): string =>
  `{ ${selection} ipConnections(filter: { fqdn: "${mark}" }) { nodes { id } } }`;

/** Answers marks at once, and holds the calls that are shared, with the caller of each, until they are answered. */
function holdShared(upstream: ScriptedUpstream) {
  const held: { readonly res: ServerResponse; readonly owner: string | undefined }[] = [];
  upstream.script((request) => {
    const owner = request.headers.authorization;
    if (request.path === '/ip_connections') return pageReply([], request);
    return { act: (res) => void held.push({ res, owner }) };
  });
  function answer(bodyOf: (owner: string | undefined) => string, status = 200): void {
    for (const { res, owner } of held) res.writeHead(status, { 'content-type': 'application/json' }).end(bodyOf(owner));
  }
  return { held, marks: () => upstream.requests.length - held.length, answer };
}

describe('equal calls of one caller that are under way', () => {
  test('are read once, digit for digit', async ({ gateway, upstream }) => {
    const { held, marks, answer } = holdShared(upstream);
    const exact = '"metadata":{"a":12345678901234567890}';
    const selections = ['name', 'name metadata', 'name', 'metadata name'];
    const answers = selections.map((fields, mark) => gateway.query(marked(`missions { nodes { ${fields} } }`, mark)));
    await expect.poll(marks).toBe(4);
    answer(() => `{"data":[{"mission_id":"m","name":7,${exact}}],"meta":{"total_results":1}}`);
    const isExact = (await Promise.all(answers)).map(({ text }) => text.includes(exact));
    expect([held.length, isExact]).toEqual([1, [false, true, false, true]]);
  });

  test('are one call across a hundred requests, and one for each of two callers', async ({ gateway, upstream }) => {
    const { held, marks, answer } = holdShared(upstream);
    const keys = Array.from({ length: 100 }, (_, mark) => (mark % 2 === 0 ? 'key-a' : 'key-b'));
    // However a header spells its scheme, the key alone tells who calls.
    const answers = keys.map((key, mark) =>
      gateway.query(marked(summary, mark), {
        headers: { authorization: `${mark < 50 ? 'Bearer' : 'bearer  '} ${key}` },
      }),
    );
    await expect.poll(marks).toBe(100);
    answer((owner) => JSON.stringify({ data: chargesSummaryRecord({ user_id: owner }) }));
    const told = (await Promise.all(answers)).map(({ data, errors }) => [data.chargesSummary.userId, errors]);
    expect(told).toEqual(keys.map((key) => [`Bearer ${key}`, []]));
    expect(held).toHaveLength(2);
  });

  test('fail together, each with its own request id', async ({ gateway, upstream }) => {
    const { held, marks, answer } = holdShared(upstream);
    const ids = ['id-1', 'id-2', 'id-3'];
    const answers = ids.map((id, mark) => gateway.query(marked(summary, mark), { headers: { 'x-request-id': id } }));
    await expect.poll(marks).toBe(3);
    answer(() => '{"errors":[{"title":"sick"}]}', 503);
    const errors = (await Promise.all(answers)).map((each) => each.errors);
    const path = ['chargesSummary'];
    const failure = (requestId: string) => [{ path, extensions: { requestId, upstream: { status: 503 } } }];
    expect(errors).toMatchObject(ids.map(failure));
    expect(held).toHaveLength(1);
    const shared = upstream.requests.find((request) => request.path === '/charges_summary');
    expect(ids).toContain(shared?.headers['x-request-id']);
  });

  test('go on until the last of who wait has left, and begin anew for the next', async () => {
    const transport = createScriptedTransport();
    const client = new StagedClient(transport, []);
    const ask = () => {
      const leaving = new AbortController();
      return { answer: get(client, thing(), callerOf('a', { signal: leaving.signal })), leaving };
    };
    const [first, second, third] = [ask(), ask(), ask()];
    for (const { answer, leaving } of [first, second]) {
      leaving.abort(new Error('gone'));
      await expect(answer).rejects.toThrow('gone');
      expect(transport.pending.size).toBe(1);
    }
    third.leaving.abort(new Error('gone'));
    expect(transport.pending.size).toBe(0);
    // The call has still to hear of its end.
    const next = ask();
    await expect(third.answer).rejects.toThrow('gone');
    for (const call of transport.pending) call.answer(200, { data: 3 });
    expect(await next.answer).toEqual({ data: 3 });
    expect(transport.paths).toHaveLength(2);
  });
});

test.for([
  { patient: false, attempts: 1 },
  { patient: true, attempts: 2 },
])('a shared call is retried until the latest deadline of its waiters: %j', async ({ patient, attempts }) => {
  const transport = createScriptedTransport();
  const client = new StagedClient(transport, [retry({ upstreamRetries: 2, random: () => 0 })]);
  const first = get(client, thing(), callerOf('a', { deadline: performance.now() - 1 }));
  const second = patient ? get(client, thing(), callerOf('a')) : first;
  for (const call of transport.pending) call.fail(new UnansweredError('UPSTREAM_UNAVAILABLE'));
  if (patient) await expect.poll(() => transport.pending.size).toBeGreaterThan(0);
  for (const call of transport.pending) call.answer(200, { data: 3 });
  const settled = await Promise.allSettled([first, second]);
  expect(settled.map(({ status }) => status)).toEqual(Array(2).fill(patient ? 'fulfilled' : 'rejected'));
  expect(transport.paths).toHaveLength(attempts);
});

const period = 'startDate: "2026-10-01", endDate: "2026-11-01"';

test.for(rootFields)('the same call is made once: $name', async ({ selection, path }, { gateway, upstream }) => {
  upstream.script(healthyReply);
  const data = await gateway.data(`{ a: ${selection} b: ${selection} ${selection} ... on Query { c: ${selection} } }`);
  expect([data.b, data.c]).toEqual([data.a, data.a]);
  expect(upstream.requests.map((request) => request.path)).toEqual([path]);
});

test('each set of arguments is a call, and the next operation makes it again', async ({ gateway, upstream }) => {
  upstream.script(healthyReply);
  await gateway.query(`{
    a: ipConnections(filter: { fqdn: "a" }) { nodes { id } }
    b: ipConnections(filter: { fqdn: "b" }) { nodes { id } }
    c: ipConnections(filter: { fqdn: "a" }, orderBy: null) { nodes { active } }
  }`);
  expect(upstream.requests.map(({ query }) => query['filter[fqdn]']).toSorted()).toEqual(['a', 'b']);
  for (let round = 0; round < 2; round++) await gateway.query(allRootFields);
  expect(upstream.requests).toHaveLength(2 + 10);
});

test('no call is made for a field that is not selected, skipped or not included', async ({ gateway, upstream }) => {
  upstream.script(healthyReply);
  const { data, errors } = await gateway.query(
    `query ($no: Boolean!, $yes: Boolean!) {
      missions { nodes { id } }
      ipConnections @skip(if: $yes) { nodes { id } }
      webhookDeliveries @include(if: $no) { nodes { id } }
      ... @skip(if: true) { chargesSummary(${period}) { currency } }
      ...Charges @include(if: false)
    }
    fragment Charges on Query { chargesBreakdown(${period}) { currency } }`,
    { variables: { no: false, yes: true } },
  );
  expect([Object.keys(data), errors]).toEqual([['missions'], []]);
  expect(upstream.requests.map(({ path }) => path)).toEqual(['/ai/missions']);
});

test.for([
  'totalCount',
  'a: totalCount b: totalCount __typename',
  'totalCount nodes @skip(if: true) { id }',
  '... { totalCount }',
])('the length of a list alone asks for one row: { %s }', async (selection, { gateway, upstream }) => {
  upstream.script(() => ({ json: { data: [{ id: 'a' }], meta: { total_results: 1234, page_size: 1 } } }));
  const fields = ['ipConnections', 'missions', 'webhookDeliveries'];
  const data = await gateway.data(`{ ${fields.map((field) => `${field} { ${selection} }`).join(' ')} }`);
  for (const field of fields) expect(data[field].totalCount ?? data[field].a).toBe(1234);
  expect(upstream.requests.map(({ query }) => query['page[size]'])).toEqual(['1', '1', '1']);
});
