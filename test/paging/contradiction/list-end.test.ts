import { expect, test } from '../../support/gateway.ts';
import { attemptAt, MovingUpstream } from '../../support/moving-upstream.ts';
import { clampedTo, serve, silentlyClampedTo, type Manner } from './manner.ts';

const url = 'https://a.example.com/hooks';
const mostTurns = 6;

const manners: readonly [string, Manner][] = [
  ['nothing is odd', {}],
  ['meta is missing', { metaOf: () => undefined }],
  ['pages are clamped to 20', clampedTo(20)],
  ['pages are clamped to 20 in silence', silentlyClampedTo(20)],
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
