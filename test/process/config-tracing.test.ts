import { expect, test } from 'vitest';
import { ConfigError, readConfig } from '../../src/config.ts';

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' };

test('traces have a default for every variable', () => {
  expect(readConfig(endpoint).tracing).toEqual({
    url: 'http://localhost:4318/v1/traces',
    protocol: 'http/json',
    headers: {},
    serviceName: 'switchboard',
    resource: {},
    sampler: 'parentbased_always_on',
    ratio: 1,
    timeoutMs: 10_000,
    delayMs: 5_000,
    queueSize: 2_048,
    batchSize: 512,
  });
});

test.for([
  {},
  { ...endpoint, OTEL_SDK_DISABLED: 'true' },
  { ...endpoint, OTEL_TRACES_EXPORTER: 'none' },
  // Without a collector it does not matter what else stands there.
  { OTEL_TRACES_SAMPLER: 'xray', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
])('there are no traces with %o', (env: Readonly<Record<string, string>>) => {
  expect(readConfig(env).tracing).toBeNull();
});

test.for([
  ['http://c:4318/', 'http://c:4318/v1/traces'],
  ['https://c/below', 'https://c/below/v1/traces'],
  ['https://c/below/?a=b', 'https://c/below/v1/traces?a=b'],
])('the endpoint %s becomes %s', ([given = '', url]) => {
  expect(readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: given }).tracing?.url).toBe(url);
  const own = readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: 'ftp://x', OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: given });
  expect(own.tracing?.url).toBe(given);
});

test('settings for traces come before those for all of telemetry', () => {
  const { tracing } = readConfig({
    ...endpoint,
    OTEL_EXPORTER_OTLP_HEADERS: ' a = 1%2C2 , b=x=y,',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'b=2',
    OTEL_EXPORTER_OTLP_TIMEOUT: '5',
    OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '6',
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf',
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=named,k=v',
  });
  expect(tracing).toMatchObject({
    headers: { a: '1,2', b: '2' },
    timeoutMs: 6,
    protocol: 'http/protobuf',
    serviceName: 'named',
    resource: { k: 'v' },
  });
});

test.for([
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'localhost:4318'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://user:secret@c'],
  ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'grpc://secret'],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'secret'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a=secret%0d%0ab'],
  ['OTEL_EXPORTER_OTLP_TRACES_HEADERS', 'a=secret%'],
  ['OTEL_EXPORTER_OTLP_TIMEOUT', '0'],
  ['OTEL_RESOURCE_ATTRIBUTES', '=secret'],
  ['OTEL_TRACES_SAMPLER', 'secret'],
  ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
  ['OTEL_TRACES_EXPORTER', 'console'],
  ['OTEL_BSP_MAX_QUEUE_SIZE', '1e9'],
  ['OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 'many'],
])('%s=%s stops the start with one line that names the variable and not the value', ([name = '', value = '']) => {
  const read = (): unknown => readConfig({ ...endpoint, [name]: value });
  expect(read).toThrow(ConfigError);
  expect(read).toThrow(new RegExp(`^Switchboard cannot start: ${name} must be [^\\n]*$`));
  expect(read).not.toThrow(/secret/);
});
