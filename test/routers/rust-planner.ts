import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGatewayRuntime } from '@graphql-hive/gateway-runtime';
import { unifiedGraphHandler } from '@graphql-hive/router-runtime';
import { composeSupergraph, type Subgraph } from '../federation/supergraph.ts';

/** A Hive Gateway whose queries are planned by the Rust planner of Hive Router. */
export interface RustPlanner extends AsyncDisposable {
  readonly url: string;
}

/** Composes subgraphs and serves them. */
export async function startRustPlanner(subgraphs: readonly Subgraph[]): Promise<RustPlanner> {
  const runtime = createGatewayRuntime({
    supergraph: composeSupergraph(subgraphs),
    unifiedGraphHandler,
    logging: false,
    propagateHeaders: {
      fromClientToSubgraphs: ({ request }) => ({
        authorization: request.headers.get('authorization') ?? '',
        'x-request-id': request.headers.get('x-request-id') ?? '',
      }),
    },
  });
  const server = createServer((req, res) => void runtime(req, res));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/graphql`,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await runtime[Symbol.asyncDispose]();
    },
  };
}
