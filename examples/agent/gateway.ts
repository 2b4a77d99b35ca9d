import { startApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { startSandbox } from '../../src/sandbox/server.ts';
import { createLog } from '../../src/telemetry/log.ts';

/** A gateway with tools before a sandbox, in this process. */
export interface Gateway extends AsyncDisposable {
  readonly url: string;
  /** The calls of the API that each request has caused, by its identifier. A request is there once it has ended. */
  readonly upstreamCalls: ReadonlyMap<string, number>;
}

/** Starts both on ports of their own. */
export async function startGateway(): Promise<Gateway> {
  const upstreamCalls = new Map<string, number>();
  const write = (line: string): void => {
    const { requestId, upstreamCalls: calls } = JSON.parse(line);
    if (typeof calls === 'number') upstreamCalls.set(requestId, calls);
  };
  const sandbox = await startSandbox({ port: 0, host: '127.0.0.1', now: () => Date.UTC(2026, 10, 1) });
  const config = readConfig({ PORT: '0', MCP: 'true', EXPLORER: 'false' });
  const app = await startApp({ ...config, upstreamBaseUrl: sandbox.baseUrl }, { log: createLog('info', { write }) });
  return {
    url: app.url,
    upstreamCalls,
    async [Symbol.asyncDispose]() {
      await app.close();
      await sandbox.close();
    },
  };
}
