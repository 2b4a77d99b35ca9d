import { describe } from 'vitest';
import { brief, expect, test } from '../../support/gateway.ts';
import { clampedTo, serve } from '../../paging/contradiction/manner.ts';
import { failure, MovingUpstream, timestampAt } from '../../support/moving-upstream.ts';
import { nodeIdOf, scriptAll, scriptWith } from './kind.ts';

describe('node', () => {
  test('finds a delivery by its start with one small query', async ({ gateway, upstream }) => {
    scriptAll(upstream);
    const listed = await gateway.query('{ webhookDeliveries(first: 1, offset: 9000) { nodes { nodeId id } } }');
    const [row] = listed.data.webhookDeliveries.nodes;
    upstream.requests.length = 0;
    const { data, errors } = await gateway.query(
      `{ node(nodeId: "${row.nodeId}") { __typename nodeId ... on WebhookDelivery { id } } }`,
    );
    expect(errors).toEqual([]);
    expect(data.node).toEqual({ __typename: 'WebhookDelivery', ...row });
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
