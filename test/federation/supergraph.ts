import { test as base, type Gateway, type GraphqlAnswer, type QueryOptions } from '../support/gateway.ts';
import { notesSdl, startNotesSubgraph, type Note, type NotesSubgraph } from './notes-subgraph.ts';
import { composeSupergraph, startRouter, type Router, type RouterConfig } from './router.ts';

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
  /** The gateway's own description for a supergraph. */
  readonly sdl: string;
  /** Composes and starts a supergraph; it ends with the test. */
  readonly startSupergraph: (options?: SupergraphOptions) => Promise<Supergraph>;
}

/** The SDL of a gateway's `_service`. */
export async function sdlOf(gateway: Gateway): Promise<string> {
  const { data } = await gateway.query('{ service: _service { sdl } }', { key: null });
  return data.service.sdl;
}

/** Vitest's `test` with an upstream, a gateway, and a supergraph of it and another subgraph. */
export const test = base.extend<Fixtures>({
  sdl: async ({ gateway }, use) => use(await sdlOf(gateway)),
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

/** Asks a router as a client would. */
export async function ask(
  url: string,
  query: string,
  { variables, key = 'test-key', headers = {} }: QueryOptions = {},
): Promise<GraphqlAnswer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...headers,
    },
    body: JSON.stringify({ query, variables }),
  });
  const text = await response.text();
  const { data, errors = [] } = JSON.parse(text);
  return { status: response.status, headers: response.headers, text, data, errors };
}

export { expect } from '../support/gateway.ts';
