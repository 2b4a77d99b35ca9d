import { expect, test } from '../../support/gateway.ts';
import { attemptAt, MovingUpstream } from '../../support/moving-upstream.ts';
import { contains, eventContains, naming } from './connection-delivery.ts';

const fifty = `{
  ipConnections(first: 50) { nodes { id webhookDeliveries(first: 5) { nodes { id ipConnection { id } } } } }
}`;

interface Owner {
  readonly id: string;
  readonly webhookDeliveries: {
    readonly nodes: readonly { readonly id: string; readonly ipConnection: { readonly id: string } | null }[];
  };
}

test('fifty connections with deliveries take a call for each, and each address', async ({ gateway, upstream }) => {
  const urls = Array.from({ length: 20 }, (_, index) => `https://${index}.example.com/`);
  const connections = new MovingUpstream('/ip_connections', 60, (index) => ({
    webhook_event_url: urls[index % 20],
    webhook_event_failover_url: index % 3 === 0 ? urls[(index + 1) % 20] : null,
  }));
  const deliveries = new MovingUpstream('/webhook_deliveries', 3000, (index) => ({
    ...naming(`row-${index % 60}`),
    attempts: [attemptAt(urls[(index % 60) % 20] ?? '')],
  }));
  upstream.script((request) => (request.path === connections.path ? connections : deliveries).answer(request));
  const { data, errors } = await gateway.query(fifty);
  expect(errors).toEqual([]);
  for (const [index, { webhookDeliveries }] of (data.ipConnections.nodes as Owner[]).entries())
    expect(webhookDeliveries.nodes.map(({ id }) => id)).toEqual(
      Array.from({ length: 5 }, (_, page) => `row-${index + page * 60}`),
    );
  const calls = upstream.requests.splice(0).map(({ path, query }) => query[eventContains] ?? query[contains] ?? path);
  const expected = [...connections.ids.slice(0, 50), ...urls, connections.path, connections.path];
  expect(calls.toSorted()).toEqual(expected.toSorted());
});
