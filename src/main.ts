import { flushCompileCache } from 'node:module';
import { startApp, type App } from './app.ts';
import { stopMs } from './bounds.ts';
import { ConfigError, readConfig, type Config } from './config.ts';
import { guardProcess } from './process-guard.ts';

/** An upstream to talk to: the configured one, or the sandbox, which lives and ends with this process. */
async function findUpstream(config: Config): Promise<{ readonly baseUrl: string; close(): Promise<void> }> {
  if (config.upstreamBaseUrl !== null) return { baseUrl: config.upstreamBaseUrl, close: async () => {} };
  // Its data and its code are for those who use it.
  const { startSandbox } = await import('./sandbox/server.ts');
  return startSandbox({ port: 0, host: '127.0.0.1', uptime: () => performance.now() });
}

async function start(): Promise<void> {
  const config = readConfig(process.env);
  const upstream = await findUpstream(config);
  // What the embedded sandbox is asked is nobody's secret.
  const explain = config.explain ?? config.upstreamBaseUrl === null;
  const app = await startApp({ ...config, explain, upstreamBaseUrl: upstream.baseUrl });
  let isStopping = false;
  const stop = async (): Promise<void> => {
    if (isStopping) return;
    isStopping = true;
    // For what has no bound of its own.
    setTimeout(() => process.exit(), stopMs);
    await app.retire();
    await app.close();
    await upstream.close();
    process.exit();
  };
  guardProcess({ report: app.reportUnhandled, stop });
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  // Last: who reads that it listens may stop it at once.
  announce(app, config, upstream.baseUrl);
  // For the next start, which `npm start` lets find it; Node itself writes it only at a regular end.
  flushCompileCache();
}

function announce(app: App, config: Config, sandboxUrl: string): void {
  console.log(`Switchboard listens on ${app.url}/graphql`);
  if (config.upstreamBaseUrl !== null) return;
  console.log('UPSTREAM_BASE_URL is not set: answers come from the embedded sandbox. Try it with the key sandbox-key.');
  console.log(`The sandbox itself, while this process runs: ${sandboxUrl}`);
}

start().catch((error: unknown) => {
  console.error(error instanceof ConfigError ? error.message : `Switchboard cannot start: ${reasonOf(error)}.`);
  process.exit(1);
});

/** An address that cannot be listened on comes from PORT or HOST; the line says so. */
function reasonOf(error: unknown): string {
  const { code, syscall = '', message } = error as NodeJS.ErrnoException;
  const isAddress = ['listen', 'bind', 'getaddrinfo'].includes(syscall);
  return isAddress ? `PORT and HOST name an address that cannot be used (${code})` : message;
}
