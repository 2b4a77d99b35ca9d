import { lookUpAll } from '../../lists/look-up/kind.ts';
import { expect, test } from '../../support/gateway.ts';
import { MovingUpstream, timestampAt } from '../../support/moving-upstream.ts';
import { clampedTo, cutTo, serve, silentlyClampedTo, type Manner } from './manner.ts';

const manners: readonly [string, number, Manner][] = [
  ['clamped to 20 in silence', 20, silentlyClampedTo(20)],
  ['clamped to 20', 20, clampedTo(20)],
  ['clamped to 1', 1, clampedTo(1)],
  ['cut to 100', 100, cutTo(100)],
];

test.for(manners)(
  'a search for a row makes no more calls than set where pages are %s',
  async ([, size, manner], { startWith, upstream }) => {
    const gateway = await startWith({ UPSTREAM_SCAN_PAGES: '12' });
    const list = new MovingUpstream('/webhook_deliveries', 13 * size);
    upstream.script(serve(list, manner));
    const { errors, text } = await gateway.query(lookUpAll('webhookDelivery', ['nobody']), {
      headers: { 'x-cost': '1' },
    });
    expect(errors).toMatchObject([{ path: ['a0'], extensions: { code: 'QUERY_TOO_COMPLEX', retryable: false } }]);
    expect(upstream.requests.length).toBeLessThanOrEqual(12);
    const { cost } = JSON.parse(text).extensions;
    expect(cost.upstreamCalls).toBe(upstream.requests.length);
    expect(cost.upstreamCalls).toBeLessThanOrEqual(cost.estimated);
  },
);

test('a cursor whose row those calls do not find is an error that says so', async ({ startWith, upstream }) => {
  const gateway = await startWith({ UPSTREAM_SCAN_PAGES: '2' });
  // In no order of time, which would show the way.
  const list = new MovingUpstream('/ip_connections', 5_000, () => ({ created_at: null }));
  upstream.script(list.answer);
  const page = (args: string): string => `{ ipConnections(${args}) { nodes { id } pageInfo { endCursor } } }`;
  const { data } = await gateway.query(page('first: 5, offset: 2500'));
  list.insert(0, 2_000);
  list.delete(5_000, 2_000);
  upstream.requests.length = 0;
  const { errors } = await gateway.query(page(`first: 5, after: "${data.ipConnections.pageInfo.endCursor}"`));
  expect(errors).toMatchObject([
    {
      message: expect.stringContaining('Begin again without the cursor'),
      extensions: { code: 'QUERY_TOO_COMPLEX', limit: 2, actual: 3 },
    },
  ]);
  // The page at the old place, and the search.
  expect(upstream.requests).toHaveLength(3);
});

test('a row that has moved is looked for by time, outwards from its place', async ({ gateway, upstream }) => {
  const list = new MovingUpstream('/webhook_deliveries', 2_000);
  upstream.script(list.answer);
  const page = (args: string): string =>
    `{ webhookDeliveries(first: 10, ${args}) { nodes { id } pageInfo { endCursor } } }`;
  const { data } = await gateway.query(page('offset: 990'));
  // As many have come as have gone, so that the length does not tell how far the row has moved.
  list.insert(0, 600);
  list.delete(2_000, 600);
  upstream.requests.length = 0;
  const next = await gateway.query(page(`after: "${data.webhookDeliveries.pageInfo.endCursor}"`));
  expect(next.data.webhookDeliveries.nodes.map(({ id }: { readonly id: string }) => id)).toEqual(
    list.ids.slice(1_600, 1_610),
  );
  expect(upstream.requests.map(({ rawQuery }) => rawQuery)).toEqual([
    'page[number]=39&page[size]=26',
    'page[number]=5&page[size]=250',
    'page[number]=6&page[size]=250',
    'page[number]=7&page[size]=250',
    'page[number]=58&page[size]=28',
  ]);
});

test('a row that has moved is found among many of its moment', async ({ gateway, upstream }) => {
  for (const index of [0, 250, 599]) {
    const list = new MovingUpstream('/webhook_deliveries', 900, (row) =>
      row < 100 || row >= 700 ? {} : { started_at: timestampAt(-150_000) },
    );
    upstream.script(list.answer);
    const page = (args: string): string =>
      `{ webhookDeliveries(first: 3, ${args}) { nodes { id } pageInfo { endCursor startCursor } } }`;
    const { data } = await gateway.query(page(`offset: ${100 + index}`));
    const { startCursor } = data.webhookDeliveries.pageInfo;
    // As many have come as have gone, and neither the row's neighbours nor the list's length tell how far it has moved.
    list.insert(0, 60);
    list.delete(900, 60);
    const next = await gateway.query(page(`after: "${startCursor}"`));
    expect(next.errors).toEqual([]);
    expect(next.data.webhookDeliveries.nodes.map(({ id }: { readonly id: string }) => id)).toEqual(
      list.ids.slice(161 + index, 164 + index),
    );
  }
});

test.for<[says: string, meta: object | null, code: string]>([
  ['how long it is', null, 'UPSTREAM_ERROR'],
  ['no length', {}, 'UPSTREAM_ERROR'],
  ['one length for ever', { total_results: 5_000 }, 'UPSTREAM_BAD_RESPONSE'],
])(
  'a list that never stands still and says %s fails as what it seems',
  async ([, meta, code], { gateway, upstream }) => {
    const list = new MovingUpstream('/webhook_deliveries', 5_000);
    upstream.script((request) => {
      const { json } = list.answer(request);
      list.insert(0, 400);
      return { json: { ...(json as object), ...(meta !== null && { meta }) } };
    });
    const { errors } = await gateway.query('{ webhookDeliveries(first: 500) { nodes { id } } }');
    expect(errors).toMatchObject([{ extensions: { code, retryable: code === 'UPSTREAM_ERROR' } }]);
    // Three readings of two pages.
    expect(upstream.requests).toHaveLength(6);
  },
);

test('a page between two cursors is right, or an error where the list moves between them', async ({
  gateway,
  upstream,
}) => {
  const list = new MovingUpstream('/ip_connections', 60);
  const page = (args: string): string =>
    `{ ipConnections(${args}) { nodes { id } pageInfo { endCursor startCursor } } }`;
  upstream.script(list.answer);
  const { data } = await gateway.query(page('first: 10, offset: 20'));
  const { startCursor, endCursor } = data.ipConnections.pageInfo;
  let calls = 0;
  upstream.script((request) => {
    const reply = list.answer(request);
    if (calls++ === 0) list.insert(0, 5);
    return reply;
  });
  const between = page(`first: 20, after: "${startCursor}", before: "${endCursor}"`);
  const { errors } = await gateway.query(between);
  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_ERROR', retryable: true } }]);
  const again = await gateway.query(between);
  const ids = list.ids.slice(26, 34);
  expect(again.data.ipConnections.nodes).toEqual(ids.map((id) => ({ id })));
});
