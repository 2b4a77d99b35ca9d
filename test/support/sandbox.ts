import { test as base } from 'vitest';
import { startSandbox, type Sandbox } from '../../src/sandbox/server.ts';
import { startGateway, type Gateway } from './gateway.ts';

/** The sandbox's present in documents and tests. */
export const fixedNow = Date.parse('2026-11-01T00:00:00Z');

/** Starts a sandbox whose clock stands still, but for what `uptime` says that has passed since, in milliseconds. */
export function startFixedSandbox(uptime: () => number = () => 0, seed = ''): Promise<Sandbox> {
  return startSandbox({ port: 0, host: '127.0.0.1', now: () => fixedNow + uptime(), seed });
}

/** Vitest's `test` with such a sandbox and a gateway in front of it, for all tests of a file or for each. */
export const testOfSandbox = (env: Readonly<Record<string, string>> = {}, scope: 'file' | 'test' = 'file') =>
  base.extend<{ readonly sandbox: Sandbox; readonly gateway: Gateway }>({
    sandbox: [
      async ({}, use) => {
        const sandbox = await startFixedSandbox();
        await use(sandbox);
        await sandbox.close();
      },
      { scope },
    ],
    gateway: [
      async ({ sandbox }, use) => {
        const gateway = await startGateway(sandbox.baseUrl, env, { sandbox });
        await use(gateway);
        await gateway.close();
      },
      { scope },
    ],
  });
