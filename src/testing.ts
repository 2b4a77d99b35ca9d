import { readConfig } from './config.ts';
import { startApp } from './app.ts';
import { Refusal } from './sandbox/errors.ts';
import type { FaultName } from './sandbox/faults.ts';
import { startSandbox as startServer, type Sandbox as Server } from './sandbox/server.ts';
import type { DeliveryOrder, WebhookDelivery } from './sandbox/webhook-delivery.ts';
import { accounts, readPresent, type AccountName } from './sandbox/world.ts';
import { createLog } from './telemetry/log.ts';
import { createMetrics } from './telemetry/metrics.ts';

// What tests of other projects import as `@switchboard-gateway/gateway/testing`.

/** A part of a sandbox key: an account, a fault with or without its argument, or the one endpoint that the faults are for. */
export type Part = AccountName | FaultName | `${FaultName}=${string | number}` | `only=${string}`;

export type { AccountName, DeliveryOrder, FaultName, WebhookDelivery };

export interface SandboxOptions {
  /** The present, a moment in ISO 8601 at which the clock stands still. Default: `2026-11-01T00:00:00Z`. */
  readonly now?: string;
  /** Decides which calls of `flaky` fail. Default: the same ones in each run. */
  readonly seed?: string;
}

/** A sandbox in this process, which tests move. */
export interface Sandbox {
  /** The version-2 root of its API. */
  readonly baseUrl: string;
  /** Has all calls behave so from now on, besides what their keys ask for; without parts, as their keys say. Throws for what is no part. */
  use(...parts: readonly Part[]): void;
  /** Makes the newest delivery of an account, default the large one. Throws where the order cannot be kept. */
  deliver(order?: DeliveryOrder, account?: AccountName): WebhookDelivery;
  /** Sets the clock, which stands still, to a moment in ISO 8601 from 2000 to 2099. */
  setNow(now: string): void;
  /** Moves the clock. */
  advance(seconds: number): void;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface SwitchboardOptions extends SandboxOptions {
  /** Settings as the environment would give them (docs/reference/settings.md): `CORS_ORIGINS` for a page from elsewhere. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A gateway in this process, in front of a sandbox of its own. */
export interface Switchboard {
  /** Its address, without a path. */
  readonly url: string;
  /** The address of GraphQL. */
  readonly graphqlUrl: string;
  readonly sandbox: Sandbox;
  /** Ends both. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

// Failures come soon, and nothing is kept from one test to the next.
const forTests = {
  PORT: '0',
  LOG_LEVEL: 'silent',
  EXPLORER: 'false',
  UPSTREAM_TIMEOUT_MS: '1000',
  UPSTREAM_RETRIES: '0',
  UPSTREAM_BREAKER_OPEN_MS: '1',
  SUBSCRIPTION_POLL_MS: '50',
  REPORT_CACHE_MS: '0',
  HISTORY_CACHE_MS: '0',
};

/** Starts a sandbox on a free port of loopback. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  return (await open(options)).sandbox;
}

/** Starts a gateway and its sandbox on free ports of loopback. Rejects with the name of a setting that cannot be used. */
export async function startSwitchboard({ env = {}, ...options }: SwitchboardOptions = {}): Promise<Switchboard> {
  const config = readConfig({ ...forTests, ...env });
  const { sandboxNow } = config;
  const { server, sandbox } = await open({
    ...(sandboxNow && { now: new Date(sandboxNow).toISOString() }),
    ...options,
  });
  const log = createLog(config.logLevel);
  try {
    const app = await startApp(
      { ...config, upstreamBaseUrl: server.baseUrl, explain: config.explain ?? true, mcp: config.mcp ?? false },
      { log, sandbox: server, metrics: createMetrics(log.linesLost, false) },
    );
    let closed: Promise<void> | undefined;
    const close = (): Promise<void> => (closed ??= app.close().then(() => sandbox.close()));
    return { url: app.url, graphqlUrl: `${app.url}/graphql`, sandbox, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await sandbox.close();
    throw error;
  }
}

async function open({ now = '2026-11-01T00:00:00Z', seed = '' }: SandboxOptions) {
  const start = momentOf(now);
  const server: Server = await startServer({ port: 0, host: '127.0.0.1', now: () => start, seed });
  const sandbox: Sandbox = {
    baseUrl: server.baseUrl,
    use: (...parts) => toldPlainly(() => server.use(parts.join('+'))),
    deliver: (order, account = 'large') => toldPlainly(() => server.deliver(order, accounts[account])),
    setNow: (moment) => server.setClock(momentOf(moment)),
    advance: (seconds) => server.setClock(momentOf(new Date(server.now() + seconds * 1_000).toJSON())),
    close: () => server.close(),
    [Symbol.asyncDispose]: () => server.close(),
  };
  return { server, sandbox };
}

function momentOf(text: string | null): number {
  const moment = readPresent(text);
  if (moment !== undefined) return moment;
  throw new TypeError('The present must be a moment from 2000 to 2099 in ISO 8601, such as 2026-11-01T00:00:00Z.');
}

/** Throws what the sandbox would respond with as an error that says it. */
function toldPlainly<Value>(act: () => Value): Value {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof Refusal) || typeof error.body === 'string') throw error;
    const [first] = (error.body as { errors: { detail: string }[] }).errors;
    throw new TypeError(first?.detail, { cause: error });
  }
}
