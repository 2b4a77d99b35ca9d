import { downloadReport, expect, judge, test } from '../../support/gateway.ts';
import { allRootFields, healthyReply } from '../../support/records.ts';
import { refusal, type Reply, type SeenRequest } from '../../support/scripted-upstream.ts';
import { callTool, errorOf } from '../../support/tool-client.ts';

// camunda/connectors#6702, drasi-project/drasi-core#900: a success that reports errors was taken for one.

/** A healthy reply with further members. */
const replyWith =
  (members: object) =>
  (request: SeenRequest): Reply => ({ json: { ...(healthyReply(request).json as object), ...members } });

const down = { code: '10007', title: 'Unexpected error', detail: 'Search is down.' };

test.for<[what: string, members: object, message: string, code: string]>([
  ['an error of the contract', { errors: [down] }, 'Search is down.', 'UPSTREAM_ERROR'],
  ['a refused key', { errors: [{ code: '10009', title: 'No such key' }] }, 'No such key', 'UNAUTHENTICATED'],
  ['an object instead of a list', { errors: down }, 'Search is down.', 'UPSTREAM_ERROR'],
  ['a list of texts', { errors: ['Search is down.'] }, 'Search is down.', 'UPSTREAM_ERROR'],
  ['a list of codes', { errors: [10015] }, 'The value of an argument cannot be used.', 'BAD_USER_INPUT'],
  ['a list of nothing known', { errors: [null] }, 'The upstream reported an error of its own.', 'UPSTREAM_ERROR'],
  ['no text of whole characters', { errors: ['cut \ud83d'] }, 'cut \ufffd', 'UPSTREAM_ERROR'],
  ['a validation failure', { detail: [{ loc: ['query', 'x'], msg: 'bad x' }] }, 'bad x', 'BAD_USER_INPUT'],
])('%s beside data fails every field', async ([, members, message, code], { startWith, upstream }) => {
  for (const options of [{}, judge]) {
    const gateway = await startWith({}, options);
    upstream.script(replyWith(members));
    const { data, errors } = await gateway.query(allRootFields);
    expect(Object.values(data)).toEqual([null, null, null, null, null]);
    expect(errors.map((error) => [error.message, error.extensions.code])).toEqual(
      Array.from({ length: 5 }, () => [message, code]),
    );
    expect(errors[0].extensions).toMatchObject({ retryable: false, upstream: { status: 200 } });
  }
  expect(upstream.requests).toHaveLength(10);
});

test('what reports no error is none', async ({ gateway, upstream }) => {
  for (const members of [{ errors: [] }, { errors: null }, { detail: [] }, { detail: 'of no contract' }]) {
    upstream.script(replyWith(members));
    const { data, errors } = await gateway.query(allRootFields);
    expect([members, errors, Object.values(data).includes(null)]).toEqual([members, [], false]);
  }
  expect(upstream.requests).toHaveLength(20);
});

const range = 'startedAt: { gte: "2026-10-01T00:00:00Z", lte: "2026-10-01T02:00:00Z" }';

test.for([
  '{ ipConnections { totalCount } }',
  '{ mission(id: "1") { id } }',
  '{ deliveryFailures { examined isWhole } }',
  `{ deliveryCounts(${range}, interval: HOUR) { buckets { total } } }`,
  '{ chargesHistory(startDate: "2026-10-01", endDate: "2026-11-01") { currency } }',
  '{ chargesBreakdownCsv(startDate: "2026-10-01") { content } }',
])('an empty answer that reports an error is no empty answer: %s', async (query, { gateway, upstream }) => {
  const meta = { total_results: 0, total_pages: 0, page_number: 1, page_size: 20 };
  upstream.script(() => ({ json: { data: [], meta, errors: [down] } }));
  const { data, errors } = await gateway.query(query);
  expect(Object.values(data).flat()).toEqual([null]);
  expect(errors[0]).toMatchObject({ message: 'Search is down.', extensions: { code: 'UPSTREAM_ERROR' } });
  expect(upstream.requests.length).toBeGreaterThan(0);
});

// actions/runner#507: a secret "docker" was hidden in every line that spoke of Docker.
test.for([
  ['e', '{ wrong }', 'Cannot query field "wrong" on type "Query".'],
  ['e', '{ secret }', 'Cannot query field "s[redacted]cr[redacted]t" on type "Query".'],
  ['Error', '{ ', 'Syntax Error: Expected Name, found <EOF>.'],
  ['a', '{ ipConnections(first: -1) { totalCount } }', 'first must be from 0 to 500; it was -1.'],
] as const)('the key %s is hidden in nothing that the gateway says of %s', async ([key, query, said], { gateway }) => {
  expect((await gateway.query(query, { key })).errors).toMatchObject([{ message: said }]);
});

test.for<[key: string, message: string]>([
  ['a', 'D[redacted]t[redacted] of K'],
  ['redacted', 'Data of K'],
  ['Data', '[redacted] of K'],
])('the mark for the hidden key %s is not searched for it again', async ([key, message], { startWith, upstream }) => {
  const gateway = await startWith({ MCP: 'true' });
  upstream.script(() => refusal(500, '', 'Data of K', 'Data of K'));
  const { errors } = await gateway.query('{ missions { totalCount } }', { key });
  expect([errors[0].message, errors[0].extensions.upstream.detail]).toEqual([message, message]);
  expect(errorOf(await callTool(gateway, 'mission', { id: '1' }, { key })).message).toBe(message);
  expect(await (await downloadReport(gateway, key)).json()).toMatchObject({ errors: [{ message }] });
  expect(upstream.requests).toHaveLength(3);
});
