import { availableParallelism } from 'node:os';
import {
  baseUrl,
  flag,
  httpUrl,
  isBare,
  issuers,
  oneOf,
  origins,
  presentMoment,
  proxyUrl,
  redisUrl,
  wholeNumber,
  type Environment,
  type Parse,
  type Read,
} from './config-values.ts';
import { protocols, samplers, type TracingOptions } from './telemetry/tracing.ts';

/** Workers of one process: more cores than machines have as a rule. Each takes some 130 megabytes at rest. */
const mostWorkers = 256;

/** A limit that can be set: a whole number within bounds. */
export interface Limit {
  readonly variable: string;
  readonly fallback: number;
  readonly least: number;
  readonly most: number;
  readonly unit: string;
}

function limit(variable: string, fallback: number, least: number, most: number, unit: string): Limit {
  return { variable, fallback, least, most, unit };
}

/** Every limit by the name of its setting. What each is for stands in the tables of docs/reference/settings.md. */
export const limits = {
  upstreamTimeoutMs: limit('UPSTREAM_TIMEOUT_MS', 10_000, 1, 600_000, 'milliseconds'),
  upstreamConnectTimeoutMs: limit('UPSTREAM_CONNECT_TIMEOUT_MS', 3_000, 1, 60_000, 'milliseconds'),
  upstreamStallTimeoutMs: limit('UPSTREAM_STALL_TIMEOUT_MS', 5_000, 1, 600_000, 'milliseconds'),
  operationTimeoutMs: limit('OPERATION_TIMEOUT_MS', 30_000, 1, 600_000, 'milliseconds'),
  upstreamRetries: limit('UPSTREAM_RETRIES', 2, 0, 5, 'retries'),
  upstreamMaxConcurrency: limit('UPSTREAM_MAX_CONCURRENCY', 128, 1, 10_000, 'calls'),
  upstreamQueueSize: limit('UPSTREAM_QUEUE_SIZE', 1_000, 0, 100_000, 'calls'),
  upstreamQueueTimeoutMs: limit('UPSTREAM_QUEUE_TIMEOUT_MS', 2_000, 1, 60_000, 'milliseconds'),
  upstreamBreakerOpenMs: limit('UPSTREAM_BREAKER_OPEN_MS', 5_000, 1, 10_000, 'milliseconds'),
  upstreamMaxBodyBytes: limit('UPSTREAM_MAX_BODY_BYTES', 33_554_432, 1_024, 536_870_912, 'bytes'),
  upstreamMaxHeldBytes: limit('UPSTREAM_MAX_HELD_BYTES', 268_435_456, 1_048_576, 17_179_869_184, 'bytes'),
  reportCacheMs: limit('REPORT_CACHE_MS', 10_000, 0, 600_000, 'milliseconds'),
  reportCacheBytes: limit('REPORT_CACHE_BYTES', 16_777_216, 0, 536_870_912, 'bytes'),
  historyCacheMs: limit('HISTORY_CACHE_MS', 600_000, 0, 86_400_000, 'milliseconds'),
  upstreamScanPages: limit('UPSTREAM_SCAN_PAGES', 60, 1, 1_000, 'pages'),
  subscriptionPollMs: limit('SUBSCRIPTION_POLL_MS', 2_000, 1, 600_000, 'milliseconds'),
  subscriptionOverlapMs: limit('SUBSCRIPTION_OVERLAP_MS', 60_000, 0, 3_600_000, 'milliseconds'),
  subscriptionMaxFeeds: limit('SUBSCRIPTION_MAX_FEEDS', 1_000, 1, 100_000, 'feeds'),
  subscriptionMaxStreams: limit('SUBSCRIPTION_MAX_STREAMS', 10_000, 1, 1_000_000, 'streams'),
  subscriptionBuffer: limit('SUBSCRIPTION_BUFFER', 1_000, 1, 100_000, 'deliveries'),
  subscriptionBufferBytes: limit('SUBSCRIPTION_BUFFER_BYTES', 67_108_864, 65_536, 17_179_869_184, 'bytes'),
  websocketMaxSockets: limit('WEBSOCKET_MAX_SOCKETS', 4_000, 1, 100_000, 'sockets'),
  limitTokens: limit('LIMIT_TOKENS', 3_000, 1, 100_000, 'tokens'),
  limitDepth: limit('LIMIT_DEPTH', 20, 1, 1_000, 'levels'),
  limitAliases: limit('LIMIT_ALIASES', 100, 0, 10_000, 'aliases'),
  limitRootFields: limit('LIMIT_ROOT_FIELDS', 50, 1, 10_000, 'fields'),
  limitCost: limit('LIMIT_COST', 20_000, 1, 100_000_000, 'calls and objects'),
  requestHeadersTimeoutMs: limit('REQUEST_HEADERS_TIMEOUT_MS', 10_000, 1, 600_000, 'milliseconds'),
  requestTimeoutMs: limit('REQUEST_TIMEOUT_MS', 30_000, 1, 600_000, 'milliseconds'),
  warmUpMs: limit('WARM_UP_MS', 1_500, 0, 60_000, 'milliseconds'),
  responseStallTimeoutMs: limit('RESPONSE_STALL_TIMEOUT_MS', 15_000, 1, 600_000, 'milliseconds'),
} as const satisfies Record<string, Limit>;

/** The values of all limits. */
export type Limits = { readonly [Name in keyof typeof limits]: number };

/** A setting: its variable, its value where that is unset, and how its text is read. What is off is `null`. */
interface Setting<Value> {
  readonly variable: string;
  readonly fallback: Value;
  readonly expected: string;
  readonly parse: Parse<Value>;
}

function setting<Value>(
  variable: string,
  fallback: Value,
  expected: string,
  parse: Parse<NoInfer<Value>>,
): Setting<Value> {
  return { variable, fallback, expected, parse };
}

function switched(variable: string, fallback: boolean): Setting<boolean> {
  return setting(variable, fallback, 'true or false', flag);
}

/** What is on or off; null leaves it to what the upstream is. */
function switchedByUpstream(variable: string): Setting<boolean | null> {
  return setting<boolean | null>(variable, null, 'true or false', flag);
}

function path(variable: string): Setting<string | null> {
  return setting<string | null>(variable, null, 'the path of a file or folder', (text) => text);
}

const aPort = 'a port number from 0 to 65535';
const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
const lookUps = ['list', 'retrieve'] as const;

const settings = {
  /** 0 lets the system choose. */
  port: setting('PORT', 4000, aPort, wholeNumber(0, 65_535)),
  /** How many processes serve; auto: one for each core. */
  workers: setting<number | 'auto'>('WORKERS', 1, `a whole number from 1 to ${mostWorkers}, or auto`, (text) =>
    text === 'auto' ? text : wholeNumber(1, mostWorkers)(text),
  ),
  host: setting('HOST', '127.0.0.1', 'a host name or address', (text) =>
    /^[\w.:-]{1,200}$/.test(text) ? text : undefined,
  ),
  /** A second port on the same host for probes and metrics; 0 lets the system choose, null means none. */
  adminPort: setting<number | null>('ADMIN_PORT', null, aPort, wholeNumber(0, 65_535)),
  /** Whether there are pages for people: GraphiQL, Voyager and the landing page. */
  explorer: switched('EXPLORER', true),
  /** Whether responses are compressed; else a proxy does that, or nobody. */
  compression: switched('COMPRESSION', true),
  /** Whether everybody may read the schema: by introspection, as SDL, and as a picture. */
  introspection: switched('INTROSPECTION', true),
  /** The version-2 root of the API without a trailing slash; null means the embedded sandbox. */
  upstreamBaseUrl: setting<string | null>(
    'UPSTREAM_BASE_URL',
    null,
    'an http(s) URL without credentials, query or fragment, such as https://api.example.com/v2',
    baseUrl,
  ),
  /** PEM files: the authorities of the API's certificate; the gateway's own certificate and its key. */
  upstreamTlsCa: path('UPSTREAM_TLS_CA_FILE'),
  upstreamTlsCert: path('UPSTREAM_TLS_CERT_FILE'),
  upstreamTlsKey: path('UPSTREAM_TLS_KEY_FILE'),
  /** The embedded sandbox's present when it starts, in milliseconds since 1970; null means the machine's. */
  sandboxNow: setting<number | null>(
    'SANDBOX_NOW',
    null,
    'a moment from 2000 to 2099 in ISO 8601, such as 2026-11-01T00:00:00Z',
    presentMoment,
  ),
  /** Whether single rows are found through the list operations, or by operations that the contract does not show. */
  upstreamLookUp: setting<(typeof lookUps)[number]>('UPSTREAM_LOOKUP', 'list', 'list or retrieve', oneOf(lookUps)),
  /** Whether `ipAuthenticationToken` and the values of sensitive delivery headers are shown to the caller they belong to. */
  exposeSecrets: switched('EXPOSE_SECRETS', false),
  /** Origins whose pages may call this gateway; null closes it to all but its own. */
  corsOrigins: setting<readonly string[] | null>(
    'CORS_ORIGINS',
    null,
    'a comma-separated list of origins such as https://app.example.com or capacitor://localhost, without credentials or a slash at the end',
    origins,
  ),
  /** Whether fields are counted by coordinate and client. */
  fieldUsage: switched('FIELD_USAGE', false),
  /** How much is logged; `info` writes one line per request. */
  logLevel: setting<(typeof logLevels)[number]>(
    'LOG_LEVEL',
    'info',
    `one of ${logLevels.join(', ')}`,
    oneOf(logLevels),
  ),
  /** A manifest file or a folder of trusted documents; null where there are none. */
  persistedOperations: path('PERSISTED_OPERATIONS'),
  /** Whether only trusted documents are run. */
  persistedOperationsOnly: switched('PERSISTED_OPERATIONS_ONLY', false),
  /** Whether clients may be told which upstream calls they cause. */
  explain: switchedByUpstream('EXPLAIN'),
  /** Whether there are tools for agents at `/mcp`. */
  mcp: switchedByUpstream('MCP'),
  /** A manifest file or a folder of documents that become tools; null where there are no further ones. */
  mcpOperations: path('MCP_OPERATIONS'),
  /** Whether agents may search the schema and run queries of their own. */
  mcpQueries: switched('MCP_QUERIES', false),
  /** How clients reach the gateway, without a trailing slash; null where it does not know. */
  publicUrl: setting<string | null>(
    'PUBLIC_URL',
    null,
    'an http(s) URL without credentials, query or fragment, such as https://gateway.example.com',
    baseUrl,
  ),
  /** The issuers whose tokens the API takes; null where there are none. */
  authorizationServers: setting<readonly string[] | null>(
    'AUTHORIZATION_SERVERS',
    null,
    'a comma-separated list of http(s) URLs without credentials, query or fragment, such as https://login.example.com',
    issuers,
  ),
  /** Where a key is to be had; null where nobody says. */
  signupUrl: setting<string | null>(
    'SIGNUP_URL',
    null,
    'an http(s) URL without credentials, such as https://example.com/sign-up',
    (text) => (isBare(httpUrl(text)) ? text : undefined),
  ),
  /** The store that replicas share, `redis://…` or `rediss://…`, which may hold a password; null where they share nothing. */
  sharedStateUrl: setting<string | null>(
    'SHARED_STATE_URL',
    null,
    'a URL such as redis://store.example.com:6379 or rediss://user:password@store.example.com',
    redisUrl,
  ),
};

type Settings = {
  readonly [Name in keyof typeof settings]: (typeof settings)[Name] extends Setting<infer Value> ? Value : never;
};

/** Everything that can be set, parsed: nothing else reads the environment. */
export interface Config extends Settings, Limits {
  /** Where traces go; null where there are none. */
  readonly tracing: TracingOptions | null;
  /** The proxies for calls to the API; null where there are none. */
  readonly proxies: Proxies | null;
}

/** The proxies of calls by the scheme of the API, and the hosts that are called without one; empty texts where there are none. */
interface Proxies {
  readonly httpProxy: string;
  readonly httpsProxy: string;
  readonly noProxy: string;
}

/** A config whose upstream has been decided on: the gateway does not know of the sandbox. */
export interface AppConfig extends Config {
  readonly upstreamBaseUrl: string;
  /** Of how many workers this one is; absent: it is alone. The other settings are its own part by then. */
  readonly workerCount?: number;
}

/** Settings that cannot be used. Its message is one line that names every variable at fault and what was expected. */
export class ConfigError extends Error {
  constructor(faults: readonly string[]) {
    super(`Switchboard cannot start: ${faults.join('; ')}.`);
    this.name = 'ConfigError';
  }
}

/** Reads all settings at once; throws one ConfigError for all that cannot be used. An empty variable counts as unset. */
export function readConfig(env: Environment): Config {
  const faults: string[] = [];
  const read: Read = (variable, fallback, expected, parse) => {
    const text = env[variable]?.trim();
    if (text === undefined || text === '') return fallback;
    const value = parse(text);
    if (value !== undefined) return value;
    faults.push(`${variable} must be ${expected}`);
    return fallback;
  };

  const ofLimits = Object.entries(limits).map(([name, { variable, fallback, least, most, unit }]) => {
    const expected = `a whole number of ${unit} from ${least} to ${most}`;
    return [name, read(variable, fallback, expected, wholeNumber(least, most))] as const;
  });
  const tracing = readTracing(env, read);
  const proxies = readProxies(env, read);
  const ofSettings = Object.entries<Setting<unknown>>(settings).map(
    ([name, { variable, fallback, expected, parse }]) => [name, read(variable, fallback, expected, parse)] as const,
  );
  const config = Object.fromEntries([
    ...ofLimits,
    ['tracing', tracing],
    ['proxies', proxies],
    ...ofSettings,
  ]) as unknown as Config;
  faults.push(...contradictionsOf(config));
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
}

/**
 * What of OpenTelemetry's standard variables its packages do not read by themselves; they read the endpoint, its headers and the resource.
 * Null where no collector is named, or traces are turned off: then nothing else of them is looked at.
 */
function readTracing(env: Environment, read: Read): TracingOptions | null {
  const isDisabled = env['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true';
  if (isDisabled || read('OTEL_TRACES_EXPORTER', 'otlp', 'otlp or none', anyCase(['otlp', 'none'])) === 'none')
    return null;
  /** The setting for traces, or else that for all of telemetry. */
  const ofTraces = <T>(name: string, fallback: T, expected: string, parse: Parse<T>): T => {
    const forAll = read(`OTEL_EXPORTER_OTLP_${name}`, fallback, expected, parse);
    return read(`OTEL_EXPORTER_OTLP_TRACES_${name}`, forAll, expected, parse);
  };
  const bareUrl: Parse<string | null> = (text) => (isBare(httpUrl(text)) ? text : undefined);
  const bare = 'an http(s) URL without credentials, such as http://localhost:4318';
  const url = ofTraces<string | null>('ENDPOINT', null, bare, bareUrl);
  if (url === null) return null;
  return {
    protocol: ofTraces('PROTOCOL', 'http/json', protocols.join(' or '), anyCase(protocols)),
    timeoutMs: ofTraces('TIMEOUT', 10_000, 'milliseconds from 1 to 60000', wholeNumber(1, 60_000)),
    sampler: read('OTEL_TRACES_SAMPLER', 'parentbased_always_on', `one of ${samplers.join(', ')}`, anyCase(samplers)),
    ratio: read('OTEL_TRACES_SAMPLER_ARG', 1, 'a number from 0 to 1', (text) =>
      /^\d+(?:\.\d+)?$/.test(text) && Number(text) <= 1 ? Number(text) : undefined,
    ),
    delayMs: read('OTEL_BSP_SCHEDULE_DELAY', 5_000, 'milliseconds from 1 to 60000', wholeNumber(1, 60_000)),
    queueSize: read('OTEL_BSP_MAX_QUEUE_SIZE', 2_048, 'a whole number from 1 to 65536', wholeNumber(1, 65_536)),
    batchSize: read('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512, 'a whole number from 1 to 8192', wholeNumber(1, 8_192)),
  };
}

/** The specification of these variables has the case of letters not matter. */
function anyCase<Choice extends string>(choices: readonly Choice[]): Parse<Choice> {
  return (text) => oneOf(choices)(text.toLowerCase());
}

/** The proxies, as other programs read them: of both spellings the small one comes first. */
function readProxies(env: Environment, read: Read): Proxies | null {
  const spelt = (name: string): string => (env[name.toLowerCase()]?.trim() ? name.toLowerCase() : name);
  const proxy = (name: string): string =>
    read(spelt(name), '', 'the http(s) URL of a proxy, such as http://proxy.example.com:3128', proxyUrl);
  const httpProxy = proxy('HTTP_PROXY');
  const httpsProxy = proxy('HTTPS_PROXY');
  const noProxy = read(spelt('NO_PROXY'), '', 'a comma-separated list of hosts', (text) => text);
  return httpProxy === '' && httpsProxy === '' ? null : { httpProxy, httpsProxy, noProxy };
}

/**
 * Variables that are no settings, but begin as several of ours do, such as `UPSTREAM_TIMEOUT`. Those of OpenTelemetry and of proxies are
 * other programs' as well.
 */
export function misspeltSettings(env: Environment): readonly string[] {
  const own = [...Object.values(limits), ...Object.values(settings)].map(({ variable }) => variable);
  const beginnings = own.flatMap((name) => /^[A-Z]+_/.exec(name) ?? []);
  const isShared = (name: string): boolean => beginnings.filter((each) => name.startsWith(each)).length > 1;
  return Object.keys(env).filter((name) => /^[A-Z\d_]{1,60}$/.test(name) && !own.includes(name) && isShared(name));
}

function contradictionsOf(config: Config): readonly string[] {
  const { workers, persistedOperationsOnly: only, adminPort } = config;
  const found: readonly (readonly [isFault: boolean, fault: string])[] = [
    [
      workers !== 'auto' && workers > config.upstreamMaxConcurrency,
      'WORKERS must not be more than UPSTREAM_MAX_CONCURRENCY: each worker has a part of those calls',
    ],
    [
      only && config.persistedOperations === null,
      'PERSISTED_OPERATIONS_ONLY must be false where PERSISTED_OPERATIONS is not set',
    ],
    [adminPort !== null && adminPort !== 0 && adminPort === config.port, 'ADMIN_PORT must be another port than PORT'],
    [
      (config.upstreamTlsCert === null) !== (config.upstreamTlsKey === null),
      'UPSTREAM_TLS_CERT_FILE and UPSTREAM_TLS_KEY_FILE must be set together',
    ],
    [only && config.mcpQueries, 'MCP_QUERIES must be false where PERSISTED_OPERATIONS_ONLY is true'],
  ];
  return found.flatMap(([isFault, fault]) => (isFault ? [fault] : []));
}

/** How many workers serve. Each has at least one of the calls that may be under way at once. */
export function workerCount({ workers, upstreamMaxConcurrency }: Config): number {
  return workers === 'auto' ? Math.min(availableParallelism(), upstreamMaxConcurrency) : workers;
}

/** What the whole process may have, and each worker a part of. */
const divided = [
  'upstreamMaxConcurrency',
  'upstreamQueueSize',
  'upstreamMaxHeldBytes',
  'reportCacheBytes',
  'subscriptionMaxFeeds',
  'subscriptionMaxStreams',
  'subscriptionBufferBytes',
  'websocketMaxSockets',
] as const;

/** The settings of one worker of several: its part of what the process may have. All parts together are the whole. */
export function configOfWorker(config: AppConfig, index: number, count: number): AppConfig {
  const parts = divided.map((name) => [name, Math.floor((config[name] + index) / count)] as const);
  return { ...config, workerCount: count, ...Object.fromEntries(parts) };
}
