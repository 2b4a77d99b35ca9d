import { availableParallelism } from 'node:os';
import SearchableMap from 'minisearch/SearchableMap';
import { instantOf } from './moment.ts';

/** The variables of the process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What the text of a setting may be. */
interface Form<Value> {
  /** In words, for whoever has to correct it. */
  readonly expected: string;
  /** Returns undefined for a text that cannot be used. */
  readonly parse: (text: string) => Value | undefined;
}

function formOf<Value>(expected: string, parse: Form<Value>['parse']): Form<Value> {
  return { expected, parse };
}

/** `true` or `false`, and nothing that looks like them. */
const flag = formOf('true or false', (text) => (text === 'true' ? true : text === 'false' ? false : undefined));

/** Any text. */
function anyText(expected: string): Form<string> {
  return formOf(expected, (text) => text);
}

/** One of several texts. */
function oneOf<const Choice extends string>(choices: readonly Choice[]): Form<Choice> {
  const expected = choices.length > 2 ? `one of ${choices.join(', ')}` : choices.join(' or ');
  return formOf(expected, (text) => choices.find((choice) => choice === text));
}

/** One of several texts in small letters, for variables of which a specification says that the case of letters does not matter. */
function anyCase<const Choice extends string>(choices: readonly Choice[]): Form<Choice> {
  const { expected, parse } = oneOf(choices);
  return formOf(expected, (text) => parse(text.toLowerCase()));
}

/** A whole number within bounds, written in decimal digits alone. */
function wholeNumber(least: number, most: number, what = 'a whole number'): Form<number> {
  return formOf(`${what} from ${least} to ${most}`, (text) => {
    const value = /^\d{1,12}$/.test(text) ? Number(text) : -1;
    return value >= least && value <= most ? value : undefined;
  });
}

function orAuto({ expected, parse }: Form<number>): Form<number | 'auto'> {
  return formOf(`${expected}, or auto`, (text) => (text === 'auto' ? text : parse(text)));
}

/** A number from 0 to 1. */
const ratio = formOf('a number from 0 to 1', (text) =>
  /^\d+(?:\.\d+)?$/.test(text) && Number(text) <= 1 ? Number(text) : undefined,
);

/** The milliseconds since 1970 of a moment with a zone. */
const presentMoment = formOf('a moment from 2000 to 2099 in ISO 8601, such as 2026-11-01T00:00:00Z', (text) => {
  const instant = instantOf(text);
  const millis = instant?.hasZone === true ? Number(instant.nanoseconds / 1_000_000n) : Number.NaN;
  return millis >= Date.UTC(2000) && millis < Date.UTC(2100) ? millis : undefined;
});

const hostName = formOf('a host name or address', (text) => (/^[\w.:-]{1,200}$/.test(text) ? text : undefined));

/** An absolute URL that HTTP or HTTPS reaches. */
function httpUrl(text: string): URL | undefined {
  const url = URL.parse(text);
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url : undefined;
}

function isBare(text: string): boolean {
  const url = httpUrl(text);
  return url !== undefined && url.username === '' && url.password === '';
}

/** The text of an HTTP URL. */
function bareUrl(example: string): Form<string> {
  return formOf(`an http(s) URL without credentials, such as ${example}`, (text) => (isBare(text) ? text : undefined));
}

/** The text of an HTTP URL of origin and path alone, without trailing slashes. */
function baseUrl(example: string): Form<string> {
  return formOf(`an http(s) URL without credentials, query or fragment, such as ${example}`, (text) => {
    const url = httpUrl(text);
    const bare = url && url.origin + url.pathname;
    return url?.href === bare ? bare?.replace(/\/+$/, '') : undefined;
  });
}

/** The URL of a proxy, with credentials where it has them; a host without a scheme is taken for an HTTP one, as curl does. */
const proxyUrl = formOf('the http(s) URL of a proxy, such as http://proxy.example.com:3128', (text) => {
  const url = httpUrl(text.includes('://') ? text : `http://${text}`);
  if (url === undefined || url.pathname !== '/' || url.search !== '' || url.hash !== '') return undefined;
  return isDecodable(url.username + url.password) ? url.href : undefined;
});

/** The text of a URL of Redis as its client understands it: host, port, number of a database, credentials. */
const redisUrl = formOf(
  'a URL such as redis://store.example.com:6379 or rediss://user:password@store.example.com',
  (text) => {
    const url = URL.parse(text);
    if (url === null || url.hostname === '' || !['redis:', 'rediss:'].includes(url.protocol)) return undefined;
    // The client would take anything else for the name of a database, or overlook it.
    const isPlain = /^(?:\/\d{0,4})?$/.test(url.pathname) && url.search === '' && url.hash === '';
    return isPlain && isDecodable(url.username + url.password) ? text : undefined;
  },
);

function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text).length >= 0;
  } catch {
    return false;
  }
}

/** Names that are separated by commas. */
function list(expected: string, isName: (name: string) => boolean): Form<readonly string[]> {
  return formOf(`a comma-separated list of ${expected}`, (text) => {
    const names = text.split(',').map((name) => name.trim());
    return names.every(isName) ? names : undefined;
  });
}

/**
 * Origins as browsers and the web views of apps write them. A pattern matches none: it is refused, not taken for what it does not do.
 * `null` is no origin to trust: every page can have it, in a frame of its own.
 */
const origins = list(
  'origins such as https://app.example.com or capacitor://localhost, without credentials or a slash at the end',
  (name) => {
    const url = URL.parse(name);
    if (url === null || name.includes('*')) return false;
    if (httpUrl(name) !== undefined) return url.origin === name;
    // Of web views: a scheme, and a host where it has one.
    return name === 'file://' || (url.href === name && /^[^:]+:\/\/[^\s/?#@\\]+$/.test(name));
  },
);

/** Issuers of tokens (RFC 8414, section 2). */
const issuers = list(
  'http(s) URLs without credentials, query or fragment, such as https://login.example.com',
  (name) => isBare(name) && !/[?#]/.test(name),
);

/** A setting: its variable, its value where that is unset, and how its text is read. What is off is `null`. */
interface Setting<Value> extends Form<Value> {
  readonly variable: string;
  readonly fallback: Value;
}

function setting<Value>(variable: string, fallback: NoInfer<Value>, form: Form<Value>): Setting<Value> {
  return { variable, fallback, ...form };
}

function optional<Value>(variable: string, form: Form<Value>): Setting<Value | null> {
  return setting<Value | null>(variable, null, form);
}

/** A whole number within bounds. */
function limit(variable: string, fallback: number, least: number, most: number, unit: string) {
  return { ...setting(variable, fallback, wholeNumber(least, most, `a whole number of ${unit}`)), least, most };
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
};

/** The values of all limits. */
export type Limits = { readonly [Name in keyof typeof limits]: number };

const aPort = wholeNumber(0, 65_535, 'a port number');
const path = anyText('the path of a file or folder');

const settings = {
  /** 0 lets the system choose. */
  port: setting('PORT', 4000, aPort),
  /** How many processes serve, of which each takes some 130 megabytes at rest; auto: one for each core. */
  workers: setting('WORKERS', 1, orAuto(wholeNumber(1, 256))),
  host: setting('HOST', '127.0.0.1', hostName),
  /** A second port on the same host for probes and metrics; 0 lets the system choose, null means none. */
  adminPort: optional('ADMIN_PORT', aPort),
  /** Whether there are pages for people: GraphiQL, Voyager and the landing page. */
  explorer: setting('EXPLORER', true, flag),
  /** Whether responses are compressed; else a proxy does that, or nobody. */
  compression: setting('COMPRESSION', true, flag),
  /** Whether everybody may read the schema: by introspection, as SDL, and as a picture. */
  introspection: setting('INTROSPECTION', true, flag),
  /** The version-2 root of the API without a trailing slash; null means the embedded sandbox. */
  upstreamBaseUrl: optional('UPSTREAM_BASE_URL', baseUrl('https://api.example.com/v2')),
  /** PEM files: the authorities of the API's certificate; the gateway's own certificate and its key. */
  upstreamTlsCa: optional('UPSTREAM_TLS_CA_FILE', path),
  upstreamTlsCert: optional('UPSTREAM_TLS_CERT_FILE', path),
  upstreamTlsKey: optional('UPSTREAM_TLS_KEY_FILE', path),
  /** The embedded sandbox's present when it starts, in milliseconds since 1970; null means the machine's. */
  sandboxNow: optional('SANDBOX_NOW', presentMoment),
  /** Whether single rows are found through the list operations, or by operations that the contract does not show. */
  upstreamLookUp: setting('UPSTREAM_LOOKUP', 'list', oneOf(['list', 'retrieve'])),
  /** Whether `ipAuthenticationToken` and the values of sensitive delivery headers are shown to the caller they belong to. */
  exposeSecrets: setting('EXPOSE_SECRETS', false, flag),
  /** Origins whose pages may call this gateway; null closes it to all but its own. */
  corsOrigins: optional('CORS_ORIGINS', origins),
  /** Whether fields are counted by coordinate and client. */
  fieldUsage: setting('FIELD_USAGE', false, flag),
  /** How much is logged; `info` writes one line per request. */
  logLevel: setting('LOG_LEVEL', 'info', oneOf(['debug', 'info', 'warn', 'error', 'silent'])),
  /** A manifest file or a folder of trusted documents; null where there are none. */
  persistedOperations: optional('PERSISTED_OPERATIONS', path),
  /** Whether only trusted documents are run. */
  persistedOperationsOnly: setting('PERSISTED_OPERATIONS_ONLY', false, flag),
  /** Whether clients may be told which upstream calls they cause; null leaves it to what the upstream is. */
  explain: optional('EXPLAIN', flag),
  /** Whether there are tools for agents at `/mcp`; null leaves it to what the upstream is. */
  mcp: optional('MCP', flag),
  /** A manifest file or a folder of documents that become tools; null where there are no further ones. */
  mcpOperations: optional('MCP_OPERATIONS', path),
  /** Whether agents may search the schema and run queries of their own. */
  mcpQueries: setting('MCP_QUERIES', false, flag),
  /** How clients reach the gateway, without a trailing slash; null where it does not know. */
  publicUrl: optional('PUBLIC_URL', baseUrl('https://gateway.example.com')),
  /** The issuers whose tokens the API takes; null where there are none. */
  authorizationServers: optional('AUTHORIZATION_SERVERS', issuers),
  /** Where a key is to be had; null where nobody says. */
  signupUrl: optional('SIGNUP_URL', bareUrl('https://example.com/sign-up')),
  /** The store that replicas share, `redis://…` or `rediss://…`, which may hold a password; null where they share nothing. */
  sharedStateUrl: optional('SHARED_STATE_URL', redisUrl),
};

const all: Readonly<Record<string, Setting<unknown>>> = { ...limits, ...settings };

type Settings = {
  readonly [Name in keyof typeof settings]: (typeof settings)[Name] extends Setting<infer Value> ? Value : never;
};

/** Everything that can be set, parsed: nothing else reads the environment. */
export interface Config extends Settings, Limits {
  /** Where traces go; null where there are none. */
  readonly tracing: ReturnType<typeof readTracing>;
  readonly proxies: ReturnType<typeof readProxies>;
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

/** Reads the value of a setting: the fallback where it is unset, or cannot be used, which is reported. */
type Read = <Value>(setting: Setting<Value>) => Value;

/** Reads all settings at once; throws one ConfigError for all that cannot be used. An empty variable counts as unset. */
export function readConfig(env: Environment): Config {
  const faults: string[] = [];
  const read: Read = ({ variable, fallback, expected, parse }) => {
    const text = env[variable]?.trim();
    if (text === undefined || text === '') return fallback;
    const value = parse(text);
    if (value === undefined) faults.push(`${variable} must be ${expected}`);
    return value ?? fallback;
  };

  const own = Object.entries(all).map(([name, each]) => [name, read(each)] as const);
  const others = { tracing: readTracing(env, read), proxies: readProxies(env, read) };
  const config = { ...(Object.fromEntries(own) as Settings & Limits), ...others };
  faults.push(...contradictionsOf(config));
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
}

/** How spans are exported, and which of them; the packages of OpenTelemetry know where to. */
export type TracingOptions = NonNullable<Config['tracing']>;

/** The values of the standard variable `OTEL_TRACES_SAMPLER`. */
const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/**
 * What of OpenTelemetry's standard variables its packages do not read by themselves; they read the endpoint, its headers and the resource.
 * Null where no collector is named, or traces are turned off: then nothing else of them is looked at.
 */
function readTracing(env: Environment, read: Read) {
  const isDisabled = env['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true';
  if (isDisabled || read(setting('OTEL_TRACES_EXPORTER', 'otlp', anyCase(['otlp', 'none']))) === 'none') return null;
  /** The setting for traces, or else that for all of telemetry. */
  const ofTraces = <Value>(name: string, fallback: Value, form: Form<Value>): Value => {
    const forAll = read(setting(`OTEL_EXPORTER_OTLP_${name}`, fallback, form));
    return read(setting(`OTEL_EXPORTER_OTLP_TRACES_${name}`, forAll, form));
  };
  if (ofTraces('ENDPOINT', '', bareUrl('http://localhost:4318')) === '') return null;
  const milliseconds = wholeNumber(1, 60_000, 'milliseconds');
  return {
    protocol: ofTraces('PROTOCOL', 'http/json', anyCase(['http/json', 'http/protobuf'])),
    timeoutMs: ofTraces('TIMEOUT', 10_000, milliseconds),
    sampler: read(setting('OTEL_TRACES_SAMPLER', 'parentbased_always_on', anyCase(samplers))),
    ratio: read(setting('OTEL_TRACES_SAMPLER_ARG', 1, ratio)),
    delayMs: read(setting('OTEL_BSP_SCHEDULE_DELAY', 5_000, milliseconds)),
    queueSize: read(setting('OTEL_BSP_MAX_QUEUE_SIZE', 2_048, wholeNumber(1, 65_536))),
    batchSize: read(setting('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512, wholeNumber(1, 8_192))),
  };
}

/**
 * The proxies of calls by the scheme of the API, and the hosts that are called without one, as other programs read them: of both
 * spellings the small one comes first. Empty texts where there are none, and null without any proxy.
 */
function readProxies(env: Environment, read: Read) {
  const spelt = (name: string, form: Form<string>): string =>
    read(setting(env[name.toLowerCase()]?.trim() ? name.toLowerCase() : name, '', form));
  const httpProxy = spelt('HTTP_PROXY', proxyUrl);
  const httpsProxy = spelt('HTTPS_PROXY', proxyUrl);
  const noProxy = spelt('NO_PROXY', anyText('a comma-separated list of hosts'));
  return httpProxy === '' && httpsProxy === '' ? null : { httpProxy, httpsProxy, noProxy };
}

/** Variables that are no settings, but are one letter off one (`CORS_ORIGIN`), or begin as several do (`UPSTREAM_TIMEOUT`). */
export function misspeltSettings(env: Environment): readonly string[] {
  const own = Object.values(all).map(({ variable }) => variable);
  const names = SearchableMap.from(own.map((name) => [name, true]));
  const beginnings = own.flatMap((name) => /^[A-Z]+_/.exec(name) ?? []);
  const isShared = (name: string): boolean => beginnings.filter((each) => name.startsWith(each)).length > 1;
  // Other programs have variables such as POST.
  const isNear = (name: string): boolean => name.length > 5 && names.fuzzyGet(name, 1).size > 0;
  return Object.keys(env).filter(
    (name) => /^[A-Z\d_]{1,60}$/.test(name) && !own.includes(name) && (isShared(name) || isNear(name)),
  );
}

function contradictionsOf(config: Config): readonly string[] {
  const { workers, persistedOperationsOnly: only, adminPort } = config;
  const found = {
    'WORKERS must not be more than UPSTREAM_MAX_CONCURRENCY: each worker has a part of those calls':
      workers !== 'auto' && workers > config.upstreamMaxConcurrency,
    'PERSISTED_OPERATIONS_ONLY must be false where PERSISTED_OPERATIONS is not set':
      only && config.persistedOperations === null,
    'ADMIN_PORT must be another port than PORT': adminPort !== 0 && adminPort === config.port,
    'UPSTREAM_TLS_CERT_FILE and UPSTREAM_TLS_KEY_FILE must be set together':
      (config.upstreamTlsCert === null) !== (config.upstreamTlsKey === null),
    'MCP_QUERIES must be false where PERSISTED_OPERATIONS_ONLY is true': only && config.mcpQueries,
  };
  return Object.entries(found).flatMap(([fault, isFault]) => (isFault ? [fault] : []));
}

/** How many workers serve. Each has at least one of the calls that may be under way at once. */
export function workerCount({ workers, upstreamMaxConcurrency }: Config): number {
  return workers === 'auto' ? Math.min(availableParallelism(), upstreamMaxConcurrency) : workers;
}
