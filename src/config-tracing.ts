import { httpUrl, isBare, oneOf, wholeNumber, type Environment, type Parse, type Read } from './config-values.ts';
import { protocols, samplers, type TracingOptions } from './telemetry/tracing.ts';

// RFC 9110, section 5.6.2; a value may be anything that a header can carry.
const headerName = /^[\w!#$%&'*+.^|~\x60-]+$/;
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Reads OpenTelemetry's standard variables. Null where no collector is named, or traces are turned off. Those that only matter
 * with a collector are not looked at without one.
 */
export function readTracing(env: Environment, read: Read): TracingOptions | null {
  const isDisabled = env['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true';
  if (isDisabled || read('OTEL_TRACES_EXPORTER', 'otlp', 'otlp or none', anyCase(['otlp', 'none'])) === 'none')
    return null;
  const url =
    read<string | null>('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', null, anEndpoint, endpoint) ??
    read<string | null>('OTEL_EXPORTER_OTLP_ENDPOINT', null, anEndpoint, (text) => below(endpoint(text), 'v1/traces'));
  if (url === null) return null;
  const { 'service.name': named, ...resource } = read('OTEL_RESOURCE_ATTRIBUTES', {}, pairs, pairsOf);
  return {
    url,
    protocol: ofTraces('PROTOCOL', 'http/json', protocols.join(' or '), anyCase(protocols), read),
    headers: {
      ...read('OTEL_EXPORTER_OTLP_HEADERS', {}, headerPairs, headersOf),
      ...read('OTEL_EXPORTER_OTLP_TRACES_HEADERS', {}, headerPairs, headersOf),
    },
    serviceName: read('OTEL_SERVICE_NAME', named ?? 'switchboard', 'a name', (text) => text),
    resource,
    sampler: read('OTEL_TRACES_SAMPLER', 'parentbased_always_on', `one of ${samplers.join(', ')}`, anyCase(samplers)),
    ratio: read('OTEL_TRACES_SAMPLER_ARG', 1, 'a number from 0 to 1', ratio),
    timeoutMs: ofTraces('TIMEOUT', 10_000, 'milliseconds from 1 to 60000', wholeNumber(1, 60_000), read),
    delayMs: read('OTEL_BSP_SCHEDULE_DELAY', 5_000, 'milliseconds from 1 to 60000', wholeNumber(1, 60_000)),
    queueSize: read('OTEL_BSP_MAX_QUEUE_SIZE', 2_048, 'a whole number from 1 to 65536', wholeNumber(1, 65_536)),
    batchSize: read('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512, 'a whole number from 1 to 8192', wholeNumber(1, 8_192)),
  };
}

const anEndpoint = 'an http(s) URL of a collector, such as http://localhost:4318';
const pairs = 'name=value pairs, separated by commas and percent-encoded';
const headerPairs = `${pairs}, that headers can carry`;

/** The setting for traces, or else that for all of telemetry. */
function ofTraces<T>(name: string, fallback: T, expected: string, parse: Parse<T>, read: Read): T {
  const forAll = read(`OTEL_EXPORTER_OTLP_${name}`, fallback, expected, parse);
  return read(`OTEL_EXPORTER_OTLP_TRACES_${name}`, forAll, expected, parse);
}

/** The specification of these variables has the case of letters not matter. */
function anyCase<Choice extends string>(choices: readonly Choice[]): Parse<Choice> {
  return (text) => oneOf(choices)(text.toLowerCase());
}

function ratio(text: string): number | undefined {
  return /^\d+(?:\.\d+)?$/.test(text) && Number(text) <= 1 ? Number(text) : undefined;
}

function endpoint(text: string): string | undefined {
  const url = httpUrl(text);
  // Credentials in a URL would be shown by whatever shows the URL; there are headers for them.
  return isBare(url) ? url.href : undefined;
}

function below(url: string | undefined, path: string): string | undefined {
  if (url === undefined) return undefined;
  const parsed = new URL(url);
  parsed.pathname = `${parsed.pathname.replace(/\/$/, '')}/${path}`;
  return parsed.href;
}

function pairsOf(text: string): Readonly<Record<string, string>> | undefined {
  const entries: [string, string][] = [];
  for (const pair of text.split(',').map((each) => each.trim())) {
    if (pair === '') continue;
    const [name, value] = decoded(pair);
    if (name === '' || value === null) return undefined;
    entries.push([name, value]);
  }
  return Object.fromEntries(entries);
}

function decoded(pair: string): readonly [name: string, value: string | null] {
  const at = pair.indexOf('=');
  if (at < 1) return ['', null];
  try {
    return [decodeURIComponent(pair.slice(0, at).trim()), decodeURIComponent(pair.slice(at + 1).trim())];
  } catch {
    return ['', null];
  }
}

function headersOf(text: string): Readonly<Record<string, string>> | undefined {
  const headers = pairsOf(text);
  const isSendable = Object.entries(headers ?? {}).every(
    ([name, value]) => headerName.test(name) && headerValue.test(value),
  );
  return isSendable ? headers : undefined;
}
