import { describe, expect, testOfFile as test } from '../support/gateway.ts';
import * as records from '../support/records.ts';
import type { Reply } from '../support/scripted-upstream.ts';

/** A place for a value: what asks for it, what sends it, and the data that show it, all as texts. */
interface Place {
  readonly query: string;
  readonly sent: (value: string) => string;
  readonly shown: (value: string) => string;
  readonly path: readonly (string | number)[];
}

/** A member of a row of a list. */
const inRow = (list: 'ipConnections' | 'missions', field: string, member = field): Place => ({
  query: `{ ${list} { nodes { id ${field} } } }`,
  sent: (value) => `{"data":[{"id":"a","mission_id":"a","${member}":${value}}],"meta":{"total_results":1}}`,
  shown: (value) => `{"${list}":{"nodes":[{"id":"a","${field}":${value}}]}}`,
  path: [list, 'nodes', 0, field],
});

const linesReply = (...lines: readonly unknown[]): Reply => ({
  json: { data: records.chargesSummaryRecord({ summary: { lines, adjustments: [] } }) },
});
const amounts = `{ chargesSummary(startDate: "2026-10-01", endDate: "2026-11-01") { summary { lines {
  ... on SimpleLine { amount } ... on ComparativeLine { newThisMonth { mrc otc } } } } } }`;

const places = {
  decimal: {
    query: amounts,
    sent: (value) => JSON.stringify(linesReply(records.simpleLine({ amount: records.rawNumber(value) })).json),
    // A line without its amount is none.
    shown: (value) => `{"chargesSummary":{"summary":{"lines":[${value === 'null' ? value : `{"amount":${value}}`}]}}}`,
    path: ['chargesSummary', 'summary', 'lines', 0, 'amount'],
  },
  integer: inRow('ipConnections', 'webhookTimeoutSecs', 'webhook_timeout_secs'),
  timestamp: inRow('ipConnections', 'createdAt', 'created_at'),
  text: inRow('ipConnections', 'connectionName', 'connection_name'),
  'free-form value': inRow('missions', 'metadata'),
} as const satisfies Readonly<Record<string, Place>>;
type Kind = keyof typeof places;

const rowsOf = <Value>(values: Readonly<Partial<Record<Kind, readonly Value[]>>>) =>
  Object.entries(values).flatMap(([kind, list]) => list.map((value) => [kind as Kind, value] as const));
const replyOf = (text: string): Reply => ({ text, headers: { 'content-type': 'application/json' } });
const deep = (depth: number): string => `${'{"a":['.repeat(depth)}9007199254740993${']}'.repeat(depth)}`;

test.for(
  rowsOf<string | readonly [sent: string, shown: string]>({
    decimal: ['"0.10"', '"1."', '".5"', '"+1.50"', '"1e400"', '"1234567890123456789012345678901234567890.12"'],
    integer: [['12.0', '12'], ['1.2e1', '12'], ['-0', '0'], '2147483647', '-2147483648'],
    timestamp: [
      '"2026-10-02T14:05:11.123456789+00:00"',
      '"2026-10-02t14:05:11z"',
      '"2026-10-02 14:05:11"',
      '"2026-10-02T14:05"',
    ],
    text: [JSON.stringify('q"\\\n\u0000\u2028\u{1F4DE}\uFEFF</script>')],
    'free-form value': [
      '{"n":9007199254740993,"m":-9007199254740993,"big":123456789012345678901234567890}',
      '{"one":1.0,"exp":1E5,"neg":1e-7,"huge":1e400,"zero":-0,"tiny":0.1000}',
      '{"list":[1.0,[2.50,{"x":-0.0}],null,true,"1.0"]}',
      '{"__proto__":{"polluted":1.0},"constructor":{"prototype":1},"toString":2,"toJSON":3,"then":4,"length":5}',
      '{"a":1.0,"text":"a \\"quoted\\": 9007199254740993, and more","":0}',
      '{"rawJSON":"1.0","b":1.0}',
      deep(490),
    ],
  }),
)('a %s passes, to the letter but for an integer: %s', async ([kind, row], { gateway, upstream }) => {
  const [sent, shown] = typeof row === 'string' ? [row, row] : row;
  upstream.script(() => replyOf(places[kind].sent(sent)));
  const { text } = await gateway.query(places[kind].query);
  // A character may be written in several ways.
  if (kind === 'text') expect(JSON.parse(text)).toEqual({ data: JSON.parse(places.text.shown(shown)) });
  else expect(text).toBe(`{"data":${places[kind].shown(shown)}}`);
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
});

test.for(
  rowsOf<string>({
    decimal: ['4.8', '4.80', '""', '"free"', '"1,50"', '"NaN"', '"Infinity"', '"0x10"', '" 1"', 'true'],
    integer: ['2147483648', '-2147483649', '12.5', '1e999', '9007199254740993', '"12"', 'true', '{}', '[12]'],
    timestamp: ['"yesterday"', '"2026-10-02"', '""', '"14:05"', '1791000000', '{}'],
    'free-form value': ['[]', '"text"', '12', '1.0', 'true', '[{}]'],
  }),
)('a %s is nothing else, and costs its own field: %s', async ([kind, value], { gateway, upstream }) => {
  upstream.script(() => replyOf(places[kind].sent(value)));
  const { data, errors } = await gateway.query(places[kind].query);
  expect(data).toEqual(JSON.parse(places[kind].shown('null')));
  expect(errors).toMatchObject([
    { path: places[kind].path, extensions: { code: 'UPSTREAM_BAD_RESPONSE', retryable: false } },
  ]);
  if (kind === 'integer') expect(errors[0].message).not.toMatch(/\d{3}|12\.5/);
});

test('a decimal of many digits is read, and a text that only begins like one is not', async ({ gateway, upstream }) => {
  const digits = '1'.repeat(200_000);
  upstream.script(() =>
    linesReply(
      ...[digits, `${digits}x`, `${digits}.${digits}e`].map((amount) => records.simpleLine({ amount })),
      records.comparativeLine({ new_this_month: { quantity: 0, mrc: digits, otc: digits } }),
    ),
  );
  const { data, errors } = await gateway.query(amounts);
  const newThisMonth = { mrc: digits, otc: digits };
  expect(data.chargesSummary.summary.lines).toEqual([{ amount: digits }, null, null, { newThisMonth }]);
  expect(errors).toHaveLength(2);
});

test('lists in lists of a large body fail their own field alone', async ({ gateway, upstream }) => {
  const lists = '['.repeat(400_000) + ']'.repeat(400_000);
  const rows = `[{"mission_id":"a","name":${lists}},{"mission_id":"b","name":"${'n'.repeat(1_048_576)}"}]`;
  upstream.script(() => replyOf(`{"data":${rows}}`));
  const { data, errors } = await gateway.query('{ missions { nodes { id name } } }');
  expect(data.missions.nodes).toMatchObject([{ id: 'a', name: null }, { id: 'b' }]);
  expect(errors).toMatchObject([{ path: ['missions', 'nodes', 0, 'name'] }]);
});

test('a free-form value of any depth fails its own field alone', async ({ gateway, upstream }) => {
  const rows = `[{"mission_id":"a","metadata":${deep(100_000)}},{"mission_id":"b","metadata":{"n":1.0}}]`;
  upstream.script(() => replyOf(`{"data":${rows}}`));
  const ids = await gateway.query('{ missions { nodes { id } } }');
  expect(ids.data).toEqual({ missions: { nodes: [{ id: 'a' }, { id: 'b' }] } });
  const { data, errors } = await gateway.query('{ missions { nodes { id metadata } } }');
  expect(data.missions.nodes[0].id).toBe('a');
  expect(data.missions.nodes[1]).toEqual({ id: 'b', metadata: { n: 1 } });
  for (const error of errors) expect(error).toMatchObject({ path: ['missions', 'nodes', 0, 'metadata'] });
});

describe('in a list', () => {
  const rowsReply = (...rows: readonly unknown[]): Reply => ({
    json: { data: rows, meta: { total_results: rows.length } },
  });

  test('a row that is no object fails alone, in nodes and in edges', async ({ gateway, upstream }) => {
    upstream.script(() => rowsReply({ id: 'a' }, null, 'canary', 7, ['canary'], records.rawNumber('1.0'), { id: 'b' }));
    const { data, errors, text } = await gateway.query(
      '{ ipConnections { totalCount nodes { id } edges { cursor node { id } } } }',
    );
    const shown = [{ id: 'a' }, null, null, null, null, null, { id: 'b' }];
    expect(data.ipConnections).toMatchObject({ totalCount: 7, nodes: shown, edges: shown.map((node) => ({ node })) });
    const paths = [1, 2, 3, 4, 5].flatMap((index) => [`nodes.${index}`, `edges.${index}.node`]);
    expect(errors.map(({ path }) => path.slice(1).join('.')).toSorted()).toEqual(paths.toSorted());
    for (const { extensions } of errors) expect(extensions.code).toBe('UPSTREAM_BAD_RESPONSE');
    expect(text).not.toContain('canary');
  });

  test('a null is reported, and the rest stays', async ({ gateway, upstream }) => {
    upstream.script(() => rowsReply({ tags: ['a', null, 7, 'b'] }));
    const { data, errors } = await gateway.query('{ ipConnections { nodes { tags } } }');
    expect(data.ipConnections.nodes).toEqual([{ tags: ['a', null, null, 'b'] }]);
    expect(errors.map(({ path }) => path)).toEqual([1, 2].map((index) => ['ipConnections', 'nodes', 0, 'tags', index]));
  });
});
