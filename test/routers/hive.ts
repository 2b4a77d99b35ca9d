import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGatewayRuntime } from '@graphql-hive/gateway-runtime';
import { composeSupergraph, type Subgraph } from '../federation/supergraph.ts';

export type HiveConfig = Partial<Parameters<typeof createGatewayRuntime>[0]>;

/** Composes subgraphs and serves them by Hive Gateway in this process; it forwards the caller's key and request id. */
export async function startHive(subgraphs: readonly Subgraph[], config: HiveConfig = {}) {
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
