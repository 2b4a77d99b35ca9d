import { createServer } from 'node:http';
import { createGatewayRuntime } from '@graphql-hive/gateway-runtime';
import { unifiedGraphHandler } from '@graphql-hive/router-runtime';
import { notesSdl, startNotesSubgraph, type Note } from '../federation/notes-subgraph.ts';
import { composeSupergraph, sdlOf, type Subgraph } from '../federation/supergraph.ts';
import {
  describe,
  askGraphql,
  test as base,
  expect,
  type GraphqlAnswer,
  type QueryOptions,
} from '../support/gateway.ts';
import { listenOnLoopback } from '../support/http.ts';
import { pageReply, refusal, type Script } from '../support/scripted-upstream.ts';
import { startGrafbase } from './grafbase.ts';

type HiveConfig = Partial<Parameters<typeof createGatewayRuntime>[0]>;

interface Router {
  readonly start: (subgraphs: readonly Subgraph[]) => Promise<AsyncDisposable & { readonly url: string }>;
  /** Where it puts the extensions of an error of ours. */
  readonly extensionsOf: (error: { readonly extensions: Readonly<Record<string, unknown>> }) => unknown;
  /** What it makes of a reference that is unknown to us, which we return as null: the codes of its own errors. */
  readonly unknownReference: readonly string[];
}

/** Hive Gateway in this process; it forwards the caller's key and request id. */
const hive = (config: HiveConfig = {}): Router => ({
  async start(subgraphs) {
    const runtime = createGatewayRuntime({
      supergraph: composeSupergraph(subgraphs),
      logging: false,
      propagateHeaders: {
        fromClientToSubgraphs: ({ request }) => ({
          authorization: request.headers.get('authorization'),
          'x-request-id': request.headers.get('x-request-id'),
        }),
      },
      ...config,
    } as Parameters<typeof createGatewayRuntime>[0]);
    const { origin, close } = await listenOnLoopback(createServer((req, res) => void runtime(req, res)));
    return {
      url: `${origin}/graphql`,
      async [Symbol.asyncDispose]() {
        await close();
        await runtime[Symbol.asyncDispose]();
      },
    };
  },
  extensionsOf: ({ extensions }) => extensions,
  unknownReference: [],
});

const routers: Readonly<Record<string, Router>> = {
  'Grafbase 0.80.4': {
    start: startGrafbase,
    extensionsOf: ({ extensions }) => extensions['upstream_extensions'],
    unknownReference: ['SUBGRAPH_INVALID_RESPONSE_ERROR'],
  },
  'Hive Gateway': hive(),
  "Hive's Rust query planner": hive({ unifiedGraphHandler } as HiveConfig),
};

interface Supergraph {
  /** The documents that the subgraph of notes was sent. */
  readonly documents: readonly string[];
  readonly query: (document: string, options?: QueryOptions) => Promise<GraphqlAnswer>;
}

interface Fixtures {
  /** Puts a router before Switchboard and the subgraph of notes; all end with the test. */
  readonly startSupergraph: (router: Router, rows?: readonly Note[]) => Promise<Supergraph>;
}

const test = base.extend<Fixtures>({
  startSupergraph: async ({ gateway }, use) => {
    await using cleanups = new AsyncDisposableStack();
    await use(async (router, rows = []) => {
      const notes = await startNotesSubgraph(rows);
      cleanups.defer(() => notes.close());
      const { url } = cleanups.use(
        await router.start([
          { name: 'switchboard', sdl: await sdlOf(gateway), url: `${gateway.url}/graphql` },
          { name: 'notes', sdl: notesSdl, url: notes.url },
        ]),
      );
      return { documents: notes.documents, query: (document, options) => askGraphql(url, document, options) };
    });
  },
});

const connections = Array.from({ length: 600 }, (_, index) => ({ id: `c${index}`, connection_name: `Line ${index}` }));
const lists: Script = (request) =>
  request.path === '/ip_connections'
    ? pageReply(connections, request)
    : pageReply([{ mission_id: 'm1', name: 'Reminders' }], request, 1000);

describe.for(Object.entries(routers))('%s', ([, router]) => {
  const { extensionsOf } = router;

  test('adds another subgraph to a page of 20 with one request and one call', async ({ startSupergraph, upstream }) => {
    upstream.script(lists);
    const { documents, query } = await startSupergraph(router, [{ id: 'n1', text: 'Loud', connectionId: 'c3' }]);
    const { data, errors } = await query(
      '{ ipConnections { nodes { id connectionName notes { text } } totalCount pageInfo { hasNextPage } } }',
    );
    expect(errors).toEqual([]);
    expect(data.ipConnections).toEqual({
      nodes: connections.slice(0, 20).map(({ id, connection_name: connectionName }) => {
        return { id, connectionName, notes: id === 'c3' ? [{ text: 'Loud' }] : [] };
      }),
      totalCount: 600,
      pageInfo: { hasNextPage: true },
    });
    expect(documents).toHaveLength(1);
    expect(upstream.requests.map(({ path }) => path)).toEqual(['/ip_connections']);
  });

  test('resolves 100 references of two types with one scan per list', async ({ startSupergraph, upstream }) => {
    upstream.script(lists);
    const notes = Array.from({ length: 100 }, (_, index) => {
      return { id: `n${index}`, text: `Note ${index}`, connectionId: `c${index * 6}`, missionId: 'm1' };
    });
    const { query } = await startSupergraph(router, [...notes, { id: 'n', text: '', connectionId: 'gone' }]);
    const { data, errors } = await query('{ notes { nodes { connection { connectionName } mission { name } } } }');
    expect(errors.map(({ extensions: { code } }) => code)).toEqual(router?.unknownReference);
    expect(data.notes.nodes.slice(0, 100)).toEqual(
      notes.map(({ connectionId }) => {
        return { connection: { connectionName: `Line ${connectionId.slice(1)}` }, mission: { name: 'Reminders' } };
      }),
    );
    const [last] = data.notes.nodes.slice(100);
    expect([null, { connectionName: null }]).toContainEqual(last.connection);
    expect(upstream.requests.map(({ path }) => path).filter((path) => path === '/ip_connections')).toHaveLength(3);
    expect(upstream.requests.filter(({ path }) => path === '/ai/missions')).toHaveLength(1);
  });

  test("forwards each caller's own key and request id, and shows nobody the rows of another", async ({
    startSupergraph,
    upstream,
  }) => {
    upstream.script((request) => pageReply([{ id: String(request.headers.authorization) }], request));
    const { query } = await startSupergraph(router);
    const keys = ['key-of-one', 'key-of-another'];
    const answers = await Promise.all(
      keys.map((key) =>
        query('{ ipConnections { nodes { id } } }', { key, headers: { 'x-request-id': `r-${key.length}` } }),
      ),
    );
    expect(answers.map(({ data }) => data.ipConnections.nodes)).toEqual(keys.map((key) => [{ id: `Bearer ${key}` }]));
    const seen = upstream.requests.map(({ headers }) => `${headers.authorization} ${String(headers['x-request-id'])}`);
    expect(seen.sort()).toEqual(['Bearer key-of-another r-14', 'Bearer key-of-one r-10']);
  });

  test('passes our errors on with message, path, code and argument, and the data beside them', async ({
    startSupergraph,
    upstream,
  }) => {
    const broken = refusal(500, '10007', 'Unexpected error', 'Sorry.');
    upstream.script((request) => (request.path === '/ai/missions' ? broken : lists(request)));
    const { query } = await startSupergraph(router);
    const { data, errors } = await query(
      `{
        bill: chargesSummary(startDate: "2026-10-01", endDate: "2026-09-01") { currency }
        missions { nodes { id } }
        ipConnections(first: 1) { nodes { id notes { text } } }
      }`,
    );
    expect(data).toEqual({ bill: null, missions: null, ipConnections: { nodes: [{ id: 'c0', notes: [] }] } });
    const [bill, missions] = errors.toSorted((a, b) => a.path[0].localeCompare(b.path[0]));
    expect([bill.path, missions.path, missions.message]).toEqual([['bill'], ['missions'], 'Sorry.']);
    expect(bill.message).toContain('endDate');
    expect(extensionsOf(bill)).toMatchObject({ code: 'BAD_USER_INPUT', retryable: false, argument: ['endDate'] });
    expect(extensionsOf(missions)).toMatchObject({
      code: 'UPSTREAM_ERROR',
      retryable: true,
      upstream: { operation: 'GET /ai/missions', status: 500, code: '10007', title: 'Unexpected error' },
    });
  });

  test('is told UNAUTHENTICATED if no key comes, without an upstream call', async ({ startSupergraph, upstream }) => {
    upstream.script(lists);
    const { query } = await startSupergraph(router);
    const { data, errors } = await query('{ missions { totalCount } }', { key: null });
    expect(data).toEqual({ missions: null });
    expect(errors.map((error) => extensionsOf(error))).toMatchObject([{ code: 'UNAUTHENTICATED' }]);
    expect(upstream.requests).toEqual([]);
  });
});

describe('Hive Gateway', () => {
  const notes = [{ id: 'n1', text: 'Loud', connectionId: 'c0', missionId: 'm1' }];

  test('leaves Query.node of the supergraph to the other subgraph, and ours to the gateway', async ({
    gateway,
    startSupergraph,
    upstream,
  }) => {
    upstream.script(lists);
    const { query } = await startSupergraph(hive(), notes);
    const { data } = await query('{ node(id: "n1") { id ... on Note { text connection { nodeId } } } }');
    const { nodeId } = data.node.connection;
    expect(data.node).toEqual({ id: 'n1', text: 'Loud', connection: { nodeId } });
    const direct = await gateway.query(`{ node(nodeId: "${nodeId}") { ... on IpConnection { id } } }`);
    expect(direct.data).toEqual({ node: { id: 'c0' } });
  });

  test('knows the cost of first: it refuses a page that is too large before any subgraph is called', async ({
    startSupergraph,
    upstream,
  }) => {
    upstream.script(lists);
    const limited = hive({ demandControl: { maxCost: 500, includeExtensionMetadata: true } });
    const { query } = await startSupergraph(limited);
    const document = 'query ($first: Int) { ipConnections(first: $first) { nodes { id } } }';
    const large = await query(document, { variables: { first: 500 } });
    const extensions = { code: 'COST_ESTIMATED_TOO_EXPENSIVE', cost: { estimated: 511 } };
    expect(large.errors).toMatchObject([{ extensions }]);
    expect(upstream.requests).toEqual([]);
    const small = await query(document, { variables: { first: 20 } });
    expect(small.data.ipConnections.nodes).toHaveLength(20);
    expect(JSON.parse(small.text).extensions).toEqual({ cost: { estimated: 31, max: 500 } });
  });

  test('tells errors of references at the references that failed', async ({ startSupergraph, upstream }) => {
    const broken = refusal(500, '10007', 'Unexpected error', 'Sorry.');
    upstream.script((request) => (request.path === '/ai/missions' ? broken : lists(request)));
    const { query } = await startSupergraph(hive(), notes);
    const { data, errors } = await query('{ notes { nodes { connection { connectionName } mission { name } } } }');
    expect(data.notes.nodes).toEqual([{ connection: { connectionName: 'Line 0' }, mission: { name: null } }]);
    expect(errors).toMatchObject([
      { path: ['notes', 'nodes', 0, 'mission', 'name'], extensions: { code: 'UPSTREAM_ERROR' } },
    ]);
  });
});
