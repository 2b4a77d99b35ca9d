import { describe } from 'vitest';
import { kindOf } from '../../lists/look-up/kind.ts';
import { expect, test } from '../../support/gateway.ts';
import { MovingUpstream } from '../../support/moving-upstream.ts';
import { clampedTo, serve, silentlyClampedTo, type Manner } from './manner.ts';
import { createReader, largestSize } from './reader.ts';

const length = 604;

describe('a list', () => {
  const kind = kindOf('webhookDeliveries');
  const { path, limit } = kind;

  test.for([1_001, 1e300])(
    'is read by pages of its limit at most where meta claims that they have %d rows',
    async (size, { gateway, upstream }) => {
      const list = new MovingUpstream(path, length);
      upstream.script(serve(list, { metaOf: (meta) => ({ ...meta, page_size: size }) }));
      const reader = createReader(gateway, kind);
      expect(await reader.walk(500)).toEqual({ data: list.ids, message: null });
      expect(await reader.page('first: 50, offset: 310')).toMatchObject({ data: list.ids.slice(310, 360) });
      expect(await reader.page('last: 3')).toMatchObject({ data: list.ids.slice(-3) });
      expect(await reader.id('row-300')).toMatchObject({ data: 'row-300' });
      expect(await reader.id('nobody')).toMatchObject({ data: null });
      expect(await reader.count()).toMatchObject({ data: length });
      expect(largestSize(upstream.requests)).toBe(limit);
    },
  );

  test.for([-1, 604.5, 2 ** 31, '604', null])(
    'has no length that is known where total_results is %j, and no error for it',
    async (total, { gateway, upstream }) => {
      const list = new MovingUpstream(path, length);
      upstream.script(serve(list, { metaOf: () => ({ total_results: total }) }));
      const reader = createReader(gateway, kind);
      const { data, errors } = await gateway.query(
        `{ list: ${kind.list}(first: 20) { totalCount nodes { id } pageInfo { hasNextPage } } }`,
      );
      expect(errors).toEqual([]);
      expect(data.list).toMatchObject({ totalCount: null, pageInfo: { hasNextPage: true } });
      expect(await reader.count()).toEqual({ data: null, message: null });
      expect(await reader.walk(500)).toEqual({ data: list.ids, message: null });
      expect(await reader.page('last: 3')).toMatchObject({ data: 'UPSTREAM_BAD_RESPONSE' });
    },
  );

  test.for([
    ['pages are as asked for', {}],
    ['pages are clamped to 100', clampedTo(100)],
    ['pages are clamped to 100 in silence', silentlyClampedTo(100)],
  ] as readonly [string, Manner][])(
    'is read to its end where no total is told and %s',
    async ([, manner], { gateway, upstream }) => {
      const list = new MovingUpstream(path, length);
      const metaOf: Manner['metaOf'] = (meta, page) => ({
        ...(manner.metaOf?.(meta, page) ?? meta),
        total_results: undefined,
        total_pages: undefined,
      });
      upstream.script(serve(list, { ...manner, metaOf }));
      const reader = createReader(gateway, kind);
      for (const first of [20, 250]) expect(await reader.walk(first)).toEqual({ data: list.ids, message: null });
      expect(await reader.id(list.ids.at(-1) ?? '')).toMatchObject({ data: list.ids.at(-1) });
      expect(await reader.id('nobody')).toMatchObject({ data: null });
      expect(await reader.page('last: 3')).toMatchObject({ data: 'UPSTREAM_BAD_RESPONSE' });
      expect(await reader.count()).toEqual({ data: null, message: null });
    },
  );

  test('ends where total_pages says where only that is told', async ({ gateway, upstream }) => {
    const list = new MovingUpstream(path, length);
    upstream.script(serve(list, { metaOf: (meta) => ({ ...meta, total_results: undefined }) }));
    const reader = createReader(gateway, kind);
    expect(await reader.walk(250)).toEqual({ data: list.ids, message: null });
    expect(await reader.page('last: 3')).toMatchObject({ data: list.ids.slice(-3) });
    expect(await reader.id('nobody')).toMatchObject({ data: null });
  });
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
  'a list that grows beyond the largest page while its pages are read is read to its end, where meta tells the size: %s',
  async (isTold, { gateway, upstream }) => {
    const list = new MovingUpstream('/webhook_deliveries', 100);
    let calls = 0;
    upstream.script((request) => {
      if (calls++ === 1) list.insert(0, 1);
      const asked = Number(request.query['page[size]']);
      const reply = list.answer({
        ...request,
        query: { ...request.query, 'page[size]': String(Math.min(asked, 100)) },
      });
      const { data, meta } = reply.json as { readonly data: unknown; readonly meta: object };
      return { json: { data, meta: isTold ? meta : { ...meta, page_size: asked } } };
    });
    const { data, errors } = await gateway.query('{ list: webhookDeliveries(first: 500) { nodes { id } totalCount } }');
    expect(errors).toEqual([]);
    expect(data.list.nodes.map(({ id }: { readonly id: string }) => id)).toEqual(list.ids);
    expect(data.list.totalCount).toBe(101);
  },
);
