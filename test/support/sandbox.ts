import { startSandbox, type Sandbox } from '../../src/sandbox/server.ts';

/** The sandbox's present in documents and tests. */
export const fixedNow = Date.parse('2026-11-01T00:00:00Z');

/** Starts a sandbox whose clock stands still, but for what `uptime` says that has passed since, in milliseconds. */
export function startFixedSandbox(uptime: () => number = () => 0, seed = ''): Promise<Sandbox> {
  return startSandbox({ port: 0, host: '127.0.0.1', now: () => fixedNow + uptime(), seed });
}
