import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createGatewayRuntime } from '@graphql-hive/gateway';

/** Composes in a process of its own, as a team would before it deploys: that memory is not the gateway's. */
function compose(): string {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-bench-mesh-'));
  try {
    execFileSync(process.execPath, [fileURLToPath(new URL('compose.ts', import.meta.url)), folder]);
    return readFileSync(join(folder, 'supergraph.graphql'), 'utf8');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const gateway = createGatewayRuntime({
  supergraph: compose(),
  logging: 'error',
  graphiql: false,
  landingPage: false,
});
const server = createServer(gateway);
server.listen(0, '127.0.0.1', () => {
  console.log(`Mesh listens on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
