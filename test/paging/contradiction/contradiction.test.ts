import { expect, test, type Gateway } from '../../support/gateway.ts';
import { violationsIn } from '../../support/metrics.ts';
import { MovingUpstream } from '../../support/moving-upstream.ts';
import { clampedTo, metaWith, serve, silentlyClampedTo, type Manner } from './manner.ts';

const length = 604;
const withoutTotals: Manner['metaOf'] = ({ page_number, page_size }) => ({ page_number, page_size });
const emptySecond: Manner['rowsOf'] = ({ rows, number }) => (number === 2 ? [] : rows);
const path = '/ip_connections';
const allRows = new MovingUpstream(path, length).rows;

const endCursorIn = ({ list: { pageInfo } }: any): string => pageInfo.endCursor;
const idsIn = ({ list: { nodes } }: any): readonly string[] => nodes.map(({ id }: any) => id);

/** What a query shows, or the code of its error, which is not the caller's. */
async function read(gateway: Gateway, query: string, shownIn: (data: any) => unknown = idsIn): Promise<unknown> {
  const { data, errors } = await gateway.query(`{ ${query} }`);
  const [error] = errors;
  if (error === undefined) return shownIn(data);
  expect(error.extensions).not.toHaveProperty('argument');
  return error.extensions.code;
}

const page = (args: string): string =>
  `list: ipConnections(${args}) { nodes { id } totalCount pageInfo { endCursor } }`;
const readRow = (gateway: Gateway, id: string) =>
  read(gateway, `row: ipConnection(id: "${id}") { id }`, ({ row }) => row?.id ?? null);

/** The ids of all pages, or the code of the error in their middle: what was shown before it is right. */
async function walk(gateway: Gateway, first: number, due: readonly string[]): Promise<unknown> {
  const ids: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const after: string = cursor === '' ? '' : `, after: "${cursor}"`;
    const query = `list: ipConnections(first: ${first}${after}) { nodes { id } pageInfo { hasNextPage endCursor } }`;
    const shown = await read(gateway, query, ({ list }) => list);
    if (typeof shown === 'string') return shown;
    const list: any = shown;
    ids.push(...idsIn({ list }));
    expect(ids).toEqual(due.slice(0, ids.length));
    cursor = list.pageInfo.hasNextPage ? list.pageInfo.endCursor : null;
  }
  return ids;
}

/** A walk by 250 rows, the last three, a look-up of a row on the last page, and one of a row that is not there. */
type Reading = 'walk' | 'last' | 'known' | 'unknown';

const all: readonly Reading[] = ['walk', 'last', 'known', 'unknown'];

/** What is wrong, and the readings that it does not touch: all others are errors. */
const lies: readonly [what: string, manner: Manner, right: readonly Reading[]][] = [
  ['total_pages is 0', metaWith({ total_pages: 0 }), all],
  ['page_size is 0', metaWith({ page_size: 0 }), all],
  ['meta is missing', { metaOf: () => undefined }, ['walk', 'known', 'unknown']],
  [
    'meta has texts for numbers',
    { metaOf: (meta) => Object.fromEntries(Object.entries(meta).map(([name, value]) => [name, String(value)])) },
    all,
  ],
  ['an empty page stands in the middle', { rowsOf: emptySecond }, ['last', 'known']],
  ['an empty page is in the middle, and no total is told', { rowsOf: emptySecond, metaOf: withoutTotals }, ['known']],
  [
    'a page in the middle is short, and there is no meta',
    { rowsOf: ({ rows, number }) => (number === 2 ? rows.slice(0, 3) : rows), metaOf: () => undefined },
    ['known'],
  ],
  ['total_results is too small by one', metaWith({ total_results: length - 1 }), ['known']],
  ['total_results is too large by one', metaWith({ total_results: length + 1 }), ['known']],
  ['page_number is always 1', metaWith({ page_number: 1 }), ['known']],
  ['the first page is empty', { rowsOf: ({ rows, number }) => (number === 1 ? [] : rows) }, []],
  ['total_results is 0', metaWith({ total_results: 0 }), []],
  ['total_results is less than a page has', metaWith({ total_results: 100, total_pages: 1 }), []],
  ['total_pages is a thousand', metaWith({ total_pages: 1_000 }), []],
  ['every page is the first one', { rowsOf: ({ used }) => allRows.slice(0, used) }, []],
  ['meta is that of another list', metaWith({ total_results: 7, total_pages: 1, page_number: 1, page_size: 20 }), []],
  ['data is null', { rowsOf: () => null }, []],
  ['a page has one row twice', { rowsOf: ({ rows }) => rows.toSpliced(3, 0, ...rows.slice(3, 4)) }, []],
  [
    'each page begins with the last row of the one before',
    { rowsOf: ({ rows, number, used }) => [allRows[(number - 1) * used - 1] ?? rows[0], ...rows.slice(1)] },
    ['last', 'known'],
  ],
  [
    'only the first page tells a total, which is too large',
    { metaOf: (_meta, { number }) => (number === 1 ? { total_results: length + 9 } : {}) },
    ['known'],
  ],
  // Each is a public report of another API or library, or one of its kind.
  ['each page counts its own rows', { metaOf: (meta, { rows }) => ({ ...meta, total_results: rows.length }) }, []],
  ['total_results is the size of a page', { metaOf: (meta) => ({ ...meta, total_results: meta.page_size }) }, []],
  [
    'each page counts the rows from it on',
    { metaOf: (meta, { number, used }) => ({ ...meta, total_results: length - (number - 1) * used }) },
    ['known'],
  ],
  [
    'all pages but the last are counted',
    { metaOf: (meta, { used }) => ({ ...meta, total_results: length - (length % used || used) }) },
    [],
  ],
  ['each page is another one', { metaOf: (meta) => ({ ...meta, page_number: meta.page_number + 1 }) }, []],
];

test.for(lies)(
  'a list is right or an error, never short, where %s',
  async ([, manner, right], { gateway, upstream }) => {
    const list = new MovingUpstream(path, length);
    upstream.script(serve(list, manner));
    const known = list.ids[601] ?? '';
    const readings = {
      walk: { due: list.ids, shown: await walk(gateway, 250, list.ids) },
      last: { due: list.ids.slice(-3), shown: await read(gateway, page('last: 3')) },
      known: { due: known, shown: await readRow(gateway, known) },
      unknown: { due: null, shown: await readRow(gateway, 'nobody') },
    };
    const failed = expect.stringMatching(/^UPSTREAM_(?:BAD_RESPONSE|ERROR)$/);
    for (const [name, { due, shown }] of Object.entries(readings))
      expect([name, shown]).toEqual([name, right.includes(name as Reading) ? due : failed]);
    if (right.length === 0) expect(Object.keys(await violationsIn(gateway)).join()).toContain('ipConnections');
  },
);

const untold = { total_results: undefined, total_pages: undefined };

/** What is said of a list, and whether that tells its length. */
const manners: readonly (readonly [what: string, manner: Manner, isTold: boolean])[] = [
  ...[1_001, 1e300].map((size) => [`pages have ${size} rows`, metaWith({ page_size: size }), true] as const),
  ...[-1, 604.5, 2 ** 31, '6e2', null].map(
    (total) => [`total_results is ${total}`, { metaOf: () => ({ total_results: total }) }, false] as const,
  ),
  ['no total is told', metaWith(untold), false],
  ['no total is told, and pages are clamped to 100', { ...clampedTo(100), ...metaWith(untold) }, false],
  [
    'no total is told, and pages are clamped to 100 in silence',
    { ...clampedTo(100), metaOf: (meta, { asked }) => ({ ...meta, ...untold, page_size: asked }) },
    false,
  ],
  ['only total_pages is told', metaWith({ total_results: undefined }), true],
];

test.for(manners)('a list is read to its end where %s', async ([what, manner, isTold], { gateway, upstream }) => {
  const list = new MovingUpstream(path, length);
  upstream.script(serve(list, manner));
  for (const first of [20, 500]) expect(await walk(gateway, first, list.ids)).toEqual(list.ids);
  expect(await read(gateway, page('first: 50, offset: 310'))).toEqual(list.ids.slice(310, 360));
  expect(await read(gateway, page('last: 3'))).toEqual(isTold ? list.ids.slice(-3) : 'UPSTREAM_BAD_RESPONSE');
  const cursorAt = (offset: number) => read(gateway, page(`first: 1, offset: ${offset}`), endCursorIn);
  const between = `after: "${String(await cursorAt(599))}", before: "${String(await cursorAt(603))}"`;
  for (const count of ['first', 'last'])
    expect(await read(gateway, page(`${count}: 5, ${between}`))).toEqual(list.ids.slice(600, 603));
  for (const id of ['row-300', 'row-603']) expect(await readRow(gateway, id)).toBe(id);
  expect(await readRow(gateway, 'nobody')).toBeNull();
  // Of a list that tells its pages alone a count reads one of them.
  const count = await read(gateway, 'list: ipConnections { totalCount }', ({ list: { totalCount } }) => totalCount);
  if (!what.startsWith('only')) expect(count).toBe(isTold ? length : null);
  expect(Math.max(...upstream.requests.map(({ query }) => Number(query['page[size]'])))).toBe(250);
});

test.for<[pages: string, manner: Manner, calls: readonly [unknown: number, last: number]]>([
  ['as asked for', {}, [3, 2]],
  ['of 100 rows at most, told', clampedTo(100), [7, 2]],
  ['of 100 rows at most, not told', silentlyClampedTo(100), [8, 2]],
  ['without counts', metaWith(untold), [3, 1]],
])('pages %s take the calls of docs/guide/lists.md', async ([pages, manner, calls], { gateway, upstream }) => {
  const list = new MovingUpstream(path, length);
  upstream.script(serve(list, manner));
  expect(await readRow(gateway, 'nobody')).toBeNull();
  const { length: unknown } = upstream.requests.splice(0);
  const last = pages === 'without counts' ? 'UPSTREAM_BAD_RESPONSE' : list.ids.slice(-3);
  expect(await read(gateway, page('last: 3'))).toEqual(last);
  expect([unknown, upstream.requests.length]).toEqual(calls);
});

test.for([
  [12, 5, 8],
  [11, 4, 7],
] as const)(
  'of %i rows, clamped to %i in silence, those behind the cursor of row %i are whole',
  async ([total, most, offset], { gateway, upstream }) => {
    const list = new MovingUpstream(path, total);
    const metaOf: Manner['metaOf'] = (meta, { asked }) => ({ ...meta, total_pages: undefined, page_size: asked });
    upstream.script(serve(list, { ...clampedTo(most), metaOf }));
    const { data } = await gateway.query(`{ ${page(`first: 1, offset: ${offset}`)} }`);
    const behind = page(`first: 2, after: "${data.list.pageInfo.endCursor}"`);
    expect(await read(gateway, behind)).toEqual(list.ids.slice(offset + 1, offset + 3));
  },
);

// Each has as many rows as the page that was asked for, but those of other positions.
test.for<[what: string, length: number, size: number, shown: readonly number[] | string, manner: Manner]>([
  ['says that others follow', 350, 250, [250, 350], silentlyClampedTo(100)],
  ['says that it is larger', 30, 10, 'UPSTREAM_BAD_RESPONSE', { sizeOf: (size) => Math.max(size, 20) }],
])('a page is not taken for the second that %s', async ([, total, size, shown, manner], { gateway, upstream }) => {
  const list = new MovingUpstream(path, total);
  upstream.script(serve(list, manner));
  const due = typeof shown === 'string' ? shown : list.ids.slice(...shown);
  expect(await read(gateway, page(`first: ${size}, offset: ${size}`))).toEqual(due);
});

const missions = (metaOf: Manner['metaOf']) =>
  serve(new MovingUpstream('/ai/missions', 23), { ...clampedTo(5), ...(metaOf && { metaOf }) });
const noMeta = { total_pages: null, total_results: null, page_number: null, page_size: null };

test.for<[what: string, told: object]>([
  ['none', { ...noMeta, total_results: 0 }],
  ['its own rows', { ...noMeta, total_results: 3 }],
  ['a row less than those before it', { total_pages: 5, total_results: 20, page_number: 5, page_size: 5 }],
  ['fewer than it and those before it', { ...noMeta, total_results: 14, page_number: 5 }],
])('a page behind others that counts %s is an error', async ([, told], { gateway, upstream }) => {
  upstream.script(missions((meta) => (meta.page_number === 5 ? told : meta)));
  // The second one is kept off the bytes and the plan.
  for (const also of ['', '__schema { __typename }']) {
    const query = `${also} missions(first: 5, offset: 20) { nodes { id } pageInfo { hasNextPage } }`;
    expect(await read(gateway, query)).toBe('UPSTREAM_BAD_RESPONSE');
  }
});

const hour = '{ gte: "2026-10-02T14:00:00Z", lte: "2026-10-02T14:59:00Z" }';

test.for([
  'missions { totalCount }',
  'missions { nodes { id } }',
  'deliveryFailures { examined }',
  'ipConnection(id: "a") { webhookDeliveries { nodes { id } } }',
  `deliveryCounts(startedAt: ${hour}, interval: HOUR) { buckets { total } }`,
])('a count of none beside a row is asked for again, and then an error: %s', async (query, { gateway, upstream }) => {
  const row = { id: 'a', mission_id: 'a', started_at: '2026-10-02T14:00:01Z' };
  let wrong = 1;
  const meta = () => ({ total_results: wrong-- > 0 ? 0 : 1, page_number: 1, page_size: 1 });
  upstream.script(() => ({ json: { data: [row], meta: meta() } }));
  expect(await read(gateway, query, (data) => data)).toBeTypeOf('object');
  wrong = Infinity;
  for (const also of ['', '__schema { __typename }'])
    expect(await read(gateway, `${also} ${query}`)).toBe('UPSTREAM_BAD_RESPONSE');
});

test('a total of none on a page behind the end is asked again at the first page', async ({ gateway, upstream }) => {
  upstream.script(
    missions((meta, { rows }) => (rows.length === 0 ? { ...meta, total_results: 0, total_pages: 0 } : meta)),
  );
  const data = await gateway.data(
    '{ missions(first: 5, offset: 60) { totalCount offset nodes { id } pageInfo { hasNextPage } } }',
  );
  expect(data.missions).toEqual({ totalCount: 23, offset: 23, nodes: [], pageInfo: { hasNextPage: false } });
  expect(upstream.requests.map(({ query }) => query['page[number]'])).toEqual(['13', '1']);
});

test.for([3, 250, 251, 620])(
  'pages behind the end of %i rows may say that there are none',
  async (total, { gateway, upstream }) => {
    const list = new MovingUpstream(path, total);
    upstream.script(
      serve(list, { metaOf: (meta, { rows }) => ({ ...meta, ...(rows.length === 0 && { total_results: 0 }) }) }),
    );
    expect(await walk(gateway, 500, list.ids)).toEqual(list.ids);
    expect(await read(gateway, page(`first: 500, offset: ${total - 2}`))).toEqual(list.ids.slice(-2));
  },
);

// The same two pages would be read for ever, without a call.
test('a list fails of which only the page behind its end tells a total', async ({ gateway, upstream }) => {
  const metaOf: Manner['metaOf'] = (_meta, { rows }) => (rows.length === 0 ? { total_results: 0 } : {});
  upstream.script(serve(new MovingUpstream(path, 3), { metaOf }));
  expect(await readRow(gateway, 'nobody')).toBe('UPSTREAM_BAD_RESPONSE');
  expect(upstream.requests).toHaveLength(3);
});

test('a list is whole whose API has no counts and sends all rows for any page', async ({ gateway, upstream }) => {
  const { rows, ids } = new MovingUpstream('/ip_connections', 5);
  upstream.script(() => ({ json: { data: rows } }));
  const data = await gateway.data('{ list: ipConnections { nodes { id } pageInfo { hasNextPage } } }');
  expect(data.list).toEqual({ nodes: ids.map((id) => ({ id })), pageInfo: { hasNextPage: false } });
  expect(upstream.requests.map(({ rawQuery }) => rawQuery)).toEqual([
    'page[number]=1&page[size]=20',
    'page[number]=2&page[size]=5',
  ]);
});

// A page that holds the whole list does not show that larger pages are served.
test.for([true, false])(
  'a list that grows beyond the largest page is read to its end; meta has its size: %s',
  async (isTold, { gateway, upstream }) => {
    const list = new MovingUpstream('/webhook_deliveries', 100);
    let calls = 0;
    const answer = serve(list, isTold ? clampedTo(100) : silentlyClampedTo(100));
    upstream.script((request) => {
      if (calls++ === 1) list.insert(0, 1);
      return answer(request);
    });
    const data = await gateway.data('{ list: webhookDeliveries(first: 500) { nodes { id } totalCount } }');
    expect(data.list.nodes.map(({ id }: { readonly id: string }) => id)).toEqual(list.ids);
    expect(data.list.totalCount).toBe(101);
  },
);
