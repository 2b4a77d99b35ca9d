import { describe, expect, test } from '../../support/gateway.ts';
import { attemptAt, MovingUpstream, timestampAt } from '../../support/moving-upstream.ts';
import { type JsonRecord, attemptRecord, ipConnectionRecord, webhookDeliveryRecord } from '../../support/records.ts';
import { backup, deliveriesTo, longer, main } from './connection-delivery.ts';
import { subscribe } from '../../support/streams.ts';
import { pageReply, type Reply, type SeenRequest } from '../../support/scripted-upstream.ts';

describe('the connection of a delivery', () => {
  const document = '{ webhookDeliveries(first: 50) { nodes { id ipConnection { id } } } }';

  test('is the one owner of the newest address, by one scan for a page', async ({ gateway, upstream }) => {
    const shared = 'https://shared.example.com/';
    const urls = new Map([
      [600, { webhook_event_url: main, webhook_event_failover_url: main }],
      [601, { webhook_event_url: longer, webhook_event_failover_url: backup }],
    ]);
    const others = { webhook_event_url: shared };
    const connections = new MovingUpstream('/ip_connections', 700, (index) => urls.get(index) ?? others);
    const attempts: readonly (readonly JsonRecord[])[] = [
      [attemptAt(main)],
      [attemptAt(backup, timestampAt(2)), attemptAt(main, timestampAt(1))],
      // Newest by its start, though not the first.
      [attemptAt(main, timestampAt(1)), attemptAt(longer, timestampAt(2))],
      [attemptAt(shared)],
      [attemptAt('https://nobody.example.com/')],
      [],
    ];
    const deliveries = new MovingUpstream('/webhook_deliveries', 30, (index) => ({ attempts: attempts[index % 6] }));
    upstream.script((request) => (request.path === connections.path ? connections : deliveries).answer(request));
    const data = await gateway.data(document);
    const owners = ['row-600', 'row-601', 'row-601', null, null, null];
    expect(data.webhookDeliveries.nodes.map((node: any) => node.ipConnection?.id ?? null)).toEqual(
      Array.from({ length: 30 }, (_, index) => owners[index % 6]),
    );
    expect(upstream.requests.map(({ path }) => path).toSorted()).toEqual([
      ...Array(3).fill('/ip_connections'),
      '/webhook_deliveries',
    ]);
  });

  test('costs no call where no attempt has an address', async ({ gateway, upstream }) => {
    const deliveries = new MovingUpstream('/webhook_deliveries', 4, (index) => ({ attempts: [null, [], [{}]][index] }));
    upstream.script(deliveries.answer);
    const data = await gateway.data(document);
    expect(data.webhookDeliveries.nodes.every((node: any) => node.ipConnection === null)).toBe(true);
    expect(upstream.requests).toHaveLength(1);
  });

  test('is found although connections come and go while they are read', async ({ gateway, upstream }) => {
    const connections = new MovingUpstream('/ip_connections', 500, (index) => ({
      webhook_event_url: `https://${index}.example.com/`,
    }));
    const urls = ['https://249.example.com/', 'https://250.example.com/', 'https://499.example.com/'];
    const deliveries = deliveriesTo(3, (index) => [urls[index] ?? '']);
    for (const change of [() => connections.insert(0, 1), () => connections.delete(0, 1)]) {
      let hasChanged = false;
      upstream.script((request) => {
        if (request.path !== connections.path) return deliveries.answer(request);
        const reply = connections.answer(request);
        if (!hasChanged) change();
        hasChanged = true;
        return reply;
      });
      const data = await gateway.data(document);
      const owners = data.webhookDeliveries.nodes.map((node: any) => node.ipConnection?.id);
      expect(owners).toEqual(['row-249', 'row-250', 'row-499']);
    }
  });

  test('is refused where there are more connections than a search may read', async ({ startWith, upstream }) => {
    const gateway = await startWith({ UPSTREAM_SCAN_PAGES: '1' });
    const connections = new MovingUpstream('/ip_connections', 251, () => ({ webhook_event_url: main }));
    const deliveries = deliveriesTo(2, () => [main]);
    upstream.script((request) => (request.path === connections.path ? connections : deliveries).answer(request));
    const { data, errors } = await gateway.query(document);
    const none = { ipConnection: null };
    expect(data.webhookDeliveries.nodes).toMatchObject([none, none]);
    const extensions = { code: 'QUERY_TOO_COMPLEX', limit: 250, actual: 251 };
    expect(errors).toMatchObject([{ extensions }, { extensions }]);
  });
});

const address = (name: string): string => `https://${name}.example.com/voice`;
const uuid = '3f0c2c1e-8f6c-4a59-9d3e-5b8a4f1f2a1b';

/** JSON of values of which some are digits, written as numbers. */
const written = (value: unknown): string =>
  JSON.stringify(value, (_name, member: unknown) => (typeof member === 'bigint' ? `number ${member}` : member)).replace(
    /"number ([^"]+)"/g,
    '$1',
  );

interface Case {
  /** As connections have it, and as the event has it. */
  readonly id: unknown;
  readonly named: unknown;
  /** As a client writes it. */
  readonly asked: string;
  readonly shown: string;
}

const upper = uuid.toUpperCase();
const integers = [
  ['1293384261075731499', 1293384261075731499n],
  ['9007199254740993', 9007199254740993n],
  // A double holds it, and others beside it not.
  ['9007199254740994', 9007199254740994n],
  [18446744073709551615n, 18446744073709551615n],
  [7n, '7'],
].map(([id, named]) => ({ id, named, asked: String(id), shown: String(id) }));
const cases: readonly Case[] = [
  ...integers,
  { id: '7', named: 'number 7.0', asked: '7', shown: '7' },
  { id: '0', named: 'number -0', asked: '0', shown: '0' },
  { id: uuid, named: upper, asked: uuid, shown: uuid },
  { id: upper, named: uuid, asked: uuid, shown: upper },
  { id: uuid, named: uuid, asked: upper, shown: uuid },
];

/** Its neighbour has the address of the delivery, and an identifier that differs in its last digit alone. */
function upstreamOf({ id, named }: Case): (request: SeenRequest) => Reply {
  const neighbour = typeof id === 'bigint' ? id + 1n : `${String(id).slice(0, -1)}${String(id).endsWith('0') ? 1 : 0}`;
  const connections = [
    { id: neighbour, webhook_event_url: address('tried') },
    { id, webhook_event_url: address('own') },
  ].map((fields) => ipConnectionRecord({ ...fields, webhook_event_failover_url: null }));
  const delivery = webhookDeliveryRecord({
    id: 'd1',
    webhook: { event_type: 'call_initiated', payload: { connection_id: named } },
    attempts: [attemptRecord({ http: { request: { url: address('tried'), headers: [] } } })],
  });
  return (request) => {
    if (request.path === '/ip_connections') return textReply(pageReply(connections, request));
    const found = (part: 'webhook' | 'attempts'): boolean =>
      written(delivery[part]).includes(request.query[`filter[${part}][contains]`] ?? '');
    return textReply(pageReply(found('webhook') && found('attempts') ? [delivery] : [], request));
  };
}

const textReply = ({ json }: Reply): Reply => ({
  headers: { 'content-type': 'application/json' },
  text: written(json),
});

const label = ({ id, named, asked }: Case): string => `${written(id)}, named ${written(named)}, asked for ${asked}`;

describe.for(cases.map((each) => [label(each), each] as const))('a connection %s', ([, each]) => {
  const { asked, shown } = each;

  test.for(['', '__schema { __typename }', 'exactly: webhookDeliveries { nodes { webhook { payload } } }'])(
    'has its delivery both ways and by filter %s',
    async (also, { gateway, upstream }) => {
      upstream.script(upstreamOf(each));
      const data = await gateway.data(
        `query ($id: ID!) {
        ${also}
        webhookDeliveries { nodes { id ipConnection { id } } }
        ipConnections { nodes { id webhookDeliveries { nodes { id } } } }
        ofIt: webhookDeliveries(filter: { connectionId: $id }) { nodes { id } }
        deliveryFailures(filter: { connectionId: $id, status: { eq: "delivered" } }) { groups { count } }
        ipConnection(id: $id) { id nodeId }
      }`,
        { variables: { id: asked } },
      );
      expect(data.webhookDeliveries.nodes).toEqual([{ id: 'd1', ipConnection: { id: shown } }]);
      expect(data.ipConnections.nodes.map((node: any) => node.webhookDeliveries.nodes.length)).toEqual([0, 1]);
      expect(data.ipConnections.nodes[1].id).toBe(shown);
      expect(data.ofIt.nodes).toEqual([{ id: 'd1' }]);
      expect(data.deliveryFailures.groups).toEqual([{ count: 1 }]);
      expect(data.ipConnection.id).toBe(shown);
      const { nodeId } = data.ipConnection;
      const again = await gateway.query(`{ node(nodeId: "${nodeId}") { ... on IpConnection { id } } }`);
      expect(again.data.node).toEqual({ id: shown });
    },
  );

  test('is followed by the feed', async ({ startWith, upstream }) => {
    const script = upstreamOf(each);
    let hasCome = false;
    upstream.script((request) =>
      hasCome || request.path === '/ip_connections' ? script(request) : pageReply([], request),
    );
    const gateway = await startWith({ SUBSCRIPTION_POLL_MS: '5' });
    const document =
      'subscription ($id: ID!) { webhookDeliveries(filter: { connectionId: $id }) { id ipConnection { id } } }';
    const stream = await subscribe(gateway, document, { variables: { id: asked } });
    await expect.poll(() => upstream.requests.length).toBeGreaterThan(1);
    hasCome = true;
    await expect.poll(() => stream.events.length).toBe(1);
    expect(stream.events[0]?.data.data.webhookDeliveries).toEqual({ id: 'd1', ipConnection: { id: shown } });
    stream.close();
  });
});

test('identifiers that are numbers are texts, digit for digit, on every path', async ({ gateway, upstream }) => {
  const rows = [
    { id: 1293384261075731499n, user_id: 12n, webhook: { id: 9007199254740993n } },
    { id: 1293384261075731500n, user_id: 0n, webhook: { id: 5n } },
  ].map((row) => webhookDeliveryRecord(row as never));
  upstream.script((request) => textReply(pageReply(rows, request)));
  const asked = 'webhookDeliveries(first: 1) { nodes { id userId webhook { id } } pageInfo { endCursor } }';
  for (const also of ['', 'm: mission(id: "") { id }', '__schema { __typename }']) {
    const { data } = await gateway.query(`{ ${asked} ${also} }`);
    const [node] = data.webhookDeliveries.nodes;
    expect(node).toEqual({ id: '1293384261075731499', userId: '12', webhook: { id: '9007199254740993' } });
    const { endCursor } = data.webhookDeliveries.pageInfo;
    const next = await gateway.query(`{ webhookDeliveries(first: 1, after: "${endCursor}") { nodes { id } } ${also} }`);
    expect(next.data.webhookDeliveries.nodes).toEqual([{ id: '1293384261075731500' }]);
  }
});

test.for([1.5, true, { id: 1 }])('an identifier %j is none', async (id, { gateway, upstream }) => {
  upstream.script((request) => pageReply([ipConnectionRecord({ id })], request));
  const { data, errors } = await gateway.query('{ ipConnections { nodes { id connectionName } } }');
  expect(data.ipConnections.nodes).toEqual([{ id: null, connectionName: 'Head office' }]);
  expect(errors.map(({ extensions }) => extensions.code)).toEqual(['UPSTREAM_BAD_RESPONSE']);
});
