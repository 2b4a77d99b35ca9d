import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGatewayRuntime } from '@graphql-hive/gateway-runtime';
import { composeServices, compositionHasErrors } from '@theguild/federation-composition';
import { parse } from 'graphql';

/** A subgraph as a supergraph is composed of it. */
export interface Subgraph {
  readonly name: string;
  readonly sdl: string;
  readonly url: string;
}

/** The supergraph of several subgraphs; throws what does not compose. */
export function composeSupergraph(subgraphs: readonly Subgraph[]): string {
  const result = composeServices(subgraphs.map(({ name, sdl, url }) => ({ name, typeDefs: parse(sdl), url })));
  if (compositionHasErrors(result)) throw new Error(result.errors.map(({ message }) => message).join('\n'));
  return result.supergraphSdl;
}

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
