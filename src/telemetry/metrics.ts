import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import { createHistogram } from './histogram.ts';
import { createPairCounter, createTalliedCounter } from './tallied-counter.ts';

/** The metrics of the process. Label values come from closed sets alone: no path, name or key that a client could choose. */
export interface Metrics {
  countRequest(endpoint: string, status: number, seconds: number): void;
  countUpstreamCall(endpoint: string, outcome: string, seconds: number): void;
  countError(code: string): void;
  /** One broken promise of the upstream, by the field of the schema and by kind. */
  countViolation(coordinate: string, kind: string): void;
  /** A failure that nobody in the process has handled. */
  countUnhandled(): void;
  /** One execution of an operation, by its plan (`compiled`) or by graphql-js (`general`). */
  countOperation(path: string): void;
  /** One request for GraphQL, answered directly (`direct`) or through Yoga (`yoga`). */
  countRoute(route: string): void;
  /** One connection that was closed because its reader took nothing. */
  countStalledReader(): void;
  /** `read` runs whenever the metrics are printed: how many streams are open, and how many lists are polled for them. */
  watchStreams(read: () => { readonly streams: number; readonly lists: number }): void;
  /** Prometheus text (exposition format 0.0.4) and its media type. */
  print(): Promise<{ readonly text: string; readonly contentType: string }>;
}

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Metrics with a registry of their own, which holds those of the process as well. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return {
    ...createDurations([registry]),
    ...createFailureCounters([registry]),
    ...createRequestCounters([registry]),
    watchStreams(read) {
      createGauge('switchboard_streams', 'Streams of live deliveries that are open.', () => read().streams, registry);
      createGauge('switchboard_polled_lists', 'Lists that are polled for streams.', () => read().lists, registry);
    },
    print: async () => ({ text: await registry.metrics(), contentType: registry.contentType }),
  };
}

function createDurations(registers: Registry[]): Pick<Metrics, 'countRequest' | 'countUpstreamCall'> {
  const observeRequest = createHistogram({
    name: 'switchboard_http_request_duration_seconds',
    help: 'Requests of clients by endpoint and HTTP status.',
    labelNames: ['endpoint', 'status'],
    buckets,
    registers,
  });
  const observeCall = createHistogram({
    name: 'switchboard_upstream_call_duration_seconds',
    help: 'Calls to the upstream by operation and outcome: a status or an error code.',
    labelNames: ['operation', 'outcome'],
    buckets,
    registers,
  });
  return {
    countRequest: (endpoint, status, seconds) => observeRequest(endpoint, String(status), seconds),
    countUpstreamCall: observeCall,
  };
}

function createFailureCounters(
  registers: Registry[],
): Pick<Metrics, 'countError' | 'countViolation' | 'countUnhandled'> {
  const errors = new Counter({
    name: 'switchboard_errors_total',
    help: 'Errors answered to clients by extensions.code.',
    labelNames: ['code'],
    registers,
  });
  const countViolation = createPairCounter(['coordinate', 'kind'], {
    name: 'switchboard_contract_violations_total',
    help: 'Values and answers of the upstream that its contract does not have, by field of the schema and kind.',
    registers,
  });
  const unhandled = new Counter({
    name: 'switchboard_unhandled_total',
    help: 'Failures that nobody in the process has handled: each is a fault of the gateway.',
    registers,
  });
  return {
    countError: (code) => errors.labels(code).inc(),
    countViolation,
    countUnhandled: () => unhandled.inc(),
  };
}

function createRequestCounters(
  registers: Registry[],
): Pick<Metrics, 'countOperation' | 'countRoute' | 'countStalledReader'> {
  const countOperation = createTalliedCounter('way', {
    name: 'switchboard_operations_total',
    help: 'Operations executed, from the bytes of the upstream (bytes), by their plan (compiled) or by graphql-js (general).',
    registers,
  });
  const countRoute = createTalliedCounter('route', {
    name: 'switchboard_graphql_requests_total',
    help: 'Requests for GraphQL, answered directly or through Yoga.',
    registers,
  });
  const stalledReaders = new Counter({
    name: 'switchboard_stalled_readers_total',
    help: 'Connections closed because their reader took nothing of what waited for it.',
    registers,
  });
  return { countOperation, countRoute, countStalledReader: () => stalledReaders.inc() };
}

function createGauge(name: string, help: string, read: () => number, registry: Registry): Gauge {
  return new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(read());
    },
  });
}
