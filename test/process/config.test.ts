import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { quoteLength } from '../../src/bounds.ts';
import {
  type Config,
  ConfigError,
  limits,
  type Limits,
  misspeltSettings,
  readConfig,
  workerCount,
} from '../../src/config.ts';
import { configOfWorker } from '../../src/workers/workers.ts';
import { startGateway } from '../support/gateway.ts';
import { refusingUpstream } from '../support/process.ts';

/** Settings of one default. */
const all = (value: unknown, names: string) => Object.fromEntries(names.split(/\s+/).map((name) => [name, value]));

test('readConfig has a default for every variable', () => {
  const defaults = {
    port: 4000,
    host: '127.0.0.1',
    workers: 1,
    upstreamLookUp: 'list',
    logLevel: 'info',
    ...Object.fromEntries(Object.entries(limits).map(([name, { fallback }]) => [name, fallback])),
    ...all(true, 'explorer introspection compression'),
    ...all(false, 'exposeSecrets fieldUsage persistedOperationsOnly mcpQueries'),
    ...all(null, 'adminPort upstreamBaseUrl sandboxNow corsOrigins persistedOperations explain mcp mcpOperations'),
    ...all(null, 'publicUrl authorizationServers signupUrl sharedStateUrl tracing proxies'),
    ...all(null, 'upstreamTlsCa upstreamTlsCert upstreamTlsKey'),
  };
  expect(readConfig({})).toEqual(defaults);
  const names = Object.keys(variables);
  expect(readConfig(Object.fromEntries(names.map((name) => [name, ' '])))).toEqual(defaults);
  expect(readConfig({ PATH: '/bin', port: '1', SWITCHBOARD_PORT: '2' })).toEqual(defaults);
});

const words = (text: string): readonly string[] => text.split('|');

interface Variable {
  readonly setting: keyof Config;
  /** What each text is read as. */
  readonly good: Readonly<Record<string, unknown>>;
  readonly bad: readonly string[];
}

const switched = (setting: keyof Config): Variable => ({
  setting,
  good: { true: true, false: false },
  bad: words('1|yes|TRUE'),
});
const asItIs = (...texts: readonly string[]) => Object.fromEntries(texts.map((text) => [text, text]));

const variables: Readonly<Record<string, Variable>> = {
  PORT: {
    setting: 'port',
    good: { '0': 0, ' 8080 ': 8_080, '65535': 65_535 },
    bad: words('65536|-1|80.5|0x50|http|٨٠'),
  },
  ADMIN_PORT: { setting: 'adminPort', good: { '0': 0, '9100': 9_100 }, bad: words('65536|-1|none|9100,9101|4000') },
  SANDBOX_NOW: {
    setting: 'sandboxNow',
    good: { '2026-11-01T00:00:00Z': Date.UTC(2026, 10, 1), '2026-11-01T01:30:00.5+01:30': Date.UTC(2026, 10, 1) + 500 },
    bad: words('now|2026-11-01|2026-02-30T00:00:00Z|1999-12-31T23:59:59Z'),
  },
  EXPLORER: switched('explorer'),
  COMPRESSION: switched('compression'),
  INTROSPECTION: switched('introspection'),
  HOST: { setting: 'host', good: asItIs('0.0.0.0', '::1'), bad: words('a b|http://localhost|a,b|[::1]|a\nb') },
  UPSTREAM_BASE_URL: {
    setting: 'upstreamBaseUrl',
    good: {
      'https://api.example.com/v2/': 'https://api.example.com/v2',
      'HTTPS://API.example.com:443/v2': 'https://api.example.com/v2',
    },
    bad: words(
      'api.example.com/v2|https://|https://user:secret@api.example.com/v2|https://api.example.com/v2?key=secret|https://api.example.com/v2#secret',
    ),
  },
  FIELD_USAGE: switched('fieldUsage'),
  EXPOSE_SECRETS: switched('exposeSecrets'),
  EXPLAIN: switched('explain'),
  CORS_ORIGINS: {
    setting: 'corsOrigins',
    good: {
      'https://a.example, http://localhost:5173': ['https://a.example', 'http://localhost:5173'],
      'capacitor://localhost,file://': ['capacitor://localhost', 'file://'],
    },
    bad: words('https://app.example.com:443|capacitor://*|*|null|https://*.example.com|https://a.example,'),
  },
  PERSISTED_OPERATIONS: {
    setting: 'persistedOperations',
    good: asItIs('operations', '/srv/persisted operations.json'),
    bad: [],
  },
  PERSISTED_OPERATIONS_ONLY: {
    setting: 'persistedOperationsOnly',
    good: { false: false },
    bad: words('1|yes|TRUE|true'),
  },
  SHARED_STATE_URL: {
    setting: 'sharedStateUrl',
    good: asItIs('redis://127.0.0.1', 'rediss://user:p%40ss@store.example.com:6380/15'),
    bad: words(
      'store.example.com:6379|http://store.example.com|redis://:secret@|redis://store.example.com/0?password=secret|redis://:secret%zz@store.example.com',
    ),
  },
  AUTHORIZATION_SERVERS: {
    setting: 'authorizationServers',
    good: { 'https://a.example, https://b.example/realm': ['https://a.example', 'https://b.example/realm'] },
    bad: words('a.example|https://secret@a.example|https://a.example?b|https://a.example,'),
  },
  SIGNUP_URL: {
    setting: 'signupUrl',
    good: asItIs('https://example.com/sign-up?from=gateway'),
    bad: words('example.com|ftp://example.com|https://secret@example.com|https://a:secret@example.com'),
  },
  LOG_LEVEL: {
    setting: 'logLevel',
    good: asItIs('debug', 'info', 'warn', 'error', 'silent'),
    bad: words('INFO|trace|loud|30|constructor'),
  },
};

describe.for(Object.entries(variables))('%s', ([name, { setting, good, bad }]) => {
  test('takes what it can be', () => {
    for (const [text, value] of Object.entries(good))
      expect([text, readConfig({ [name]: text })]).toEqual([text, { ...readConfig({}), [setting]: value }]);
  });

  test.skipIf(bad.length === 0)('is refused in one line that names it, and repeats nothing of it', () => {
    for (const text of bad) {
      const { message } = refusalOf({ [name]: text });
      expect(message, text).toMatch(new RegExp(`^Switchboard cannot start: ${name} must be [^\\n]+\\.$`));
      expect(message).not.toContain('secret');
    }
  });
});

test.for(
  'UPSTREAM_BASE_URL PUBLIC_URL SIGNUP_URL AUTHORIZATION_SERVERS CORS_ORIGINS OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'.split(
    ' ',
  ),
)('%s says that its URL may have no credentials', (name) => {
  const { message } = refusalOf({ [name]: 'https://user:secret@any.example' });
  expect(message).toMatch(new RegExp(`^Switchboard cannot start: ${name} must be [^\\n]* without credentials[^\\n]*$`));
  expect(message).not.toContain('secret');
});

test('misspeltSettings names what begins as several settings do or is one letter off one, and no variable of other programs', () => {
  const own = Object.fromEntries(Object.keys(variables).map((name) => [name, '']));
  const others = {
    HOSTNAME: '',
    HOSTS: '',
    POST: '',
    FTP_PROXY: '',
    NODE_ENV: '',
    HTTP_PROXY: '',
    OTEL_SERVICE: '',
    upstream_timeout: '',
  };
  expect(misspeltSettings({ ...own, ...others })).toEqual([]);
  const misspelt =
    'UPSTREAM_TIMEOUT LIMIT_TOKEN SUBSCRIPTION_X CORS_ORIGIN CORS_ORIGINES COR_ORIGINS LOGLEVEL WORKER'.split(' ');
  expect(misspeltSettings(Object.fromEntries(misspelt.map((name) => [name, ''])))).toEqual(misspelt);
});

function refusalOf(env: Readonly<Record<string, string>>): ConfigError {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('Nothing was refused.');
}

test('each limit is a whole number within its bounds', () => {
  for (const [name, { variable, least, most }] of Object.entries(limits)) {
    for (const value of [least, most])
      expect(readConfig({ [variable]: String(value) })[name as keyof Limits]).toBe(value);
    for (const text of [String(least - 1), String(most + 1), '1.5', '1e3'])
      expect(() => readConfig({ [variable]: text })).toThrow(new RegExp(`${variable} must be a whole number of `));
  }
});

test('the parts of all workers are together what the process may have, and differ by one at most', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 256 }), fc.integer({ min: 0, max: 9_744 }), (count, more) => {
      const calls = count + more;
      const config = readConfig({ UPSTREAM_MAX_CONCURRENCY: String(calls), UPSTREAM_QUEUE_SIZE: String(more) });
      const shares = Array.from({ length: count }, (_, index) =>
        configOfWorker({ ...config, upstreamBaseUrl: 'http://127.0.0.1:1/v2' }, index, count),
      );
      for (const [name, whole] of [['upstreamMaxConcurrency', calls] as const, ['upstreamQueueSize', more] as const]) {
        const parts = shares.map((share) => share[name]);
        expect(parts.reduce((sum, part) => sum + part, 0)).toBe(whole);
        expect(Math.max(...parts) - Math.min(...parts)).toBeLessThanOrEqual(1);
      }
      expect(Math.min(...shares.map((share) => share.upstreamMaxConcurrency))).toBeGreaterThan(0);
    }),
  );
});

test('WORKERS=auto takes a core for each worker, and no more workers than calls', () => {
  expect(workerCount(readConfig({ WORKERS: 'auto', UPSTREAM_MAX_CONCURRENCY: '1' }))).toBe(1);
  const count = workerCount(readConfig({ WORKERS: 'auto' }));
  expect(count).toBeGreaterThan(0);
  expect(count).toBeLessThanOrEqual(128);
});

test.for([
  [{ WORKERS: '0' }, 'WORKERS must be a whole number from 1 to 256, or auto'],
  [{ WORKERS: 'auto,2' }, 'WORKERS must be a whole number from 1 to 256, or auto'],
  [{ WORKERS: '3', UPSTREAM_MAX_CONCURRENCY: '2' }, 'WORKERS must not be more than UPSTREAM_MAX_CONCURRENCY'],
  [{ PORT: '45454', ADMIN_PORT: '45454' }, 'ADMIN_PORT must be another port than PORT.'],
  [{ PERSISTED_OPERATIONS_ONLY: 'true' }, 'PERSISTED_OPERATIONS_ONLY must '],
] as const)('%j is refused: %s', ([env, message]) => {
  expect(refusalOf(env).message).toContain(`Switchboard cannot start: ${message}`);
});

test('traces need a collector, and what is left of their variables to the packages of OpenTelemetry is not read', () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' };
  const defaults = { protocol: 'http/json', sampler: 'parentbased_always_on', ratio: 1, timeoutMs: 10_000 };
  expect(readConfig({ ...endpoint, OTEL_RESOURCE_ATTRIBUTES: '=' }).tracing).toMatchObject(defaults);
  const timeouts = { OTEL_EXPORTER_OTLP_TIMEOUT: '5', OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '6' };
  const own = readConfig({ ...endpoint, ...timeouts, OTEL_TRACES_SAMPLER: 'ALWAYS_ON' }).tracing;
  expect(own).toMatchObject({ timeoutMs: 6, sampler: 'always_on' });
  for (const off of [{ OTEL_SDK_DISABLED: 'true' }, { OTEL_TRACES_EXPORTER: 'none' }])
    expect(readConfig({ ...endpoint, ...off }).tracing).toBeNull();
  expect(readConfig({ OTEL_TRACES_SAMPLER: 'xray', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }).tracing).toBeNull();
  for (const [name, value] of [
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'localhost:4318'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://user:secret@c'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
    ['OTEL_EXPORTER_OTLP_TIMEOUT', '0'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
    ['OTEL_TRACES_EXPORTER', 'console'],
    ['OTEL_BSP_MAX_QUEUE_SIZE', '1e9'],
  ] as const) {
    const { message } = refusalOf({ ...endpoint, [name]: value });
    expect(message).toMatch(new RegExp(`^Switchboard cannot start: ${name} must be [^\\n]*$`));
    expect(message).not.toContain('secret');
  }
});

const page = readFileSync(new URL('../../docs/reference/settings.md', import.meta.url), 'utf8');
const rows = [...page.matchAll(/^\| (`[A-Z_]+`(?:, `[A-Z_]+`)*)/gm)];
const names = [...new Set(rows.flatMap(([, cell = '']) => cell.match(/[A-Z_]{4,}/g) ?? []))];
// A character that no sentence of ours repeats.
const [long, longName] = ['~'.repeat(10_000), 'x'.repeat(10_000)];
const credentials = 'nobody-knows:hush-hush';
const values = [
  long,
  longName,
  `/${longName}/${longName}`,
  `https://example.com/${longName}`,
  `https://${credentials}@example.com/v2`,
  `redis://${credentials}@127.0.0.1:1`,
  `${credentials}@example.com`,
  `https://${credentials}`,
  `https://${credentials}@example.com:99999/v2`,
  `https://${credentials}%zz@[::1/v2 x`,
  `name=https://${credentials}@example.com,x`,
];

/** All that a start with this setting prints and logs; the gateway is stopped again where it starts. */
async function printed(name: string, value: string): Promise<string> {
  const env = { MCP: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', [name]: value };
  try {
    const { upstreamBaseUrl } = readConfig(env);
    const gateway = await startGateway(upstreamBaseUrl ?? refusingUpstream, { ...env, EXPLORER: 'false' });
    await gateway.close();
    return gateway.log.join('\n');
  } catch (error) {
    return (error as Error).message;
  }
}

test.for(names)('a start with a value that cannot be used quotes little of %s, and no credentials', async (name) => {
  for (const value of values) {
    const text = await printed(name, value);
    expect(text).not.toMatch(/nobody-knows|hush-hush/);
    const quoted = (text.match(/[x~]{2,}/g) ?? []).reduce((sum, { length }) => sum + length, 0);
    expect(quoted).toBeLessThanOrEqual(quoteLength);
  }
});
