import { describe } from 'vitest';
import { kindOf } from '../../lists/look-up/kind.ts';
import { expect, testOfFile as test } from '../../support/gateway.ts';
import { MovingUpstream, timestampAt } from '../../support/moving-upstream.ts';
import { clampedTo, serve } from './manner.ts';
import { createReader } from './reader.ts';

const mostCalls = 12;

/** Pairs of two calls, the earlier one first: every second of all there are. */
const pairs = Array.from({ length: mostCalls }, (_, later) => later).flatMap((later) =>
  Array.from({ length: later }, (_, earlier) => [earlier, later] as const).filter(
    ([earlier]) => (earlier + later) % 2 === 1,
  ),
);

describe('a page behind a cursor', () => {
  // The cursor's row is the last, the middle or the first one of an upstream's page.
  test.for([
    [30, kindOf('ipConnections')],
    [29, kindOf('missions')],
    [28, kindOf('webhookDeliveries')],
  ] as const)(
    'repeats and skips no row behind %d others, whenever rows move',
    async ([passed, kind], { gateway, upstream }) => {
      const { list: name, path } = kind;
      const expected = Array.from({ length: 10 }, (_, index) => `row-${passed + index}`);
      const reader = createReader(gateway, kind);
      let rightPages = 0;
      for (const [deleted, inserted] of pairs) {
        const list = new MovingUpstream(path, 84);
        const serveThree = serve(list, clampedTo(3));
        upstream.script(serveThree);
        const { data } = await gateway.query(`{ list: ${name}(first: ${passed}) { pageInfo { endCursor } } }`);
        list.insert(0, 2);
        let calls = 0;
        upstream.script((request) => {
          if (calls === deleted) list.delete(0, 1);
          if (calls === inserted) list.insert(0, 2);
          calls++;
          return serveThree(request);
        });
        const read = await reader.page(`first: 10, after: "${data.list.pageInfo.endCursor}"`);
        expect(['UPSTREAM_ERROR', expected], `${deleted} ${inserted}`).toContainEqual(read.data);
        if (read.message === null) rightPages++;
      }
      expect(rightPages / pairs.length).toBeGreaterThan(0.75);
    },
  );
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

test('the last rows take few calls where every second page lies about the length', async ({ gateway, upstream }) => {
  const kind = kindOf('ipConnections');
  const list = new MovingUpstream(kind.path, 600);
  upstream.script(
    serve(list, {
      ...clampedTo(30),
      metaOf: (meta, { calls }) => (calls % 2 === 0 ? meta : { ...meta, total_results: 2 ** 31 - 1 }),
    }),
  );
  const read = await createReader(gateway, kind).page('last: 30');
  expect(['UPSTREAM_BAD_RESPONSE', 'UPSTREAM_ERROR', list.ids.slice(-30)]).toContainEqual(read.data);
  expect(upstream.requests.length).toBeLessThan(40);
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
