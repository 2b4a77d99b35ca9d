import { mostWorkers } from './bounds.ts';
import { limits, type Limits } from './config-limits.ts';
import { readTracing } from './config-tracing.ts';
import {
  baseUrl,
  flag,
  httpUrl,
  isBare,
  issuers,
  origins,
  redisUrl,
  wholeNumber,
  type Parse,
} from './config-values.ts';
import type { TracingOptions } from './telemetry/otlp/options.ts';

/** Everything that can be set, parsed: what is off is `null`, and nothing else reads the environment. */
export interface Config extends Limits {
  /** Where traces go; null where there are none. */
  readonly tracing: TracingOptions | null;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly host: string;
  /** A second port on the same host for probes and metrics; 0 lets the system choose, null means none. */
  readonly adminPort: number | null;
  /** Whether there are pages for people: GraphiQL, Voyager and the landing page. */
  readonly explorer: boolean;
  /** Whether responses are compressed; else a proxy does that, or nobody. */
  readonly compression: boolean;
  /** Whether everybody may read the schema: by introspection, as SDL, and as a picture. */
  readonly introspection: boolean;
  /** How many processes serve; auto: one for each core. */
  readonly workers: number | 'auto';
  /** The version-2 root of the API without a trailing slash; null means the embedded sandbox. */
  readonly upstreamBaseUrl: string | null;
  /** Whether single rows are found through the list operations, or by operations that the contract does not show. */
  readonly upstreamLookUp: (typeof lookUps)[number];
  /** Whether `ipAuthenticationToken` and the values of sensitive delivery headers are shown to the caller they belong to. */
  readonly exposeSecrets: boolean;
  /** Origins whose pages may call this gateway; null closes it to all but its own. */
  readonly corsOrigins: readonly string[] | null;
  readonly logLevel: LogLevel;
  /** A manifest file or a folder of trusted documents; null where there are none. */
  readonly persistedOperations: string | null;
  /** Whether only trusted documents are run. */
  readonly persistedOperationsOnly: boolean;
  /** Whether clients may be told which upstream calls they cause; null leaves it to what the upstream is. */
  readonly explain: boolean | null;
  /** Whether there are tools for agents at `/mcp`; null leaves it to what the upstream is. */
  readonly mcp: boolean | null;
  /** A manifest file or a folder of documents that become tools; null where there are no further ones. */
  readonly mcpOperations: string | null;
  /** Whether agents may search the schema and run queries of their own. */
  readonly mcpQueries: boolean;
  /** How clients reach the gateway, without a trailing slash; null where it does not know. */
  readonly publicUrl: string | null;
  /** The issuers whose tokens the API takes; null where there are none. */
  readonly authorizationServers: readonly string[] | null;
  /** Where a key is to be had; null where nobody says. */
  readonly signupUrl: string | null;
  /** The store that replicas share, `redis://…` or `rediss://…`, which may hold a password; null where they share nothing. */
  readonly sharedStateUrl: string | null;
  /** Whether operations are compiled; else graphql-js executes all of them, and Yoga answers all requests. */
  readonly compileOperations: boolean;
}

/** A config whose upstream has been decided on: the composition does not know of the sandbox. */
export interface AppConfig extends Config {
  readonly upstreamBaseUrl: string;
  /** Of how many workers this one is; absent: it is alone. The other settings are its own part by then. */
  readonly workerCount?: number;
}

const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
const lookUps = ['list', 'retrieve'] as const;
/** How much is logged; `info` writes one line per request. */
export type LogLevel = (typeof logLevels)[number];

/** Settings that cannot be used. Its message is one line that names every variable at fault and what was expected. */
export class ConfigError extends Error {
  constructor(faults: readonly string[]) {
    super(`Switchboard cannot start: ${faults.join('; ')}.`);
    this.name = 'ConfigError';
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads all settings at once; throws one ConfigError for all that cannot be used. An empty variable counts as unset. */
export function readConfig(env: Environment): Config {
  const faults: string[] = [];

  function read<T>(name: string, fallback: T, expected: string, parse: Parse<T>): T {
    const text = env[name]?.trim();
    if (text === undefined || text === '') return fallback;
    const value = parse(text);
    if (value !== undefined) return value;
    faults.push(`${name} must be ${expected}`);
    return fallback;
  }

  const config: Config = {
    ...readLimits(read),
    tracing: readTracing(env, read),
    port: read('PORT', 4000, 'a port number from 0 to 65535', wholeNumber(0, 65_535)),
    workers: read<number | 'auto'>('WORKERS', 1, `a whole number from 1 to ${mostWorkers}, or auto`, (text) =>
      text === 'auto' ? text : wholeNumber(1, mostWorkers)(text),
    ),
    host: read('HOST', '127.0.0.1', 'a host name or address', (text) =>
      /^[\w.:-]{1,200}$/.test(text) ? text : undefined,
    ),
    adminPort: read<number | null>('ADMIN_PORT', null, 'a port number from 0 to 65535', wholeNumber(0, 65_535)),
    explorer: read('EXPLORER', true, 'true or false', flag),
    compression: read('COMPRESSION', true, 'true or false', flag),
    introspection: read('INTROSPECTION', true, 'true or false', flag),
    upstreamBaseUrl: read<string | null>(
      'UPSTREAM_BASE_URL',
      null,
      'an http(s) URL without credentials, query or fragment, such as https://api.example.com/v2',
      baseUrl,
    ),
    upstreamLookUp: read('UPSTREAM_LOOKUP', 'list', 'list or retrieve', (text) => lookUps.find((way) => way === text)),
    exposeSecrets: read('EXPOSE_SECRETS', false, 'true or false', flag),
    corsOrigins: read<readonly string[] | null>(
      'CORS_ORIGINS',
      null,
      'a comma-separated list of origins such as https://app.example.com, in lower case and without a slash at the end',
      origins,
    ),
    logLevel: read('LOG_LEVEL', 'info', `one of ${logLevels.join(', ')}`, (text) =>
      logLevels.find((level) => level === text),
    ),
    persistedOperations: read<string | null>(
      'PERSISTED_OPERATIONS',
      null,
      'the path of a file or folder',
      (text) => text,
    ),
    persistedOperationsOnly: read('PERSISTED_OPERATIONS_ONLY', false, 'true or false', flag),
    explain: read<boolean | null>('EXPLAIN', null, 'true or false', flag),
    mcp: read<boolean | null>('MCP', null, 'true or false', flag),
    mcpOperations: read<string | null>('MCP_OPERATIONS', null, 'the path of a file or folder', (text) => text),
    mcpQueries: read('MCP_QUERIES', false, 'true or false', flag),
    publicUrl: read<string | null>(
      'PUBLIC_URL',
      null,
      'an http(s) URL without credentials, query or fragment, such as https://gateway.example.com',
      baseUrl,
    ),
    authorizationServers: read<readonly string[] | null>(
      'AUTHORIZATION_SERVERS',
      null,
      'a comma-separated list of http(s) URLs such as https://login.example.com',
      issuers,
    ),
    signupUrl: read<string | null>(
      'SIGNUP_URL',
      null,
      'an http(s) URL without credentials, such as https://example.com/sign-up',
      (text) => (isBare(httpUrl(text)) ? text : undefined),
    ),
    sharedStateUrl: read<string | null>(
      'SHARED_STATE_URL',
      null,
      'a URL such as redis://store.example.com:6379 or rediss://user:password@store.example.com',
      redisUrl,
    ),
    compileOperations: read('COMPILE_OPERATIONS', true, 'true or false', flag),
  };
  if (config.workers !== 'auto' && config.workers > config.upstreamMaxConcurrency)
    faults.push('WORKERS must not be more than UPSTREAM_MAX_CONCURRENCY: each worker has a part of those calls');
  if (config.persistedOperationsOnly && config.persistedOperations === null)
    faults.push('PERSISTED_OPERATIONS_ONLY must be false where PERSISTED_OPERATIONS is not set');
  if (config.adminPort !== null && config.adminPort !== 0 && config.adminPort === config.port)
    faults.push('ADMIN_PORT must be another port than PORT');
  if (config.persistedOperationsOnly && config.mcpQueries)
    faults.push('MCP_QUERIES must be false where PERSISTED_OPERATIONS_ONLY is true');
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
}

type Read = <T>(name: string, fallback: T, expected: string, parse: Parse<T>) => T;

function readLimits(read: Read): Limits {
  const values = Object.entries(limits).map(([name, { variable, fallback, least, most, unit }]) => {
    const expected = `a whole number of ${unit} from ${least} to ${most}`;
    return [name, read(variable, fallback, expected, wholeNumber(least, most))] as const;
  });
  return Object.fromEntries(values) as unknown as Limits;
}
