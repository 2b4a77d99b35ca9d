import { kindOf } from '../../lists/look-up/kind.ts';
import { expect, test } from '../../support/gateway.ts';
import { MovingUpstream } from '../../support/moving-upstream.ts';
import { clampedTo, metaWith, serve, silentlyClampedTo, type Manner } from './manner.ts';
import { createReader, largestSize } from './reader.ts';

const length = 604;

const untold = { total_results: undefined, total_pages: undefined };

/** What is said of a list, and whether that tells its length. */
const manners: readonly (readonly [what: string, manner: Manner, isTold: boolean])[] = [
  ...[1_001, 1e300].map((size) => [`pages have ${size} rows`, metaWith({ page_size: size }), true] as const),
  ...[-1, 604.5, 2 ** 31, '604', null].map(
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
  const kind = kindOf('webhookDeliveries');
  const list = new MovingUpstream(kind.path, length);
  upstream.script(serve(list, manner));
  const reader = createReader(gateway, kind);
  for (const first of [20, 500]) expect(await reader.walk(first)).toEqual({ data: list.ids, message: null });
  expect(await reader.page('first: 50, offset: 310')).toMatchObject({ data: list.ids.slice(310, 360) });
  expect((await reader.page('last: 3')).data).toEqual(isTold ? list.ids.slice(-3) : 'UPSTREAM_BAD_RESPONSE');
  for (const id of ['row-300', 'row-603']) expect(await reader.id(id)).toMatchObject({ data: id });
  expect(await reader.id('nobody')).toMatchObject({ data: null });
  // Of a list that tells its pages alone a count reads one of them.
  if (!what.startsWith('only')) expect(await reader.count()).toEqual({ data: isTold ? length : null, message: null });
  expect(largestSize(upstream.requests)).toBe(kind.limit);
});

test('a list is whole whose API has no counts and sends all rows for any page', async ({ gateway, upstream }) => {
  const { rows, ids } = new MovingUpstream('/ip_connections', 5);
  upstream.script(() => ({ json: { data: rows } }));
  const { data, errors } = await gateway.query('{ list: ipConnections { nodes { id } pageInfo { hasNextPage } } }');
  expect(errors).toEqual([]);
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
    const { data, errors } = await gateway.query('{ list: webhookDeliveries(first: 500) { nodes { id } totalCount } }');
    expect(errors).toEqual([]);
    expect(data.list.nodes.map(({ id }: { readonly id: string }) => id)).toEqual(list.ids);
    expect(data.list.totalCount).toBe(101);
  },
);
