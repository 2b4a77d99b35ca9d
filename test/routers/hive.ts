import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGatewayRuntime } from '@graphql-hive/gateway-runtime';
import { notesSdl, startNotesSubgraph, type Note, type NotesSubgraph } from '../federation/notes-subgraph.ts';
import { ask, composeSupergraph, test as base } from '../federation/supergraph.ts';
import type { GraphqlAnswer, QueryOptions } from '../support/gateway.ts';

/** A router of Hive's in this process, spoken to over HTTP on a port of its own. */
export interface Router {
  readonly url: string;
  close(): Promise<void>;
}

export type RouterConfig = Partial<Parameters<typeof createGatewayRuntime>[0]>;

/** Starts a router that forwards the caller's key and request id, as `docs/supergraph.md` shows. */
export async function startRouter(supergraph: string, config: RouterConfig = {}): Promise<Router> {
  const runtime = createGatewayRuntime({
    supergraph,
    logging: false,
    propagateHeaders: {
      fromClientToSubgraphs: ({ request }) => ({
        authorization: request.headers.get('authorization'),
        'x-request-id': request.headers.get('x-request-id'),
      }),
    },
    ...config,
  } as Parameters<typeof createGatewayRuntime>[0]);
  const server = createServer((req, res) => void runtime(req, res));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/graphql`,
    async close() {
      server.close();
      server.closeAllConnections();
      await runtime[Symbol.asyncDispose]();
    },
  };
}

/** A router in front of Switchboard and of the subgraph of notes. */
export interface Supergraph {
  readonly notes: NotesSubgraph;
  /** The subgraphs that the router has called so far, by name, once for each request. */
  readonly asked: readonly string[];
  readonly query: (document: string, options?: QueryOptions) => Promise<GraphqlAnswer>;
}

export interface SupergraphOptions {
  readonly notes?: readonly Note[];
  readonly router?: RouterConfig;
}

interface Fixtures {
  /** Composes and starts a supergraph; it ends with the test. */
  readonly startSupergraph: (options?: SupergraphOptions) => Promise<Supergraph>;
}

/** Vitest's `test` with an upstream, a gateway, and a supergraph of it and another subgraph. */
export const test = base.extend<Fixtures>({
  startSupergraph: async ({ gateway, sdl }, use) => {
    const started: (NotesSubgraph | Router)[] = [];
    await use(async ({ notes: rows = [], router: config = {} } = {}) => {
      const asked: string[] = [];
      const notes = await startNotesSubgraph(rows);
      const supergraph = composeSupergraph([
        { name: 'switchboard', sdl, url: `${gateway.url}/graphql` },
        { name: 'notes', sdl: notesSdl, url: notes.url },
      ]);
      const router = await startRouter(supergraph, {
        plugins: () => [{ onSubgraphExecute: ({ subgraphName }) => void asked.push(subgraphName) }],
        ...config,
      });
      started.push(router, notes);
      return { notes, asked, query: (document, options) => ask(router.url, document, options) };
    });
    for (const part of started) await part.close();
  },
});

export { expect } from '../support/gateway.ts';
