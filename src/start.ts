import { styleText } from 'node:util';
import type { App } from './app.ts';
import { ConfigError, misspeltSettings, readConfig, type AppConfig, type Config, workerCount } from './config.ts';
import type { Sandbox } from './sandbox/server.ts';
import { createLog, standardOutput, type LineOutput } from './telemetry/log.ts';
import { createMetrics } from './telemetry/metrics.ts';
import { endStart, guardProcess, prepareProcess } from './workers/process-guard.ts';
import type { WorkersOptions } from './workers/workers.ts';

/** Starts the sandbox, which ends with this process, where no upstream is configured. */
async function openSandbox({ upstreamBaseUrl, sandboxNow }: Config): Promise<Sandbox | null> {
  if (upstreamBaseUrl !== null) return null;
  // Its code and data are loaded only where they are used.
  const { startSandbox } = await import('./sandbox/server.ts');
  const aheadMs = sandboxNow === null ? 0 : sandboxNow - Date.now();
  return startSandbox({ port: 0, host: '127.0.0.1', now: () => Date.now() + aheadMs });
}

/** Starts the gateway in this process, or workers with one each. Either is loaded only where it is used. */
async function startGateway(config: AppConfig, parts: Omit<WorkersOptions, 'count'>): Promise<App> {
  const count = workerCount(config);
  const { log, metrics, sandbox } = parts;
  if (count === 1) {
    const [{ startApp }, { createWarmUp }] = await Promise.all([import('./app.ts'), import('./workers/warm-up.ts')]);
    return startApp(config, { log, metrics, ...(sandbox && { sandbox }), warmUp: createWarmUp(config) });
  }
  const { startWorkers } = await import('./workers/workers.ts');
  return startWorkers(config, { ...parts, count });
}

async function start(): Promise<void> {
  const output = standardOutput();
  let app: App | null = null;
  let sandbox: Sandbox | null = null;
  const stop = prepareProcess(output, async () => {
    await app?.retire();
    await app?.close();
    await sandbox?.close();
  });
  const config = readConfig(process.env);
  sandbox = await openSandbox(config);
  const isSandbox = sandbox !== null;
  const upstreamBaseUrl = sandbox?.baseUrl ?? config.upstreamBaseUrl ?? '';
  // The calls to the embedded sandbox are no secret, so explaining them is on by default.
  const explain = config.explain ?? isSandbox;
  // Nor is its data a secret, so agents may have its tools. Before a real account they are an operator's choice.
  const mcp = config.mcp ?? isSandbox;
  const log = createLog(config.logLevel, output);
  const metrics = createMetrics(log.linesLost);
  const misspelt = misspeltSettings(process.env);
  if (misspelt.length > 0) log.warn({ misspelt }, 'variables that are no settings');
  // Before the first worker serves, since it may be told to stop while others start. At SIGHUP its terminal has ended.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => void stop());
  const appConfig = { ...config, explain, mcp, upstreamBaseUrl };
  const writeLines = (lines: string): unknown => output.write(lines);
  app = await startGateway(appConfig, { log, metrics, sandbox, writeLines, giveUp: () => void stop(1) });
  guardProcess(log, metrics, stop);
  // Whoever reads that the process listens may stop it at once.
  announce(app, config, upstreamBaseUrl, output);
  endStart();
}

/** Says where the process listens: in lines for people on a terminal, otherwise in lines of the log. */
function announce(app: App, config: Config, sandboxUrl: string, output: LineOutput): void {
  const { isTTY } = process.stdout;
  // It is told whatever the level is.
  const log = createLog('info', output);
  const print = (text: string): void => output.write(`${coloured(text)}\n`);
  const say = (text: string, fields: object): void => (isTTY ? print(text) : log.info(fields, text));
  const { url, adminUrl } = app;
  say(`Switchboard listens on ${url}/graphql`, { url });
  if (adminUrl !== null) say(`Probes and metrics: ${adminUrl}/health, /ready and /metrics`, { adminUrl });
  if (isTTY && config.explorer) print(`In a browser: ${url}/ (first page), ${url}/graphql, ${url}/voyager`);
  if (config.upstreamBaseUrl !== null) {
    if (isTTY) print(`Answers come from the API at ${config.upstreamBaseUrl}`);
  } else {
    say('UPSTREAM_BASE_URL is not set: answers come from the embedded sandbox. Try it with the key sandbox-key.', {});
    say(`The sandbox itself, while this process runs: ${sandboxUrl}`, { sandboxUrl });
  }
  output.flush(() => {});
}

/** A line with its addresses in colour, where the terminal has colours and nobody has turned them off (NO_COLOR). */
function coloured(line: string): string {
  return line.replace(/https?:\/\/[^\s,]+/g, (address) => styleText('cyan', address, { stream: process.stdout }));
}

start().catch((error: unknown) => {
  console.error(
    error instanceof ConfigError ? error.message : `Switchboard cannot start: ${(error as Error).message}.`,
  );
  process.exit(1);
});
