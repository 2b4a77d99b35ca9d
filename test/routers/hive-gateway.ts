import { fileURLToPath } from 'node:url';
import { composeSupergraph, type Subgraph } from '../federation/supergraph.ts';
import { startServing } from '../fleet/programs.ts';
import { freePort } from '../fleet/redis.ts';

const program = fileURLToPath(new URL('node_modules/@graphql-hive/gateway/dist/bin.js', import.meta.url));

const propagated = `propagateHeaders: {
    fromClientToSubgraphs: ({ request }) => ({ authorization: request.headers.get('authorization') }),
  },`;

// It forwards the caller's key in `connection_init`.
const options = {
  subscriptions: {
    kind: 'ws',
    location: '/graphql',
    options: { connectionParams: { authorization: '{context.headers.authorization}' }, retryAttempts: 0 },
  },
};
const overSockets = `transportEntries: { '*.http': { options: ${JSON.stringify(options)} } },`;

/** What it is started with: flags, and whether it follows subscriptions over WebSocket, and not over server-sent events. */
interface HiveSettings {
  readonly flags?: readonly string[];
  readonly hasSockets?: boolean;
}

/** Starts a Hive Gateway over subgraphs in a process of its own. */
export async function startHiveGateway(subgraphs: readonly Subgraph[], settings: HiveSettings = {}) {
  const { flags = [], hasSockets = false } = settings;
  const port = String(await freePort());
  const args = ['supergraph', 'supergraph.graphql', '-c', 'gateway.mjs', '-h', '127.0.0.1', '-p', port];
  return startServing(process.execPath, [program, ...args, ...flags], {
    url: `http://127.0.0.1:${port}/graphql`,
    ready: `http://127.0.0.1:${port}/readiness`,
    files: {
      'supergraph.graphql': composeSupergraph(subgraphs),
      'gateway.mjs': `export const gatewayConfig = { ${hasSockets ? overSockets : ''} ${propagated} };\n`,
    },
    env: { OTEL_BSP_SCHEDULE_DELAY: '20' },
  });
}
