import { kinds, type Kind } from '../lists/look-up/kind.ts';
import { expect, test } from '../support/gateway.ts';
import { attemptAt, MovingUpstream } from '../support/moving-upstream.ts';
import { clampedTo, serve, type Manner } from './manner.ts';
import { createReader } from './reader.ts';

const url = 'https://a.example.com/hooks';
const mostTurns = 6;

const manners: readonly [string, Manner][] = [
  ['total_results is 0', { metaOf: (meta) => ({ ...meta, total_results: 0, total_pages: 0 }) }],
  ['total_results is 1', { metaOf: (meta) => ({ ...meta, total_results: 1, total_pages: 1 }) }],
  ['meta is missing', { metaOf: () => undefined }],
  ['pages are clamped to 20', clampedTo(20)],
];

test.for(manners)(
  'the deliveries of a connection come whole, and end, where %s',
  async ([, manner], { gateway, upstream }) => {
    const deliveries = new MovingUpstream('/webhook_deliveries', 304, () => ({ attempts: [attemptAt(url)] }));
    const connections = new MovingUpstream('/ip_connections', 1, () => ({ webhook_event_url: url }));
    const answer = serve(deliveries, manner);
    upstream.script((request) => (request.path === '/ip_connections' ? connections.answer(request) : answer(request)));
    const ids: string[] = [];
    for (let turn = 0, after = ''; turn < mostTurns; turn++) {
      const { data, errors } = await gateway.query(`{
      ipConnections(first: 1) {
        nodes { list: webhookDeliveries(first: 100${after}) { nodes { id } pageInfo { hasNextPage endCursor } } }
      }
    }`);
      expect(errors).toEqual([]);
      const { nodes, pageInfo } = data.ipConnections.nodes[0].list;
      ids.push(...nodes.map(({ id }: { readonly id: string }) => id));
      if (!pageInfo.hasNextPage) break;
      after = `, after: "${pageInfo.endCursor}"`;
    }
    expect(ids).toEqual(deliveries.ids);
  },
);

test('a page of a list is whole where the upstream serves rows one by one', async ({ gateway, upstream }) => {
  const list = new MovingUpstream('/ip_connections', 604);
  upstream.script(serve(list, { ...clampedTo(1), metaOf: (meta, { asked }) => ({ ...meta, page_size: asked }) }));
  const { data, errors } = await gateway.query('{ ipConnections(first: 250, offset: 110) { nodes { id } } }');
  expect(errors).toEqual([]);
  expect(data.ipConnections.nodes.map(({ id }: { readonly id: string }) => id)).toEqual(list.ids.slice(110, 360));
});

test('a walk repeats no row where the upstream reports its number of pages as that of rows', async ({
  gateway,
  upstream,
}) => {
  const list = new MovingUpstream('/ip_connections', 105);
  upstream.script(
    serve(list, {
      ...clampedTo(7),
      metaOf: ({ page_number, total_pages }) => ({ page_number, total_results: total_pages }),
    }),
  );
  const [connections] = kinds;
  const { data, message } = await createReader(gateway, connections as Kind).walk(24);
  expect(data).toEqual(list.ids.slice(0, 24));
  expect(message).toMatch(/^UPSTREAM_BAD_RESPONSE: The upstream's list contradicts itself: it says 15 rows in all/);
});
