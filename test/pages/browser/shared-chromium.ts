import { createServer } from 'node:http';
import type { TestProject } from 'vitest/node';
import { listenOnLoopback } from '../../support/http.ts';
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
  const { origin, close } = await listenOnLoopback(server);
  provide('chromium', origin);
  return async () => {
    await close();
    await (await started?.catch(() => null))?.close();
  };
}
