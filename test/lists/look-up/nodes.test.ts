import { nodesPerField } from '../../../src/bounds.ts';
import { describe, brief, expect, judge, test, type Gateway } from '../../support/gateway.ts';
import { serve, clampedTo } from '../../paging/contradiction/manner.ts';
import { MovingUpstream, timestampAt, failure } from '../../support/moving-upstream.ts';
import { refusal, type ScriptedUpstream, type SeenRequest } from '../../support/scripted-upstream.ts';
import { lookUpAll, nodeIdOf, scriptAll, scriptWith } from './kind.ts';

const nodesQuery = `query ($nodeIds: [ID!]!) {
  nodes(nodeIds: $nodeIds) {
    __typename nodeId
    ... on IpConnection { id connectionName }
    ... on Mission { id name }
    ... on WebhookDelivery { id startedAt }
  }
}`;

const refusesHints = ({ rawQuery }: SeenRequest) =>
  rawQuery.includes('started_at') ? { status: 400, json: {} } : null;

/** Looks up the deliveries at these places of their list; tells of each call whether it went by hints. */
async function lookUpAt(gateway: Gateway, upstream: ScriptedUpstream, indices: readonly number[]) {
  upstream.requests.length = 0;
  const nodeIds = indices.map((index) => nodeIdOf('WebhookDelivery', `row-${index}`, timestampAt(-index * 1000)));
  const { data, errors } = await gateway.query(nodesQuery, { variables: { nodeIds } });
  const ids = data.nodes.map((row: { readonly id: string } | null) => row?.id ?? null);
  if (errors.length === 0) expect(ids).toEqual(indices.map((index) => `row-${index}`));
  return { calls: upstream.requests.map(({ rawQuery }) => rawQuery.includes('started_at')), errors };
}

describe('nodes', () => {
  test('reads the list where the filter by many hints is refused', async ({ gateway, upstream }) => {
    scriptWith(upstream, new MovingUpstream('/webhook_deliveries', 300), refusesHints);
    const { calls, errors } = await lookUpAt(gateway, upstream, [0, 1, 2, 3, 4, 299]);
    expect([calls, errors]).toEqual([[true, false, false], []]);
  });

  test('spends half of the calls of a search on hints, and one at least', async ({ startWith, upstream }) => {
    scriptWith(upstream, new MovingUpstream('/webhook_deliveries', 100), refusesHints);
    for (const [pages, hinted] of [
      ['2', 1],
      ['4', 2],
      ['8', 3],
    ] as const) {
      const gateway = await startWith({ UPSTREAM_SCAN_PAGES: pages });
      const { calls, errors } = await lookUpAt(gateway, upstream, [0, 1, 2]);
      expect([calls.filter((isHint) => isHint).length, errors]).toEqual([hinted, []]);
    }
  });

  test('shares its search with look-ups by identifier', async ({ gateway, upstream }) => {
    scriptAll(upstream);
    const nodeIds = [nodeIdOf('Mission', 'row-3', null)];
    const { data } = await gateway.query(
      'query ($nodeIds: [ID!]!) { mission(id: "row-3") { id } nodes(nodeIds: $nodeIds) { ... on Mission { id } } }',
      { variables: { nodeIds } },
    );
    expect(data).toEqual({ mission: { id: 'row-3' }, nodes: [{ id: 'row-3' }] });
    expect(upstream.requests).toHaveLength(1);
  });

  test('takes as many as its bound, by one search, and refuses more before any call', async ({ gateway, upstream }) => {
    scriptAll(upstream);
    const nodeIds = Array.from({ length: nodesPerField + 1 }, (_, index) =>
      nodeIdOf('IpConnection', `row-${index}`, `Office ${index}`),
    );
    const refused = await gateway.query(nodesQuery, { variables: { nodeIds } });
    expect(refused.data).toEqual({ nodes: null });
    expect(brief(refused.errors)).toEqual(['nodes BAD_USER_INPUT nodeIds']);
    expect(upstream.requests).toEqual([]);
    const data = await gateway.data(nodesQuery, { variables: { nodeIds: nodeIds.slice(1) } });
    expect(data.nodes.filter((node: unknown) => node !== null)).toHaveLength(nodesPerField);
    expect(upstream.requests).toHaveLength(3);
  });

  test('finds neighbouring deliveries together, and scattered ones one by one', async ({ gateway, upstream }) => {
    scriptAll(upstream);
    const callsFor = async (indices: readonly number[]): Promise<number> => {
      const { calls, errors } = await lookUpAt(gateway, upstream, indices);
      expect(errors).toEqual([]);
      return calls.length;
    };
    expect(await callsFor(Array.from({ length: 200 }, (_, index) => 4000 + index))).toBe(1);
    // The first page between them shows that there are three, and is not asked for again.
    expect(await callsFor(Array.from({ length: 10 }, (_, index) => 4000 + 60 * index))).toBe(3);
    // One call finds out how many lie between them.
    expect(await callsFor([0, 2000, 4000, 6000, 8000, 9999])).toBeLessThanOrEqual(7);
    expect(await callsFor([100, 9000])).toBe(2);
    expect(await callsFor([100, 3000, 6000, 9000])).toBe(4);
    expect(upstream.requests.map(({ query }) => query['page[size]'])).toEqual(Array(4).fill('250'));
  });

  test('searches the part of the list between its hints as far as its calls reach', async ({ startWith, upstream }) => {
    const gateway = await startWith({ UPSTREAM_SCAN_PAGES: '4' });
    scriptAll(upstream);
    const places = [4000, 4200, 4400, 4600];
    const near = await lookUpAt(gateway, upstream, [...places, 4999]);
    expect([near.calls, near.errors]).toEqual([Array(4).fill(true), []]);
    const far = await lookUpAt(gateway, upstream, [...places, 5000]);
    expect(far.errors[0]?.extensions['code']).toBe('QUERY_TOO_COMPLEX');
    // One by one they are fewer calls, but within half of the search only once some have been found together.
    const wide = await startWith({ UPSTREAM_SCAN_PAGES: '8' });
    const scattered = await lookUpAt(wide, upstream, [4000, 4300, 4600, 4900, 5200, 5749]);
    expect([scattered.calls, scattered.errors]).toEqual([Array(6).fill(true), []]);
  });

  test('finds deliveries where the list does not say how long it is', async ({ gateway, upstream }) => {
    upstream.script(serve(new MovingUpstream('/webhook_deliveries', 1_000), { metaOf: () => ({}) }));
    const { calls, errors } = await lookUpAt(gateway, upstream, [0, 200, 400, 600, 800, 999]);
    // The first page of all between them has two.
    expect([calls.filter((isHint) => isHint).length, errors]).toEqual([5, []]);
    upstream.requests.length = 0;
    const gone = [1, 2, 3, 4, 5].map((second) => nodeIdOf('WebhookDelivery', `gone-${second}`, timestampAt(-second)));
    expect((await gateway.query(nodesQuery, { variables: { nodeIds: gone } })).data.nodes).toEqual(Array(5).fill(null));
    expect(upstream.requests.filter(({ rawQuery }) => rawQuery.includes('started_at'))).toHaveLength(1);
  });

  test('gives a row one nodeId in a list, a look-up and node', async ({ gateway, upstream }) => {
    const names = ['Büro "1"', '', null, '😀', 'n'.repeat(5000), 'a\uD800'];
    const list = new MovingUpstream('/ip_connections', names.length, (index) => ({ connection_name: names[index] }));
    upstream.script(list.answer);
    const listed = await gateway.query('{ ipConnections { nodes { nodeId } } }');
    const nodeIds: readonly string[] = listed.data.ipConnections.nodes.map(({ nodeId }: { nodeId: string }) => nodeId);
    const looked = await gateway.query(lookUpAll('ipConnection', list.ids));
    expect(list.ids.map((_id, index) => looked.data[`a${index}`].nodeId)).toEqual(nodeIds);
    const { data, errors } = await gateway.query(nodesQuery, { variables: { nodeIds } });
    // Half of a character cannot be represented.
    expect(brief(errors)).toEqual(['nodes.5.connectionName UPSTREAM_BAD_RESPONSE']);
    expect(data.nodes.map(({ nodeId }: { nodeId: string }) => nodeId)).toEqual(nodeIds);
  });

  test('fails at each position that cannot be looked up, and at no other', async ({ startWith, upstream }) => {
    upstream.script((request) =>
      request.path === '/ai/missions'
        ? refusal(401, '10009', 'Authentication failed')
        : { json: { data: [{ id: 'c1' }], meta: { total_results: 1 } } },
    );
    const found = nodeIdOf('IpConnection', 'c1', null);
    const nodeIds = [nodeIdOf('Mission', 'm', null), 'bad', found, nodeIdOf('IpConnection', 'x', null)];
    for (const options of [{}, judge]) {
      const gateway = await startWith({}, options);
      const { data, errors } = await gateway.query(nodesQuery, { variables: { nodeIds } });
      expect(data.nodes).toMatchObject([null, null, { nodeId: found }, null]);
      expect(brief(errors)).toEqual(['nodes.0 UNAUTHENTICATED', 'nodes.1 BAD_USER_INPUT nodeIds.1']);
    }
  });
});

describe('node', () => {
  test('finds a delivery by its start with one small query', async ({ gateway, upstream }) => {
    scriptAll(upstream);
    const listed = await gateway.query('{ webhookDeliveries(first: 1, offset: 9000) { nodes { nodeId id } } }');
    const [row] = listed.data.webhookDeliveries.nodes;
    upstream.requests.length = 0;
    const found = '__typename nodeId ... on WebhookDelivery { id }';
    const { node } = await gateway.data(`{ node(nodeId: "${row.nodeId}") { ${found} } }`);
    expect(node).toEqual({ __typename: 'WebhookDelivery', ...row });
    const at = encodeURIComponent('2026-06-18T20:00:00.000Z');
    expect(upstream.requests.map(({ rawQuery }) => rawQuery)).toEqual([
      `filter[started_at][gte]=${at}&filter[started_at][lte]=${at}&page[number]=1&page[size]=250`,
    ]);
  });

  test('finds a connection by its name, and by a scan once it is renamed', async ({ gateway, upstream }) => {
    const { ipConnections } = scriptAll(upstream);
    const nodeId = nodeIdOf('IpConnection', 'row-900', 'Office 900');
    const document = `{ node(nodeId: "${nodeId}") { nodeId ... on IpConnection { id connectionName } } }`;
    const found = await gateway.query(document);
    expect(found.data.node).toEqual({ nodeId, id: 'row-900', connectionName: 'Office 900' });
    expect(upstream.requests.map(({ query }) => query)).toEqual([
      { 'filter[connection_name]': 'Office 900', 'page[number]': '1', 'page[size]': '250' },
    ]);

    upstream.requests.length = 0;
    ipConnections.rows = ipConnections.rows.map((row) =>
      row['id'] === 'row-900' ? { ...row, connection_name: 'Attic' } : row,
    );
    const renamed = await gateway.query(document);
    expect(renamed.errors).toEqual([]);
    expect(renamed.data.node).toEqual({
      nodeId: nodeIdOf('IpConnection', 'row-900', 'Attic'),
      id: 'row-900',
      connectionName: 'Attic',
    });
    expect(upstream.requests).toHaveLength(1 + 4);
  });

  test.for([
    ['are short', 'row-306', 4, true],
    ['do not tell the length of the list', 'row-312', 250, false],
  ] as const)('looks for more rows of a moment where pages %s', async ([, id, most, isTold], { gateway, upstream }) => {
    const start = timestampAt(-5);
    const list = new MovingUpstream('/webhook_deliveries', 400, (index) => ({
      started_at: index < 300 ? timestampAt(-index / 1e6) : start,
    }));
    upstream.script(serve(list, { ...clampedTo(most), metaOf: (meta) => (isTold ? meta : {}) }));
    const nodeId = nodeIdOf('WebhookDelivery', id, start);
    expect((await gateway.query(`{ node(nodeId: "${nodeId}") { nodeId } }`)).data.node).toEqual({ nodeId });
    expect(upstream.requests.length).toBeLessThanOrEqual(3);
  });

  test('does not take a page of one row for all that an API serves, whose page_size says so', async ({
    gateway,
    upstream,
  }) => {
    const list = new MovingUpstream('/webhook_deliveries', 9);
    upstream.script(serve(list, { metaOf: (meta, { rows }) => ({ ...meta, page_size: rows.length }) }));
    const nodeIds = [
      nodeIdOf('WebhookDelivery', 'row-1', timestampAt(-1000)),
      nodeIdOf('WebhookDelivery', 'row-8', null),
    ];
    const { errors } = await gateway.query(nodesQuery, { variables: { nodeIds } });
    expect([errors, upstream.requests.length]).toEqual([[], 2]);
  });

  test('finds a row although the upstream refuses its hint', async ({ gateway, upstream }) => {
    const list = new MovingUpstream('/ip_connections', 10);
    scriptWith(upstream, list, ({ query }) => ('filter[connection_name]' in query ? failure : null));
    const { data, errors } = await gateway.query(
      `{ node(nodeId: "${nodeIdOf('IpConnection', 'row-4', 'Office')}") { ... on IpConnection { id } } }`,
    );
    expect({ data, errors }).toEqual({ data: { node: { id: 'row-4' } }, errors: [] });
  });

  const encoded = (text: string): string => Buffer.from(text).toString('base64url');

  test.for([
    '',
    'row-1',
    ...['Query', '__proto__', 'MissionX'].map((type) => nodeIdOf(type, 'row-1', null)),
    ...['1,null', '"a",{}', ' "a", null', '"\\u0061",null', '"a\n",null', '"a"', '"a",null,1'].map((rest) =>
      encoded(`["IpConnection",${rest}]`),
    ),
    Buffer.concat([Buffer.from('["Mission","'), Buffer.from([0xff]), Buffer.from('",null]')]).toString('base64url'),
    `${nodeIdOf('IpConnection', 'row-1', null)}=`,
    `!${nodeIdOf('IpConnection', 'row-1', null)}`,
    nodeIdOf('Mission', 'a', null).slice(0, -1),
    `${nodeIdOf('Mission', 'ab', null).slice(0, -1)}1`,
    nodeIdOf('IpConnection', 'x'.repeat(10_000), null),
  ])('is refused for %j', async (nodeId, { gateway, upstream }) => {
    scriptAll(upstream);
    const { data, errors } = await gateway.query('query ($nodeId: ID!) { node(nodeId: $nodeId) { nodeId } }', {
      variables: { nodeId },
    });
    expect(data).toEqual({ node: null });
    expect(brief(errors)).toEqual(['node BAD_USER_INPUT nodeId']);
    expect(upstream.requests).toEqual([]);
  });
});
