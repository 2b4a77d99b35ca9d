import { describe } from 'vitest';
import { expect, test, type Gateway } from '../support/gateway.ts';
import { missionRecord, webhookDeliveryRecord } from '../support/records.ts';
import { refusal, type Reply, type SeenRequest } from '../support/scripted-upstream.ts';

interface Meta {
  total_pages: number | null;
  total_results: number | null;
  page_number: number | null;
  page_size: number | null;
}

interface Told {
  readonly rows: readonly unknown[];
  readonly number: number;
  readonly size: number;
  readonly all: number;
}

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
    (meta, { number, size, all }) => ({ ...meta, total_results: all - (number - 1) * size }),
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

const missions = Array.from({ length: 23 }, (_, index) =>
  missionRecord({ mission_id: `m${index}`, created_at: `2026-10-02T14:00:${String(59 - index)}Z` }),
);
const failures = Array.from({ length: 23 }, (_, index) =>
  webhookDeliveryRecord({ id: `d${index}`, status: 'failed', started_at: `2026-10-02T14:00:${String(59 - index)}Z` }),
);

const codesOf = (errors: readonly any[]): readonly string[] => errors.map(({ extensions }) => extensions.code);

/** Whether an answer is an error, or right. */
async function expectHonest(gateway: Gateway, document: string, isRight: (data: any) => boolean): Promise<void> {
  // A fragment's type condition keeps it off the bytes; `__schema` off the plan.
  for (const query of [document, document.replace('{', '{ __schema { __typename }')]) {
    const { data, errors } = await gateway.query(query);
    if (errors.length > 0) {
      for (const code of codesOf(errors)) expect(code).toMatch(/^UPSTREAM_(?:BAD_RESPONSE|ERROR)$/);
    } else expect([document, data, isRight(data)]).toEqual([document, data, true]);
  }
}

describe.for(totals)('where each page %s', ([, tell]) => {
  test('a list, a count and a look-up are whole or an error', async ({ gateway, upstream }) => {
    upstream.script(telling(missions, tell));
    await expectHonest(
      gateway,
      '{ missions(first: 50) { nodes { id } } }',
      (data) => data.missions.nodes.length === 23,
    );
    await expectHonest(
      gateway,
      '{ missions(first: 5) { pageInfo { hasNextPage } nodes { id } } }',
      (data) => data.missions.pageInfo.hasNextPage,
    );
    await expectHonest(gateway, '{ missions { totalCount } }', (data) => [23, null].includes(data.missions.totalCount));
    await expectHonest(gateway, '{ mission(id: "m17") { id } }', (data) => data.mission?.id === 'm17');
    await expectHonest(
      gateway,
      '{ missions(last: 3) { nodes { id } } }',
      (data) => data.missions.nodes[2]?.id === 'm22',
    );
    await expectHonest(
      gateway,
      '{ missions(first: 5, offset: 20) { nodes { id } } }',
      (data) => data.missions.nodes[2]?.id === 'm22',
    );
  });

  test('failures, counts and a relation are whole or an error', async ({ gateway, upstream }) => {
    upstream.script((request) => {
      if (request.path === '/ip_connections') return refusal(404, '10005', 'Not found');
      return telling(failures, tell)(request);
    });
    await expectHonest(
      gateway,
      '{ deliveryFailures { examined isWhole } }',
      ({ deliveryFailures }) => deliveryFailures.examined === 23 || !deliveryFailures.isWhole,
    );
    await expectHonest(
      gateway,
      `{ deliveryCounts(startedAt: { gte: "2026-10-02T14:00:00Z", lte: "2026-10-02T14:59:00Z" }, interval: HOUR) { buckets { total } } }`,
      ({ deliveryCounts }) => deliveryCounts.buckets[0].total === 23,
    );
  });
});

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
