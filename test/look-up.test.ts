import { describe } from 'vitest';
import { expect, test } from './support/gateway.ts';
import { failure, MovingUpstream, timestampAt, type ListPath } from './support/moving-upstream.ts';
import type { Reply, ScriptedUpstream, SeenRequest } from './support/scripted-upstream.ts';

interface Kind {
  readonly field: 'ipConnection' | 'mission' | 'webhookDelivery';
  readonly list: 'ipConnections' | 'missions' | 'webhookDeliveries';
  readonly type: string;
  readonly path: ListPath;
  readonly limit: number;
}

const kinds: readonly Kind[] = [
  { field: 'ipConnection', list: 'ipConnections', type: 'IpConnection', path: '/ip_connections', limit: 250 },
  { field: 'mission', list: 'missions', type: 'Mission', path: '/ai/missions', limit: 1000 },
  {
    field: 'webhookDelivery',
    list: 'webhookDeliveries',
    type: 'WebhookDelivery',
    path: '/webhook_deliveries',
    limit: 250,
  },
];

/** One operation that looks up each of these, under the aliases a0, a1 and so on. */
const lookUpAll = (field: string, ids: readonly string[]): string =>
  `{ ${ids.map((id, index) => `a${index}: ${field}(id: ${JSON.stringify(id)}) { id nodeId }`).join(' ')} }`;

const pagesOf = (requests: readonly SeenRequest[]): readonly string[] =>
  requests.map(({ query }) => `${query['page[number]']} of ${query['page[size]']}`);

const nodeIdOf = (type: string, id: string, hint: string | null): string =>
  Buffer.from(JSON.stringify([type, id, hint])).toString('base64url');

/** Answers as the list does, but for the calls that `replies` has another answer to. */
function scriptWith(
  upstream: ScriptedUpstream,
  list: MovingUpstream,
  replies: (request: SeenRequest) => Reply | null,
): void {
  upstream.script((request) => replies(request) ?? list.answer(request));
}

describe.each(kinds)('$field', ({ field, list: listField, type, path, limit }) => {
  test('finds many identifiers with one scan that stops as soon as all are found', async ({ gateway, upstream }) => {
    const list = new MovingUpstream(path, 8 * limit);
    upstream.script(list.answer);
    const wanted = [0, 5, limit - 1, limit, 3 * limit - 1, 0].map((index) => list.ids[index] ?? '');
    const { data, errors } = await gateway.query(lookUpAll(field, wanted));
    expect(errors).toEqual([]);
    expect(wanted.map((_id, index) => data[`a${index}`].id)).toEqual(wanted);
    expect(pagesOf(upstream.requests)).toEqual([`1 of ${limit}`, `2 of ${limit}`, `3 of ${limit}`]);
    expect(upstream.requests.every((request) => request.path === path)).toBe(true);
  });

  test('takes one call for what is on the first page', async ({ gateway, upstream }) => {
    const list = new MovingUpstream(path, 8 * limit);
    upstream.script(list.answer);
    const { data } = await gateway.query(lookUpAll(field, ['row-7']));
    expect(data.a0.id).toBe('row-7');
    expect(pagesOf(upstream.requests)).toEqual([`1 of ${limit}`]);
  });

  test('asks for the pages behind the first side by side', async ({ gateway, upstream }) => {
    const list = new MovingUpstream(path, 7 * limit);
    let [open, most] = [0, 0];
    upstream.script(async (request) => {
      most = Math.max(most, ++open);
      await new Promise((resolve) => setImmediate(resolve));
      open--;
      return list.answer(request);
    });
    const { data } = await gateway.query(lookUpAll(field, [list.ids.at(-1) ?? '']));
    expect(data.a0.id).toBe(list.ids.at(-1));
    expect(upstream.requests).toHaveLength(7);
    expect(most).toBeGreaterThan(1);
  });

  test('is null for what the list does not hold, beside what it does', async ({ gateway, upstream }) => {
    const list = new MovingUpstream(path, limit + 1);
    upstream.script(list.answer);
    const { data, errors } = await gateway.query(lookUpAll(field, ['nobody', 'row-1', '', '../row-1', '\u0000']));
    expect(errors).toEqual([]);
    expect(data).toMatchObject({ a0: null, a1: { id: 'row-1' }, a2: null, a3: null, a4: null });
    expect(upstream.requests).toHaveLength(2);
  });

  test('is null over an empty list, with one call', async ({ gateway, upstream }) => {
    upstream.script(new MovingUpstream(path, 0).answer);
    const { data, errors } = await gateway.query(lookUpAll(field, ['a', 'b']));
    expect({ data, errors }).toEqual({ data: { a0: null, a1: null }, errors: [] });
    expect(upstream.requests).toHaveLength(1);
  });

  test('is refused beyond the configured pages, but for what was found within them', async ({
    startWith,
    upstream,
  }) => {
    const gateway = await startWith({ UPSTREAM_SCAN_PAGES: '2' });
    const list = new MovingUpstream(path, 3 * limit + 1);
    upstream.script(list.answer);
    const { data, errors } = await gateway.query(lookUpAll(field, [`row-${2 * limit - 1}`, `row-${2 * limit}`]));
    expect(data).toMatchObject({ a0: { id: `row-${2 * limit - 1}` }, a1: null });
    expect(errors).toMatchObject([
      {
        path: ['a1'],
        extensions: { code: 'QUERY_TOO_COMPLEX', retryable: false, limit: 2 * limit, actual: 3 * limit + 1 },
      },
    ]);
    expect(upstream.requests).toHaveLength(2);
  });

  test('fails for what was not found when a page fails, and finds the rest on the others', async ({
    gateway,
    upstream,
  }) => {
    const list = new MovingUpstream(path, 4 * limit);
    scriptWith(upstream, list, ({ query }) => (query['page[number]'] === '2' ? failure : null));
    const { data, errors } = await gateway.query(
      lookUpAll(field, ['row-0', `row-${limit}`, `row-${2 * limit}`, 'nobody']),
    );
    expect(data).toMatchObject({ a0: { id: 'row-0' }, a1: null, a2: { id: `row-${2 * limit}` }, a3: null });
    expect(errors.map((error) => [error.path, error.extensions.code])).toEqual([
      [['a1'], 'UPSTREAM_ERROR'],
      [['a3'], 'UPSTREAM_ERROR'],
    ]);
  });

  test('costs nothing for rows that a list of the same operation has read, before or behind it', async ({
    gateway,
    upstream,
  }) => {
    const list = new MovingUpstream(path, 3 * limit);
    upstream.script(list.answer);
    const one = `one: ${field}(id: "row-3") { id nodeId }`;
    const rows = `${listField}(first: 5) { nodes { nodeId } }`;
    for (const document of [`{ ${one} ${rows} }`, `{ ${rows} ${one} }`]) {
      upstream.requests.length = 0;
      const { data, errors } = await gateway.query(document);
      expect(errors).toEqual([]);
      expect(data.one).toEqual({ id: 'row-3', nodeId: data[listField].nodes[3].nodeId });
      expect(pagesOf(upstream.requests)).toEqual(['1 of 5']);
    }
  });

  test('outlives a list of the same operation that fails', async ({ gateway, upstream }) => {
    const list = new MovingUpstream(path, 10);
    scriptWith(upstream, list, ({ query }) => (query['page[size]'] === '5' ? failure : null));
    const { data, errors } = await gateway.query(
      `{ one: ${field}(id: "row-3") { id } ${listField}(first: 5) { nodes { id } } }`,
    );
    expect(data).toEqual({ one: { id: 'row-3' }, [listField]: null });
    expect(errors.map((error) => error.path)).toEqual([[listField]]);
  });

  test('does not miss a row that slips to a page read before while rows go', async ({ gateway, upstream }) => {
    const list = new MovingUpstream(path, 2 * limit + 1);
    let calls = 0;
    upstream.script((request) => {
      const reply = list.answer(request);
      // The row behind the first page moves onto it while the others are asked for, twice over.
      if (++calls === 1 || calls === 4) list.delete(0, 1);
      return reply;
    });
    const { data, errors } = await gateway.query(lookUpAll(field, [`row-${limit}`]));
    expect(errors).toEqual([]);
    expect(data.a0.id).toBe(`row-${limit}`);
  });

  test('says that it cannot tell where rows never stop going', async ({ gateway, upstream }) => {
    const list = new MovingUpstream(path, 3 * limit);
    upstream.script((request) => {
      if (request.query['page[number]'] === '2') list.delete(0, 1);
      return list.answer(request);
    });
    const { data, errors } = await gateway.query(lookUpAll(field, ['nobody']));
    expect(data).toEqual({ a0: null });
    expect(errors).toMatchObject([{ path: ['a0'], extensions: { code: 'UPSTREAM_ERROR', retryable: true } }]);
    expect(upstream.requests.length).toBeLessThan(20);
  });

  test('is unauthenticated without a key, and calls nothing', async ({ gateway, upstream }) => {
    const nodeIds = [nodeIdOf(type, 'row-1', null), nodeIdOf(type, 'row-2', timestampAt(0))];
    const { data, errors } = await gateway.query(
      `query ($nodeIds: [ID!]!) { ${field}(id: "row-1") { id } nodes(nodeIds: $nodeIds) { nodeId } }`,
      { key: null, variables: { nodeIds } },
    );
    expect(data).toEqual({ [field]: null, nodes: [null, null] });
    expect(errors.map((error) => error.extensions.code)).toEqual(Array(3).fill('UNAUTHENTICATED'));
    expect(new Set(errors.map((error) => error.path))).toEqual(new Set([[field], ['nodes', 0], ['nodes', 1]]));
    expect(upstream.requests).toEqual([]);
  });

  describe('where the upstream offers single rows', () => {
    const retrieving = { UPSTREAM_LOOKUP: 'retrieve' };

    test('is asked for by its percent-encoded identifier, once each', async ({ startWith, upstream }) => {
      const gateway = await startWith(retrieving);
      const idName = path === '/ai/missions' ? 'mission_id' : 'id';
      upstream.script(({ path: asked }) => ({
        json: { data: { [idName]: decodeURIComponent(asked.slice(path.length + 1)) } },
      }));
      const ids = ['row-1', 'a/b', 'a b?c=d#e', '%2e%2e', '..%2F', 'é', 'row-1', '...', '{id}', '$&'];
      const { data, errors } = await gateway.query(lookUpAll(field, ids));
      expect(errors).toEqual([]);
      expect(ids.map((_id, index) => data[`a${index}`].id)).toEqual(ids);
      expect(upstream.requests.map((request) => request.path + request.rawQuery).toSorted()).toEqual(
        [...new Set(ids)].map((id) => `${path}/${encodeURIComponent(id)}`).toSorted(),
      );
    });

    test('is null without a call for what no path can hold', async ({ startWith, upstream }) => {
      const gateway = await startWith(retrieving);
      const { data, errors } = await gateway.query(lookUpAll(field, ['', '.', '..']));
      expect({ data, errors }).toEqual({ data: { a0: null, a1: null, a2: null }, errors: [] });
      expect(upstream.requests).toEqual([]);
    });

    test('is null where the answer is 404, in whatever words, and an error where it is another', async ({
      startWith,
      upstream,
    }) => {
      const gateway = await startWith(retrieving);
      const missing = { title: 'Resource not found', detail: 'none' };
      const replies: readonly object[] = [
        { status: 404, json: { errors: [{ code: '10005', ...missing }] } },
        { status: 404, json: { errors: [{ code: '10005', ...missing }, missing] } },
        { status: 404, text: '<html>not here</html>' },
        { status: 404, text: '' },
        failure,
        { status: 403, json: { errors: [{ code: '10010', title: 'Not authorized' }] } },
        { json: { data: [] } },
      ];
      upstream.script(({ path: asked }) => replies[Number(asked.split('/').at(-1))] ?? failure);
      const { data, errors } = await gateway.query(lookUpAll(field, [...replies.keys()].map(String)));
      expect(Object.values(data)).toEqual(replies.map(() => null));
      expect(errors.map((error) => [error.path, error.extensions.code])).toEqual([
        [['a4'], 'UPSTREAM_ERROR'],
        [['a5'], 'FORBIDDEN'],
        [['a6'], 'UPSTREAM_BAD_RESPONSE'],
      ]);
      expect(errors[0].extensions.upstream.operation).toBe(`GET ${path}/{id}`);
    });

    test('costs nothing for rows that a list of the same operation has read', async ({ startWith, upstream }) => {
      const gateway = await startWith(retrieving);
      upstream.script(new MovingUpstream(path, 9).answer);
      const { data, errors } = await gateway.query(
        `{ one: ${field}(id: "row-3") { id } ${listField}(first: 5) { nodes { id } } }`,
      );
      expect(errors).toEqual([]);
      expect(data.one).toEqual({ id: 'row-3' });
      expect(pagesOf(upstream.requests)).toEqual(['1 of 5']);
    });

    test('is unauthenticated without a key, and calls nothing', async ({ startWith, upstream }) => {
      const gateway = await startWith(retrieving);
      const { errors } = await gateway.query(lookUpAll(field, ['row-1']), { key: null });
      expect(errors).toMatchObject([{ path: ['a0'], extensions: { code: 'UNAUTHENTICATED' } }]);
      expect(upstream.requests).toEqual([]);
    });
  });
});

const nodesQuery = /* GraphQL */ `
  query ($nodeIds: [ID!]!) {
    nodes(nodeIds: $nodeIds) {
      __typename
      nodeId
      ... on IpConnection {
        id
        connectionName
      }
      ... on Mission {
        id
        name
      }
      ... on WebhookDelivery {
        id
        startedAt
      }
    }
  }
`;

/** Ten thousand deliveries, as many connections and missions as fit on a page, behind one upstream. */
function scriptAll(upstream: ScriptedUpstream): Readonly<Record<Kind['list'], MovingUpstream>> {
  const lists = {
    ipConnections: new MovingUpstream('/ip_connections', 1000, (index) => ({ connection_name: `Office ${index}` })),
    missions: new MovingUpstream('/ai/missions', 100, (index) => ({ name: `Mission ${index}` })),
    webhookDeliveries: new MovingUpstream('/webhook_deliveries', 10_000),
  };
  upstream.script(
    (request) =>
      Object.values(lists)
        .find(({ path }) => path === request.path)
        ?.answer(request) ?? { status: 404 },
  );
  return lists;
}

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
    expect(upstream.requests.map(({ query }) => query)).toEqual([
      {
        'filter[started_at][gte]': timestampAt(-9_000_000),
        'filter[started_at][lte]': timestampAt(-9_000_000),
        'page[number]': '1',
        'page[size]': '10',
      },
    ]);
  });

  test('finds a connection by its name with one small query, and by a scan when it has been renamed', async ({
    gateway,
    upstream,
  }) => {
    const { ipConnections } = scriptAll(upstream);
    const nodeId = nodeIdOf('IpConnection', 'row-900', 'Office 900');
    const document = `{ node(nodeId: "${nodeId}") { nodeId ... on IpConnection { id connectionName } } }`;
    const found = await gateway.query(document);
    expect(found.data.node).toEqual({ nodeId, id: 'row-900', connectionName: 'Office 900' });
    expect(upstream.requests.map(({ query }) => query)).toEqual([
      { 'filter[connection_name]': 'Office 900', 'page[number]': '1', 'page[size]': '10' },
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

  test('finds the one meant among deliveries that began in the same moment', async ({ gateway, upstream }) => {
    const start = timestampAt(-5);
    const list = new MovingUpstream('/webhook_deliveries', 5000, (index) => ({
      started_at: index < 4000 ? timestampAt(-index / 1e6) : start,
    }));
    upstream.script(list.answer);
    const near = await gateway.query(
      `{ node(nodeId: "${nodeIdOf('WebhookDelivery', 'row-4003', start)}") { nodeId } }`,
    );
    expect(near.data.node).toEqual({ nodeId: nodeIdOf('WebhookDelivery', 'row-4003', start) });
    expect(upstream.requests).toHaveLength(1);
    upstream.requests.length = 0;
    const far = await gateway.query(`{ node(nodeId: "${nodeIdOf('WebhookDelivery', 'row-4400', start)}") { nodeId } }`);
    expect(far.data.node).toEqual({ nodeId: nodeIdOf('WebhookDelivery', 'row-4400', start) });
    expect(upstream.requests.length).toBeLessThanOrEqual(3);
  });

  test('outlives a hint that the upstream refuses', async ({ gateway, upstream }) => {
    const list = new MovingUpstream('/ip_connections', 10);
    scriptWith(upstream, list, ({ query }) => ('filter[connection_name]' in query ? failure : null));
    const { data, errors } = await gateway.query(
      `{ node(nodeId: "${nodeIdOf('IpConnection', 'row-4', 'Office')}") { ... on IpConnection { id } } }`,
    );
    expect({ data, errors }).toEqual({ data: { node: { id: 'row-4' } }, errors: [] });
  });

  test('is null for what is gone', async ({ gateway, upstream }) => {
    scriptAll(upstream);
    const { data, errors } = await gateway.query(
      `{ node(nodeId: "${nodeIdOf('IpConnection', 'gone', 'Office')}") { nodeId } }`,
    );
    expect({ data, errors }).toEqual({ data: { node: null }, errors: [] });
  });

  test.for([
    '',
    'x',
    'row-1',
    nodeIdOf('Query', 'row-1', null),
    nodeIdOf('__proto__', 'row-1', null),
    nodeIdOf('constructor', 'row-1', null),
    Buffer.from('["IpConnection",1,null]').toString('base64url'),
    Buffer.from('["IpConnection","a",{}]').toString('base64url'),
    Buffer.from('["IpConnection", "a", null]').toString('base64url'),
    Buffer.from('["IpConnection","a"]').toString('base64url'),
    `${nodeIdOf('IpConnection', 'row-1', null)}=`,
    `!${nodeIdOf('IpConnection', 'row-1', null)}`,
    nodeIdOf('IpConnection', 'x'.repeat(10_000), null),
  ])('is refused for %j', async (nodeId, { gateway, upstream }) => {
    scriptAll(upstream);
    const { data, errors } = await gateway.query('query ($nodeId: ID!) { node(nodeId: $nodeId) { nodeId } }', {
      variables: { nodeId },
    });
    expect(data).toEqual({ node: null });
    expect(errors).toMatchObject([
      { path: ['node'], extensions: { code: 'BAD_USER_INPUT', retryable: false, argument: ['nodeId'] } },
    ]);
    expect(upstream.requests).toEqual([]);
  });
});

describe('nodes', () => {
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

  test('fails alone for each bad nodeId, and tells which one', async ({ gateway, upstream }) => {
    scriptAll(upstream);
    const nodeIds = ['junk', nodeIdOf('Mission', 'row-1', null), nodeIdOf('Gadget', 'row-1', null)];
    const { data, errors } = await gateway.query(nodesQuery, { variables: { nodeIds } });
    expect(data.nodes).toMatchObject([null, { id: 'row-1' }, null]);
    expect(errors.map(({ path, extensions }) => [path, extensions.code, extensions.argument])).toEqual([
      [['nodes', 0], 'BAD_USER_INPUT', ['nodeIds', 0]],
      [['nodes', 2], 'BAD_USER_INPUT', ['nodeIds', 2]],
    ]);
  });

  test('takes 500, and refuses more before any call', async ({ gateway, upstream }) => {
    scriptAll(upstream);
    const nodeIds = Array.from({ length: 501 }, (_, index) => nodeIdOf('Mission', `row-${index}`, null));
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

  test('is empty for none, without a call', async ({ gateway, upstream }) => {
    const { data, errors } = await gateway.query(nodesQuery, { variables: { nodeIds: [] } });
    expect({ data, errors }).toEqual({ data: { nodes: [] }, errors: [] });
    expect(upstream.requests).toEqual([]);
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
    // One call finds out how many lie between them.
    expect(await ask([0, 2000, 4000, 6000, 8000, 9999])).toBeLessThanOrEqual(7);
    expect(await ask([100, 9000])).toBe(2);
  });

  test('has the same nodeId in a list, in a look-up and in itself, whatever the name', async ({
    gateway,
    upstream,
  }) => {
    const names = ['Büro "1"', '', null, '😀', 'n'.repeat(5000), 'a\uD800'];
    const list = new MovingUpstream('/ip_connections', names.length, (index) => ({ connection_name: names[index] }));
    upstream.script(list.answer);
    const listed = await gateway.query('{ ipConnections { nodes { nodeId } } }');
    const nodeIds: readonly string[] = listed.data.ipConnections.nodes.map(({ nodeId }: { nodeId: string }) => nodeId);
    const looked = await gateway.query(lookUpAll('ipConnection', list.ids));
    expect(list.ids.map((_id, index) => looked.data[`a${index}`].nodeId)).toEqual(nodeIds);
    const { data, errors } = await gateway.query(nodesQuery, { variables: { nodeIds } });
    expect(errors).toEqual([]);
    expect(data.nodes.map(({ nodeId }: { nodeId: string }) => nodeId)).toEqual(nodeIds);
  });
});
