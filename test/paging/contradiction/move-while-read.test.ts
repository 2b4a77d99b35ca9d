import { expect, testOfFile as test } from '../../support/gateway.ts';
import { MovingUpstream, timestampAt } from '../../support/moving-upstream.ts';

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
