import fc from 'fast-check';
import { describe, expect, test, type Gateway } from '../../support/gateway.ts';
import { attemptAt, MovingUpstream } from '../../support/moving-upstream.ts';
import type { JsonRecord } from '../../support/records.ts';
import { runs } from '../../support/runs.ts';
import { backup, contains, eventContains, longer, main, naming } from './connection-delivery.ts';

const owned = `query ($after: String) {
  ipConnections(first: 50, after: $after) { nodes { id webhookDeliveries(first: 100) { totalCount nodes { id } } } }
}`;
const owners = '{ webhookDeliveries(first: 100) { nodes { id ipConnection { id } } } }';
const listed = `query ($id: ID!, $first: Int, $offset: Int) {
  webhookDeliveries(filter: { connectionId: $id }, first: $first, offset: $offset) { totalCount offset nodes { id } }
}`;

const idsOf = (nodes: readonly { readonly id: string }[]): readonly string[] => nodes.map(({ id }) => id);

/** The deliveries of each connection, by its own list. */
async function readOwned(gateway: Gateway): Promise<ReadonlyMap<string, readonly string[]>> {
  const data = await gateway.data(owned);
  return new Map(data.ipConnections.nodes.map((node: any) => [node.id, idsOf(node.webhookDeliveries.nodes)]));
}

/** The deliveries of each connection, by what each delivery says of itself. */
async function readOwners(gateway: Gateway): Promise<ReadonlyMap<string, readonly string[]>> {
  const data = await gateway.data(owners);
  const byOwner = Map.groupBy<string, any>(data.webhookDeliveries.nodes, ({ ipConnection }) => ipConnection?.id);
  return new Map([...byOwner].map(([id, nodes]) => [id, idsOf(nodes)]));
}

const urls = [main, longer, backup, `${main}?tenant=1`, null, ''];
// Some contain each other.
const ids = ['1', '12', '121', '2121', 'a-1'];
const connection = fc.record({
  webhook_event_url: fc.constantFrom(...urls),
  webhook_event_failover_url: fc.constantFrom(...urls),
});
const payloads: readonly JsonRecord[] = [
  ...ids.map(naming),
  naming('of a message'),
  naming(''),
  naming(12),
  naming(null),
  { webhook: { payload: null } },
  { webhook: null },
  { webhook: { id: '121', payload: { other: '12' } } },
];
const address = fc.constantFrom(main, longer, backup, `${main}?tenant=1`, 'https://nobody.example.com/');
const delivery = fc.record({ event: fc.constantFrom(...payloads), tried: fc.array(address, { maxLength: 3 }) });
const world = fc.record({
  connections: fc.array(connection, { minLength: 1, maxLength: ids.length }),
  deliveries: fc.array(delivery, { maxLength: 40 }),
});

type World = typeof world extends fc.Arbitrary<infer Value> ? Value : never;

/** Whose a delivery is, told in another way than the gateway's. */
function ownerIn({ connections }: World, { event, tried }: World['deliveries'][number]): string | undefined {
  // An integer names a connection as its digits do.
  const named = String((event as any).webhook?.payload?.connection_id);
  const own = ids.slice(0, connections.length);
  if (own.includes(named)) return named;
  const ownersOf = (url: string): readonly string[] =>
    own.filter((_id, index) => Object.values(connections[index] ?? {}).includes(url));
  return tried.map(ownersOf).find((all) => all.length === 1)?.[0];
}

describe('a connection and a delivery', () => {
  test('agree on who belongs to whom, in every account', async ({ gateway, upstream }) => {
    await fc.assert(
      fc.asyncProperty(world, async (account) => {
        const connections = new MovingUpstream('/ip_connections', account.connections.length, (index) => ({
          ...account.connections[index],
          id: ids[index],
        }));
        const deliveries = new MovingUpstream('/webhook_deliveries', account.deliveries.length, (index) => ({
          ...account.deliveries[index]?.event,
          attempts: account.deliveries[index]?.tried.map((url) => attemptAt(url)),
        }));
        upstream.script((request) => (request.path === connections.path ? connections : deliveries).answer(request));
        const byOwned = await readOwned(gateway);
        const byOwners = await readOwners(gateway);
        for (const id of connections.ids) {
          const expected = deliveries.ids.filter((_id, index) => {
            const each = account.deliveries[index];
            return each !== undefined && ownerIn(account, each) === id;
          });
          expect(byOwned.get(id)).toEqual(expected);
          expect(byOwners.get(id) ?? []).toEqual(expected);
          const { data } = await gateway.query(listed, { variables: { id, first: 100 } });
          expect(idsOf(data.webhookDeliveries.nodes)).toEqual(expected);
          expect(data.webhookDeliveries).toMatchObject({ totalCount: expected.length, offset: 0 });
        }
      }),
      { numRuns: runs(20) },
    );
  });

  test('take two calls side by side, and one of connections where needed', async ({ gateway, upstream }) => {
    const connections = new MovingUpstream('/ip_connections', 2, (index) => ({
      webhook_event_url: index === 0 ? main : backup,
    }));
    const named = new MovingUpstream('/webhook_deliveries', 30, () => ({
      ...naming('row-0'),
      attempts: [attemptAt(main)],
    }));
    upstream.script((request) => (request.path === connections.path ? connections : named).answer(request));
    const query = '{ ipConnections(first: 1) { nodes { webhookDeliveries(first: 5) { nodes { id } } } } }';
    expect((await gateway.query(query)).errors).toEqual([]);
    const lists = upstream.requests.splice(0).map((request) => request.query[eventContains] ?? request.query[contains]);
    expect(lists).toEqual([undefined, 'row-0', main]);
    named.insert(3, 1, { ...naming('of a message'), attempts: [attemptAt(main)] });
    const { data } = await gateway.query(query);
    expect(data.ipConnections.nodes[0].webhookDeliveries.nodes).toHaveLength(5);
    expect(upstream.requests.map(({ path }) => path)).toEqual([
      connections.path,
      named.path,
      named.path,
      connections.path,
    ]);
  });

  test('are listed by the identifier of what is no connection, where events name it', async ({ gateway, upstream }) => {
    const connections = new MovingUpstream('/ip_connections', 1, () => ({ webhook_event_url: main }));
    const deliveries = new MovingUpstream('/webhook_deliveries', 6, (index) => ({
      ...naming(index % 2 === 0 ? 'gone' : 'gone-too'),
      attempts: [attemptAt(main)],
    }));
    upstream.script((request) => (request.path === connections.path ? connections : deliveries).answer(request));
    const data = await gateway.data(listed, { variables: { id: 'gone', first: 2, offset: 1 } });
    expect(data.webhookDeliveries).toEqual({ totalCount: 3, offset: 1, nodes: [{ id: 'row-2' }, { id: 'row-4' }] });
  });
});

test('fifty connections with deliveries take a call for each, and each address', async ({ gateway, upstream }) => {
  const addresses = Array.from({ length: 20 }, (_, index) => `https://${index}.example.com/`);
  const connections = new MovingUpstream('/ip_connections', 60, (index) => ({
    webhook_event_url: addresses[index % 20],
    webhook_event_failover_url: index % 3 === 0 ? addresses[(index + 1) % 20] : null,
  }));
  const deliveries = new MovingUpstream('/webhook_deliveries', 3000, (index) => ({
    ...naming(`row-${index % 60}`),
    attempts: [attemptAt(addresses[(index % 60) % 20] ?? '')],
  }));
  upstream.script((request) => (request.path === connections.path ? connections : deliveries).answer(request));
  const data = await gateway.data(
    '{ ipConnections(first: 50) { nodes { id webhookDeliveries(first: 5) { nodes { id ipConnection { id } } } } } }',
  );
  for (const [index, { webhookDeliveries }] of data.ipConnections.nodes.entries())
    expect(idsOf(webhookDeliveries.nodes)).toEqual(Array.from({ length: 5 }, (_, page) => `row-${index + page * 60}`));
  const calls = upstream.requests.splice(0).map(({ path, query }) => query[eventContains] ?? query[contains] ?? path);
  const expected = [...connections.ids.slice(0, 50), ...addresses, connections.path, connections.path];
  expect(calls.toSorted()).toEqual(expected.toSorted());
});
