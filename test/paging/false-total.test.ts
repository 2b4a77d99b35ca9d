import { expect, test } from '../support/gateway.ts';
import { missionRecord, webhookDeliveryRecord } from '../support/records.ts';
import type { Reply, SeenRequest } from '../support/scripted-upstream.ts';

type Meta = Readonly<Record<'total_pages' | 'total_results' | 'page_number' | 'page_size', number | null>>;
type Told = Readonly<Record<'number' | 'size' | 'all', number>> & { readonly rows: readonly unknown[] };

/** A list whose pages have at most five rows, and what it says of itself. */
const telling =
  (all: readonly unknown[], tell: (meta: Meta, told: Told) => Meta) =>
  ({ query }: SeenRequest): Reply => {
    const size = Math.min(Number(query['page[size]']), 5);
    const number = Number(query['page[number]']);
    const rows = all.slice((number - 1) * size, number * size);
    const pages = Math.ceil(all.length / size);
    const meta = { total_pages: pages, total_results: all.length, page_number: number, page_size: size };
    return { json: { data: rows, meta: tell(meta, { rows, number, size, all: all.length }) } };
  };

// Each is a public report of another API or library, or one of its kind.
const totals: readonly [string, (meta: Meta, told: Told) => Meta][] = [
  ['counts the rows of its page', (meta, { rows }) => ({ ...meta, total_results: rows.length })],
  ['says its size', (meta) => ({ ...meta, total_results: meta.page_size })],
  [
    'counts the rows from its page on',
    (meta, told) => ({ ...meta, total_results: told.all - (told.number - 1) * told.size }),
  ],
  ['says none', (meta) => ({ ...meta, total_results: 0 })],
  ['says none, on no page', (meta) => ({ ...meta, total_results: 0, total_pages: 0 })],
  ['says fewer than it holds', (meta, { rows }) => ({ ...meta, total_results: Math.max(0, rows.length - 1) })],
  [
    'counts those of all pages but the last',
    (meta, { size, all }) => ({ ...meta, total_results: all - (all % size || size) }),
  ],
  ['is the first page again', (meta) => ({ ...meta, page_number: 1, total_results: meta.page_size })],
  ['is another page', (meta) => ({ ...meta, page_number: (meta.page_number ?? 0) + 1 })],
];

const timeAt = (index: number): string => `2026-10-02T14:00:${String(59 - index)}Z`;
const rowsOf = (rowAt: (index: number) => unknown) => Array.from({ length: 23 }, (_, index) => rowAt(index));
const missions = rowsOf((index) => missionRecord({ mission_id: `m${index}`, created_at: timeAt(index) }));
const failures = rowsOf((index) =>
  webhookDeliveryRecord({ id: `d${index}`, status: 'failed', started_at: timeAt(index) }),
);

const codesOf = (errors: readonly any[]): readonly string[] => errors.map(({ extensions }) => extensions.code);

const range = '{ gte: "2026-10-02T14:00:00Z", lte: "2026-10-02T14:59:00Z" }';

/** Queries, and whether an answer that is no error is right. */
const asked: readonly (readonly [query: string, isRight: (data: any) => boolean])[] = [
  ['missions(first: 50) { nodes { id } }', ({ missions: { nodes } }) => nodes.length === 23],
  ['missions(first: 5) { pageInfo { hasNextPage } nodes { id } }', (data) => data.missions.pageInfo.hasNextPage],
  ['missions { totalCount }', (data) => [23, null].includes(data.missions.totalCount)],
  ['mission(id: "m17") { id }', (data) => data.mission?.id === 'm17'],
  ['missions(last: 3) { nodes { id } }', (data) => data.missions.nodes[2]?.id === 'm22'],
  ['missions(first: 5, offset: 20) { nodes { id } }', (data) => data.missions.nodes[2]?.id === 'm22'],
  [
    'deliveryFailures { examined isWhole }',
    ({ deliveryFailures: { examined, isWhole } }) => examined === 23 || !isWhole,
  ],
  [
    `deliveryCounts(startedAt: ${range}, interval: HOUR) { buckets { total } }`,
    ({ deliveryCounts: { buckets } }) => buckets[0].total === 23,
  ],
];

test.for(totals)(
  'lists, counts, look-ups are whole or fail where each page %s',
  async ([, tell], { gateway, upstream }) => {
    upstream.script((request) => telling(request.path === '/ai/missions' ? missions : failures, tell)(request));
    for (const [selection, isRight] of asked)
      // `__schema` keeps it off the bytes and the plan.
      for (const query of [`{ ${selection} }`, `{ __schema { __typename } ${selection} }`]) {
        const { data, errors } = await gateway.query(query);
        if (errors.length === 0) expect([query, data, isRight(data)]).toEqual([query, data, true]);
        for (const code of codesOf(errors)) expect(code).toMatch(/^UPSTREAM_(?:BAD_RESPONSE|ERROR)$/);
      }
  },
);

test.for<[what: string, told: Meta]>([
  ['none', { total_pages: null, total_results: 0, page_number: null, page_size: null }],
  ['its own rows', { total_pages: null, total_results: 3, page_number: null, page_size: null }],
  ['a row less than those before it', { total_pages: 5, total_results: 20, page_number: 5, page_size: 5 }],
  ['fewer than it and those before it', { total_pages: null, total_results: 14, page_number: 5, page_size: null }],
])('a page behind others that counts %s is an error', async ([, told], { gateway, upstream }) => {
  upstream.script(telling(missions, (meta) => (meta.page_number === 5 ? told : meta)));
  const query = '{ missions(first: 5, offset: 20) { nodes { id } pageInfo { hasNextPage } } }';
  for (const document of [query, query.replace('{', '{ __schema { __typename }')]) {
    const { data, errors } = await gateway.query(document);
    expect(data.missions).toBeNull();
    expect(codesOf(errors)).toEqual(['UPSTREAM_BAD_RESPONSE']);
  }
});

test('a total of none on a page behind the end is asked again at the first page', async ({ gateway, upstream }) => {
  upstream.script(
    telling(missions, (meta, { rows }) => (rows.length === 0 ? { ...meta, total_results: 0, total_pages: 0 } : meta)),
  );
  const { data, errors } = await gateway.query(
    '{ missions(first: 5, offset: 60) { totalCount offset nodes { id } pageInfo { hasNextPage } } }',
  );
  expect(errors).toEqual([]);
  expect(data.missions).toEqual({ totalCount: 23, offset: 23, nodes: [], pageInfo: { hasNextPage: false } });
  expect(upstream.requests.map(({ query }) => query['page[number]'])).toEqual(['13', '1']);
});

test('no rows of a list without totals have no next page', async ({ gateway, upstream }) => {
  upstream.script(
    telling(missions, () => ({ total_pages: null, total_results: null, page_number: null, page_size: null })),
  );
  const { data } = await gateway.query('{ missions(first: 0) { pageInfo { hasNextPage endCursor } } }');
  expect(data.missions.pageInfo).toEqual({ hasNextPage: false, endCursor: null });
});
