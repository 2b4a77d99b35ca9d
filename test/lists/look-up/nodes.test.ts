import { describe } from 'vitest';
import { nodesPerField } from '../../../src/bounds.ts';
import { expect, test } from '../../support/gateway.ts';
import { MovingUpstream, timestampAt } from '../../support/moving-upstream.ts';
import { lookUpAll, nodeIdOf, scriptAll, scriptWith } from './kind.ts';

const nodesQuery = `query ($nodeIds: [ID!]!) {
  nodes(nodeIds: $nodeIds) {
    __typename nodeId
    ... on IpConnection { id connectionName }
    ... on Mission { id name }
    ... on WebhookDelivery { id startedAt }
  }
}`;

describe('nodes', () => {
  test('reads the list where the filter by many hints is refused', async ({ gateway, upstream }) => {
    const list = new MovingUpstream('/webhook_deliveries', 300);
    scriptWith(upstream, list, ({ rawQuery }) => (rawQuery.includes('started_at') ? { status: 400, json: {} } : null));
    const ids = [0, 1, 2, 3, 4, 299].map((index) => `row-${index}`);
    const nodeIds = ids.map((id, index) => nodeIdOf('WebhookDelivery', id, timestampAt(-index)));
    const { data, errors } = await gateway.query(nodesQuery, { variables: { nodeIds } });
    expect(errors).toEqual([]);
    expect(data.nodes.map(({ id }: { readonly id: string }) => id)).toEqual(ids);
    const isFiltered = upstream.requests.map(({ rawQuery }) => rawQuery.includes('started_at'));
    expect(isFiltered).toEqual([true, false, false]);
  });

  test('spends half of the calls of a search on hints, and one at least', async ({ startWith, upstream }) => {
    for (const [pages, hinted] of [
      ['2', 1],
      ['4', 2],
      ['8', 3],
    ] as const) {
      const gateway = await startWith({ UPSTREAM_SCAN_PAGES: pages });
      const list = new MovingUpstream('/webhook_deliveries', 100);
      scriptWith(upstream, list, ({ rawQuery }) =>
        rawQuery.includes('started_at') ? { status: 400, json: {} } : null,
      );
      upstream.requests.length = 0;
      const ids = [0, 1, 2].map((index) => `row-${index}`);
      const nodeIds = ids.map((id, index) => nodeIdOf('WebhookDelivery', id, timestampAt(-index)));
      const { data } = await gateway.query(nodesQuery, { variables: { nodeIds } });
      expect(data.nodes.map(({ id }: { readonly id: string }) => id)).toEqual(ids);
      expect(upstream.requests.filter(({ rawQuery }) => rawQuery.includes('started_at'))).toHaveLength(hinted);
    }
  });

  test('keeps order and repetition across types, in a few calls', async ({ gateway, upstream }) => {
    scriptAll(upstream);
    const wanted = [
      nodeIdOf('WebhookDelivery', 'row-8000', timestampAt(-8_000_000)),
      nodeIdOf('Mission', 'row-3', null),
      nodeIdOf('IpConnection', 'row-700', 'Office 700'),
      nodeIdOf('Mission', 'gone', null),
      nodeIdOf('WebhookDelivery', 'row-8000', timestampAt(-8_000_000)),
      nodeIdOf('Mission', 'row-3', null),
    ];
    const { data, errors } = await gateway.query(nodesQuery, { variables: { nodeIds: wanted } });
    expect(errors).toEqual([]);
    const delivery = {
      __typename: 'WebhookDelivery',
      nodeId: wanted[0],
      id: 'row-8000',
      startedAt: timestampAt(-8_000_000),
    };
    const mission = { __typename: 'Mission', nodeId: wanted[1], id: 'row-3', name: 'Mission 3' };
    const connection = {
      __typename: 'IpConnection',
      nodeId: wanted[2],
      id: 'row-700',
      connectionName: 'Office 700',
    };
    expect(data.nodes).toEqual([delivery, mission, connection, null, delivery, mission]);
    expect(upstream.requests.map(({ path }) => path).toSorted()).toEqual([
      '/ai/missions',
      '/ip_connections',
      '/webhook_deliveries',
    ]);
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

  test('fails for each bad nodeId alone, and names its index', async ({ gateway, upstream }) => {
    scriptAll(upstream);
    const nodeIds = ['junk', nodeIdOf('Mission', 'row-1', null), nodeIdOf('Gadget', 'row-1', null)];
    const { data, errors } = await gateway.query(nodesQuery, { variables: { nodeIds } });
    expect(data.nodes).toMatchObject([null, { id: 'row-1' }, null]);
    expect(errors.map(({ path, extensions }) => [path, extensions.code, extensions.argument])).toEqual([
      [['nodes', 0], 'BAD_USER_INPUT', ['nodeIds', 0]],
      [['nodes', 2], 'BAD_USER_INPUT', ['nodeIds', 2]],
    ]);
  });

  test('takes as many as its bound, and refuses more before any call', async ({ gateway, upstream }) => {
    scriptAll(upstream);
    const nodeIds = Array.from({ length: nodesPerField + 1 }, (_, index) => nodeIdOf('Mission', `row-${index}`, null));
    const refused = await gateway.query(nodesQuery, { variables: { nodeIds } });
    expect(refused.data).toEqual({ nodes: null });
    expect(refused.errors).toMatchObject([
      { path: ['nodes'], extensions: { code: 'BAD_USER_INPUT', argument: ['nodeIds'] } },
    ]);
    expect(upstream.requests).toEqual([]);
    const { data, errors } = await gateway.query(nodesQuery, { variables: { nodeIds: nodeIds.slice(1) } });
    expect(errors).toEqual([]);
    expect(data.nodes.filter((node: unknown) => node !== null)).toHaveLength(99);
    expect(upstream.requests).toHaveLength(1);
  });

  test('finds neighbouring deliveries together, and scattered ones one by one', async ({ gateway, upstream }) => {
    scriptAll(upstream);
    const ask = async (indices: readonly number[]): Promise<number> => {
      upstream.requests.length = 0;
      const nodeIds = indices.map((index) => nodeIdOf('WebhookDelivery', `row-${index}`, timestampAt(-index * 1000)));
      const { data, errors } = await gateway.query(nodesQuery, { variables: { nodeIds } });
      expect(errors).toEqual([]);
      expect(data.nodes.map(({ id }: { id: string }) => id)).toEqual(indices.map((index) => `row-${index}`));
      return upstream.requests.length;
    };
    expect(await ask(Array.from({ length: 200 }, (_, index) => 4000 + index))).toBe(1);
    // The first page between them shows that there are three, and is not asked for again.
    expect(await ask(Array.from({ length: 10 }, (_, index) => 4000 + 60 * index))).toBe(3);
    // One call finds out how many lie between them.
    expect(await ask([0, 2000, 4000, 6000, 8000, 9999])).toBeLessThanOrEqual(7);
    expect(await ask([100, 9000])).toBe(2);
    expect(await ask([100, 3000, 6000, 9000])).toBe(4);
    expect(upstream.requests.map(({ query }) => query['page[size]'])).toEqual(Array(4).fill('10'));
  });

  test('searches the part of the list between its hints as far as its calls reach', async ({ startWith, upstream }) => {
    const gateway = await startWith({ UPSTREAM_SCAN_PAGES: '4' });
    scriptAll(upstream);
    const ask = (last: number) => {
      const nodeIds = [4000, 4200, 4400, 4600, last].map((index) =>
        nodeIdOf('WebhookDelivery', `row-${index}`, timestampAt(-index * 1000)),
      );
      return gateway.query(nodesQuery, { variables: { nodeIds } });
    };
    expect((await ask(4999)).errors).toEqual([]);
    expect(upstream.requests.map(({ rawQuery }) => rawQuery.includes('started_at'))).toEqual(Array(4).fill(true));
    expect((await ask(5000)).errors[0]?.extensions['code']).toBe('QUERY_TOO_COMPLEX');
  });

  test('finds deliveries where the list does not say how long it is', async ({ gateway, upstream }) => {
    const list = new MovingUpstream('/webhook_deliveries', 1_000);
    upstream.script((request) => {
      const { json } = list.answer(request) as { readonly json: { readonly data: readonly unknown[] } };
      return { json: { data: json.data, meta: {} } };
    });
    const ask = async (wanted: readonly (readonly [id: string, second: number])[]) => {
      upstream.requests.length = 0;
      const nodeIds = wanted.map(([id, second]) => nodeIdOf('WebhookDelivery', id, timestampAt(second)));
      const { data, errors } = await gateway.query(nodesQuery, { variables: { nodeIds } });
      expect(errors).toEqual([]);
      const hinted = upstream.requests.filter(({ rawQuery }) => rawQuery.includes('started_at'));
      return { rows: data.nodes.map((row: { readonly id: string } | null) => row?.id ?? null), hinted: hinted.length };
    };
    const scattered = [0, 200, 400, 600, 800, 999].map((index) => [`row-${index}`, -1000 * index] as const);
    // The first page of all between them has two.
    expect(await ask(scattered)).toEqual({ rows: scattered.map(([id]) => id), hinted: 5 });
    const gone = [1, 2, 3, 4, 5].map((second) => [`gone-${second}`, -second] as const);
    expect(await ask(gone)).toEqual({ rows: Array(5).fill(null), hinted: 1 });
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
    expect(errors).toMatchObject([
      { path: ['nodes', 5, 'connectionName'], extensions: { code: 'UPSTREAM_BAD_RESPONSE' } },
    ]);
    expect(data.nodes.map(({ nodeId }: { nodeId: string }) => nodeId)).toEqual(nodeIds);
  });
});
