import { describe } from 'vitest';
import { pageReply, refusal, type Script } from '../support/scripted-upstream.ts';
import { expect, test } from './hive.ts';

const connections = Array.from({ length: 600 }, (_, index) => ({ id: `c${index}`, connection_name: `Line ${index}` }));
const lists: Script = (request) =>
  request.path === '/ip_connections'
    ? pageReply(connections, request)
    : pageReply([{ mission_id: 'm1', name: 'Reminders' }], request, 1000);
const broken = refusal(500, '10007', 'Unexpected error', 'Sorry.');

describe('a router in front', () => {
  test('adds another subgraph to a page of 20 connections with one request to each', async ({
    startSupergraph,
    upstream,
  }) => {
    upstream.script(lists);
    const notes = [
      { id: 'n1', text: 'Loud', connectionId: 'c3' },
      { id: 'n2', text: 'Clear', connectionId: 'c3' },
    ];
    const { query, asked } = await startSupergraph({ notes });
    const { data, errors } = await query('{ ipConnections { nodes { id connectionName notes { text } } totalCount } }');
    expect(errors).toEqual([]);
    expect(data.ipConnections).toEqual({
      nodes: connections.slice(0, 20).map(({ id, connection_name: connectionName }) => {
        return { id, connectionName, notes: id === 'c3' ? [{ text: 'Loud' }, { text: 'Clear' }] : [] };
      }),
      totalCount: 600,
    });
    expect(asked).toEqual(['switchboard', 'notes']);
    expect(upstream.requests.map(({ path, query: { 'page[size]': size } }) => [path, size])).toEqual([
      ['/ip_connections', '20'],
    ]);
  });

  test('resolves the references of another subgraph in one request and one scan per list', async ({
    startSupergraph,
    upstream,
  }) => {
    upstream.script(lists);
    const notes = Array.from({ length: 100 }, (_, index) => {
      return { id: `n${index}`, text: `Note ${index}`, connectionId: `c${index * 6}`, missionId: 'm1' };
    });
    const { query, asked } = await startSupergraph({ notes: [...notes, { id: 'n', text: '', connectionId: 'gone' }] });
    const { data, errors } = await query(
      '{ notes { nodes { text connection { connectionName } mission { name } } pageInfo { hasNextPage } } }',
    );
    expect(errors).toEqual([]);
    expect(data.notes).toEqual({
      nodes: [
        ...notes.map(({ text, connectionId }) => {
          const connection = { connectionName: `Line ${connectionId.slice(1)}` };
          return { text, connection, mission: { name: 'Reminders' } };
        }),
        { text: '', connection: { connectionName: null }, mission: null },
      ],
      pageInfo: { hasNextPage: false },
    });
    expect(asked).toEqual(['notes', 'switchboard']);
    expect(upstream.requests.map(({ path }) => path).sort()).toEqual([
      '/ai/missions',
      '/ip_connections',
      '/ip_connections',
      '/ip_connections',
    ]);
  });

  test('leaves Query.node of the supergraph to the other subgraph, and ours to the gateway', async ({
    gateway,
    startSupergraph,
    upstream,
  }) => {
    upstream.script(lists);
    const { query } = await startSupergraph({ notes: [{ id: 'n1', text: 'Loud', connectionId: 'c0' }] });
    const { data } = await query('{ node(id: "n1") { id ... on Note { text connection { nodeId } } } }');
    const { nodeId } = data.node.connection;
    expect(data.node).toEqual({ id: 'n1', text: 'Loud', connection: { nodeId } });
    const direct = await gateway.query(
      'query ($nodeId: ID!) { node(nodeId: $nodeId) { ... on IpConnection { id } } }',
      {
        variables: { nodeId },
      },
    );
    expect(direct.data).toEqual({ node: { id: 'c0' } });
  });

  test("forwards each caller's own key, and the request id", async ({ startSupergraph, upstream }) => {
    upstream.script(lists);
    const { query } = await startSupergraph();
    const document = '{ ipConnections { nodes { id } } }';
    await Promise.all(
      ['key-of-one', 'key-of-another'].map((key) =>
        query(document, { key, headers: { 'x-request-id': `r-${key.length}` } }),
      ),
    );
    const seen = upstream.requests.map(({ headers }) => `${headers.authorization} ${String(headers['x-request-id'])}`);
    expect(seen.sort()).toEqual(['Bearer key-of-another r-14', 'Bearer key-of-one r-10']);
  });

  test('knows the cost of first: it refuses a page that is too large before any subgraph is called', async ({
    startSupergraph,
    upstream,
  }) => {
    upstream.script(lists);
    const { query, asked } = await startSupergraph({
      router: { demandControl: { maxCost: 500, includeExtensionMetadata: true } },
    });
    const document = 'query ($first: Int) { ipConnections(first: $first) { nodes { id } } }';
    const large = await query(document, { variables: { first: 500 } });
    expect(large.errors).toMatchObject([
      { extensions: { code: 'COST_ESTIMATED_TOO_EXPENSIVE', cost: { estimated: 511 } } },
    ]);
    expect({ asked, calls: upstream.requests.length }).toEqual({ asked: [], calls: 0 });
    const small = await query(document, { variables: { first: 20 } });
    expect(small.errors).toEqual([]);
    expect(small.data.ipConnections.nodes).toHaveLength(20);
    expect(JSON.parse(small.text).extensions).toEqual({ cost: { estimated: 31, max: 500 } });
  });
});

describe('our errors through a router with its default masking', () => {
  test('arrive whole, with code, path and argument, and the data beside them', async ({
    startSupergraph,
    upstream,
  }) => {
    upstream.script((request) => (request.path === '/ai/missions' ? broken : lists(request)));
    const { query } = await startSupergraph();
    const { data, errors } = await query(
      `{
        bill: chargesSummary(startDate: "2026-10-01", endDate: "2026-09-01") { currency }
        missions { nodes { id } }
        ipConnections(first: 1) { nodes { id notes { text } } }
      }`,
      { headers: { 'x-request-id': 'of-mine' } },
    );
    expect(data).toEqual({ bill: null, missions: null, ipConnections: { nodes: [{ id: 'c0', notes: [] }] } });
    expect(errors.toSorted((a, b) => a.path[0].localeCompare(b.path[0]))).toMatchObject([
      {
        message: expect.stringContaining('endDate'),
        path: ['bill'],
        extensions: { code: 'BAD_USER_INPUT', retryable: false, argument: ['endDate'], requestId: 'of-mine' },
      },
      {
        message: 'Sorry.',
        path: ['missions'],
        extensions: {
          code: 'UPSTREAM_ERROR',
          retryable: true,
          upstream: { operation: 'GET /ai/missions', status: 500, code: '10007', title: 'Unexpected error' },
          requestId: 'of-mine',
        },
      },
    ]);
  });

  test('of references are at the references that failed', async ({ startSupergraph, upstream }) => {
    upstream.script((request) => (request.path === '/ai/missions' ? broken : lists(request)));
    const notes = [{ id: 'n1', text: 'Loud', connectionId: 'c3', missionId: 'm1' }];
    const { query } = await startSupergraph({ notes });
    const { data, errors } = await query('{ notes { nodes { connection { connectionName } mission { name } } } }');
    expect(data.notes.nodes).toEqual([{ connection: { connectionName: 'Line 3' }, mission: { name: null } }]);
    expect(errors).toMatchObject([
      { path: ['notes', 'nodes', 0, 'mission', 'name'], extensions: { code: 'UPSTREAM_ERROR' } },
    ]);
  });

  test('are UNAUTHENTICATED where no key is forwarded, without an upstream call', async ({
    startSupergraph,
    upstream,
  }) => {
    upstream.script(lists);
    const { query } = await startSupergraph({ notes: [{ id: 'n1', text: 'Loud', connectionId: 'c3' }] });
    const { data, errors } = await query('{ notes { nodes { text connection { active } } } missions { totalCount } }', {
      key: null,
    });
    expect(data).toEqual({ notes: { nodes: [{ text: 'Loud', connection: { active: null } }] }, missions: null });
    expect(errors.map(({ extensions: { code } }) => code)).toEqual(['UNAUTHENTICATED', 'UNAUTHENTICATED']);
    expect(upstream.requests).toEqual([]);
  });

  test('leave the own fields of a row without an identifier', async ({ startSupergraph, upstream }) => {
    upstream.script((request) => pageReply([{ connection_name: 'Nameless' }, { id: 'c1' }], request));
    const { query } = await startSupergraph({ notes: [{ id: 'n1', text: 'Loud', connectionId: 'c1' }] });
    const { data } = await query('{ ipConnections { nodes { connectionName notes { text } } } }');
    expect(data.ipConnections.nodes).toEqual([
      { connectionName: 'Nameless', notes: null },
      { connectionName: null, notes: [{ text: 'Loud' }] },
    ]);
  });
});
