import { describe, expect, test as base } from 'vitest';
import { buildAppSchema, startApp, type App, type AppOptions } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { configOfWorker } from '../../src/workers/workers.ts';
import type { Sandbox } from '../../src/sandbox/server.ts';
import type { Json } from './records.ts';
import { startFixedSandbox } from './sandbox.ts';
import {
  hang,
  startScriptedUpstream,
  unscripted,
  watched,
  type Reply,
  type ScriptedUpstream,
} from './scripted-upstream.ts';

/** A GraphQL response as a client sees it. */
export interface GraphqlAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The body to the letter. */
  readonly text: string;
  readonly data: Json;
  readonly errors: Json[];
}

export interface QueryOptions {
  readonly variables?: Readonly<Record<string, unknown>>;
  /** Null sends no Authorization header. */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly extensions?: object;
}

/** A gateway in this process, spoken to over HTTP on a port of its own. */
export interface Gateway {
  readonly url: string;
  /** The address of probes and metrics; null without ADMIN_PORT. */
  readonly adminUrl: string | null;
  /** Lines of its log so far. */
  readonly log: string[];
  query(document: string, options?: QueryOptions): Promise<GraphqlAnswer>;
  /** Sends a query, and sees that nothing of it fails. */
  data(document: string, options?: QueryOptions): Promise<Json>;
  /** Sends a body to `/graphql`, as JSON and with the key `test-key` where the headers say nothing else. */
  post(body: object | string, headers?: Readonly<Record<string, string>>): Promise<Response>;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Begins its stop: it is not ready any more, and accepts no connections when this resolves. */
  retire(): Promise<void>;
  close(): Promise<void>;
}

// One process has one schema, which takes as long to build as all else of a gateway. All gateways of the process share it.
const schema = buildAppSchema();

/** Time limits have tests of their own: no other test fails because a machine is busy with other things. */
export const patient = {
  UPSTREAM_TIMEOUT_MS: '40000',
  UPSTREAM_STALL_TIMEOUT_MS: '40000',
  UPSTREAM_CONNECT_TIMEOUT_MS: '40000',
  UPSTREAM_QUEUE_TIMEOUT_MS: '40000',
  OPERATION_TIMEOUT_MS: '50000',
};

interface GatewayOptions extends Pick<
  AppOptions,
  'changeRules' | 'isCompiling' | 'isSandbox' | 'sandbox' | 'now' | 'warmUp'
> {
  /** Whether its metrics have those of the process; what observes a process goes on when the gateway has ended. */
  readonly watchesProcess?: boolean;
  /** Of how many workers it is one: it has its part of every bound. */
  readonly workers?: number;
}

/** The options of a gateway without plans and bytes: what it answers, all paths must answer. */
export const judge: GatewayOptions = { isCompiling: false };

/** Starts a gateway in front of an upstream, with settings as the environment would give them. Retries have tests of their own. */
export async function startGateway(
  baseUrl: string,
  env: Readonly<Record<string, string>> = {},
  options: GatewayOptions = {},
): Promise<Gateway> {
  const config = readConfig({
    PORT: '0',
    UPSTREAM_BASE_URL: baseUrl,
    ...patient,
    LOG_LEVEL: 'debug',
    UPSTREAM_RETRIES: '0',
    REPORT_CACHE_MS: '0',
    HISTORY_CACHE_MS: '0',
    ...env,
  });
  const log: string[] = [];
  const written = createLog(config.logLevel, { write: (line) => log.push(line) });
  const { watchesProcess = false, workers } = options;
  const whole = { ...config, upstreamBaseUrl: baseUrl };
  // OpenTelemetry's packages read the process's own, when the gateway starts.
  const tracing = Object.entries(env).filter(([name]) => name.startsWith('OTEL_'));
  for (const [name, value] of tracing) process.env[name] = value;
  const started = await startApp(workers === undefined ? whole : configOfWorker(whole, 0, workers), {
    ...options,
    schema,
    metrics: createMetrics(written.linesLost, watchesProcess),
    log: written,
  }).finally(() => {
    for (const [name] of tracing) delete process.env[name];
  });
  const { url, adminUrl } = started;
  // Vitest keeps what each test was given until all have run.
  let app: App | null = started;
  return {
    url,
    adminUrl,
    log,
    retire: () => started.retire(),
    fetch: (path, init) => fetch(url + path, init),
    post: (body, headers) => post(`${url}/graphql`, body, { authorization: 'Bearer test-key', ...headers }),
    query: (document, asked) => askGraphql(`${url}/graphql`, document, asked),
    async data(document, asked) {
      const { data, errors } = await askGraphql(`${url}/graphql`, document, asked);
      expect(errors).toEqual([]);
      return data;
    },
    async close() {
      await app?.close();
      app = null;
    },
  };
}

function post(url: string, body: object | string, headers: Readonly<Record<string, string>>): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

/** Sends a query to whatever serves GraphQL at an address, and reads its answer. */
export async function askGraphql(
  url: string,
  query: string,
  { key = 'test-key', headers = {}, ...more }: QueryOptions = {},
): Promise<GraphqlAnswer> {
  const response = await post(
    url,
    { query, ...more },
    { ...(key !== null && { authorization: `Bearer ${key}` }), ...headers },
  );
  const text = await response.text();
  const { data, errors = [] } = JSON.parse(text);
  return { status: response.status, headers: response.headers, text, data, errors };
}

/** Asks for the report as CSV, outside of GraphQL. */
export function downloadReport(gateway: Gateway, key = 'test-key'): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, 'accept-encoding': 'identity' };
  return gateway.fetch('/exports/charges-breakdown.csv?startDate=2026-10-01', { headers });
}

/** Asks by GET, and leaves when the call has reached the upstream, which gives no more than the beginning of its reply. */
export async function askAndLeave(
  { gateway, upstream }: Pick<Fixtures, 'gateway' | 'upstream'>,
  query: string,
  { reply = hang, headers = {} }: { reply?: Reply; headers?: Readonly<Record<string, string>> } = {},
): Promise<void> {
  const { reply: begun, asked, left } = watched(reply);
  upstream.script(() => begun);
  const leaving = new AbortController();
  const answer = gateway.fetch(`/graphql?query=${encodeURIComponent(query)}`, {
    headers: { authorization: 'Bearer test-key', ...headers },
    signal: leaving.signal,
  });
  await asked;
  leaving.abort();
  await expect(answer).rejects.toThrow('abort');
  await left;
}

/** Errors in short: each by its path, its code, and the argument that it blames. */
export const brief = (errors: GraphqlAnswer['errors']): readonly string[] =>
  errors.map(({ path = [], extensions: { code, argument = [] } }) =>
    [path.join('.'), code, argument.join('.')].filter((part) => part !== '').join(' '),
  );

interface Fixtures {
  /** An upstream to be scripted, made for the test. */
  readonly upstream: ScriptedUpstream;
  /** A gateway in front of it, with default settings. */
  readonly gateway: Gateway;
  /** Starts another gateway in front of it, with settings. */
  readonly startWith: (env: Readonly<Record<string, string>>, options?: GatewayOptions) => Promise<Gateway>;
}

async function useUpstream({}, use: (upstream: ScriptedUpstream) => Promise<void>): Promise<void> {
  const upstream = await startScriptedUpstream();
  await use(upstream);
  await upstream.close();
}

/** Starts gateways in front of an upstream, which end with the test. */
async function startMore(
  { upstream }: Pick<Fixtures, 'upstream'>,
  use: (startWith: Fixtures['startWith']) => Promise<void>,
): Promise<void> {
  const started: Gateway[] = [];
  await use(async (env, options) => {
    const gateway = await startGateway(upstream.baseUrl, env, options);
    started.push(gateway);
    return gateway;
  });
  await Promise.all(started.map((gateway) => gateway.close()));
}

/** Vitest's `test` with an upstream and a gateway, which end with the test. */
export const test = base.extend<Fixtures>({
  upstream: useUpstream,
  gateway: async ({ startWith }, use) => use(await startWith({})),
  startWith: startMore,
});

/**
 * The same with one upstream and one gateway for all tests of a file: for files in whose tests nothing is kept from one call to the next.
 * The script and the requests are new for each test, and so is the log. The breaker opens for a moment only.
 */
export const testOfFile = base.extend<Fixtures & { readonly renewed: void }>({
  upstream: [useUpstream, { scope: 'file' }],
  gateway: [
    async ({ upstream }, use) => {
      const gateway = await startGateway(upstream.baseUrl, { UPSTREAM_BREAKER_OPEN_MS: '1' });
      await use(gateway);
      await gateway.close();
    },
    { scope: 'file' },
  ],
  startWith: startMore,
  renewed: [
    async ({ upstream, gateway }, use) => {
      upstream.requests.length = 0;
      upstream.script(unscripted);
      gateway.log.length = 0;
      await use();
    },
    { auto: true },
  ],
});

/** Vitest's `test` with a sandbox whose clock stands still and a gateway in front of it, for all tests of a file or for each. */
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

export { describe, expect };
