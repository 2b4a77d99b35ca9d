import { startApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { startSandbox } from '../../src/sandbox/server.ts';

/** A gateway on a port of its own, in this process. */
export interface Gateway {
  readonly url: string;
  /** The fixed day of its data; null where the data is current. */
  readonly today: string | null;
  close(): Promise<void>;
}

const today = '2026-11-01';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Starts the gateway, in front of UPSTREAM_BASE_URL or, without one, of a sandbox that ends with it. GATEWAY_PORT is its port.
 * The sandbox has a new delivery for every five seconds of its `uptime`, in milliseconds.
 */
export async function startGateway(env: Environment, uptime: () => number): Promise<Gateway> {
  const config = readConfig({ LOG_LEVEL: 'warn', ...env, PORT: env['GATEWAY_PORT'] ?? '0', HOST: '127.0.0.1' });
  const now = (): number => Date.parse(today) + uptime();
  const sandbox = config.upstreamBaseUrl === null ? await startSandbox({ port: 0, host: '127.0.0.1', now }) : null;
  const app = await startApp({ ...config, upstreamBaseUrl: sandbox?.baseUrl ?? config.upstreamBaseUrl ?? '' });
  return {
    url: app.url,
    today: sandbox === null ? null : today,
    async close() {
      await app.close();
      await sandbox?.close();
    },
  };
}
