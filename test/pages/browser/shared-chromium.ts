import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestProject } from 'vitest/node';
import type { ChromiumServer } from './chromium.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the address of the Chromium that all files share can be had. */
    readonly chromium: string;
  }
}

/** Vitest's global set-up: one Chromium for all files, which starts when the first of them asks for it and ends with the run. */
export default async function shareChromium({ provide }: TestProject): Promise<() => Promise<void>> {
  let started: Promise<ChromiumServer> | null = null;
  // What Chromium needs is installed only for tests that use it.
  const start = async (): Promise<ChromiumServer> => (await import('./chromium.ts')).startServer();
  const server = createServer((_, response) => {
    started ??= start();
    started.then(
      ({ address }) => response.end(address),
      (error: unknown) => response.writeHead(503).end(String(error)),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  provide('chromium', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return async () => {
    server.close();
    server.closeAllConnections();
    await (await started?.catch(() => null))?.close();
  };
}
