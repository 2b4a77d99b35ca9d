import { Counter, type Registry } from 'prom-client';
import { trustedOperationNames } from '../bounds.ts';
import {
  durationBuckets,
  createGauge,
  createHistogram,
  createPairCounter,
  createTalliedCounter,
} from './instruments.ts';

/** The metrics of what clients send and get. */
export interface RequestMetrics {
  countRequest(endpoint: string, status: number, seconds: number): void;
  /** One request for a trusted operation, by the name in the operator's own document. */
  countTrustedOperation(name: string, hasErrors: boolean, seconds: number): void;
  countError(code: string): void;
  /** One broken promise of the upstream, by the field of the schema and by kind. */
  countViolation(coordinate: string, kind: string): void;
  /** A failure that nobody in the process has handled. */
  countUnhandled(): void;
  /** One execution of an operation, from the bytes of the upstream (`bytes`), by its plan (`compiled`) or by graphql-js (`general`). */
  countOperation(path: string): void;
  /** One operation on the fast path that was not written from the bytes of the upstream, by the reason why. */
  countGiveUp(reason: string): void;
  /** One request for GraphQL, answered on the fast path (`direct`) or through Yoga (`yoga`). */
  countRoute(route: string): void;
  /** One connection that was closed because its reader took nothing. */
  countStalledReader(): void;
  /** Spans that the collector has taken, or not. */
  countSpans(outcome: 'exported' | 'failed', count: number): void;
  /** `read` runs whenever the metrics are printed: how many streams are open, and how many lists are polled for them. */
  watchStreams(read: () => { readonly streams: number; readonly lists: number }): void;
}

/** Creates the metrics of requests in a registry. */
export function createRequestMetrics(registry: Registry): RequestMetrics {
  return {
    ...createDurations([registry]),
    ...createFailureCounters([registry]),
    ...createRequestCounters([registry]),
    watchStreams(read) {
      const gauge = (name: string, help: string, member: 'streams' | 'lists'): void =>
        createGauge(name, help, [], () => [{ labels: {}, value: read()[member] }], registry);
      gauge('switchboard_streams', 'Streams of live deliveries that are open.', 'streams');
      gauge('switchboard_polled_lists', 'Lists that are polled for streams.', 'lists');
    },
  };
}

function createDurations(registers: Registry[]): Pick<RequestMetrics, 'countRequest' | 'countTrustedOperation'> {
  const observeRequest = createHistogram({
    name: 'switchboard_http_request_duration_seconds',
    help: 'Requests of clients by endpoint and HTTP status.',
    labelNames: ['endpoint', 'status'],
    buckets: durationBuckets,
    registers,
  });
  const observeTrusted = createHistogram({
    name: 'switchboard_trusted_operation_duration_seconds',
    help: 'Requests for trusted operations by name and outcome: ok, or error where the response has any.',
    labelNames: ['name', 'outcome'],
    buckets: durationBuckets,
    registers,
  });
  const names = new Set<string>();
  return {
    countRequest: (endpoint, status, seconds) => observeRequest(endpoint, String(status), seconds),
    countTrustedOperation(name, hasErrors, seconds) {
      if (names.size < trustedOperationNames) names.add(name);
      observeTrusted(names.has(name) ? name : 'other', hasErrors ? 'error' : 'ok', seconds);
    },
  };
}

function createFailureCounters(
  registers: Registry[],
): Pick<RequestMetrics, 'countError' | 'countViolation' | 'countUnhandled'> {
  const errors = new Counter({
    name: 'switchboard_errors_total',
    help: 'Errors answered to clients by extensions.code.',
    labelNames: ['code'],
    registers,
  });
  // An alert on its increase would not see a counter that begins with its first error.
  errors.labels('INTERNAL_SERVER_ERROR').inc(0);
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
): Pick<RequestMetrics, 'countOperation' | 'countGiveUp' | 'countRoute' | 'countStalledReader' | 'countSpans'> {
  const countOperation = createTalliedCounter('way', {
    name: 'switchboard_operations_total',
    help: 'Operations executed, from the bytes of the upstream (bytes), by their plan (compiled) or by graphql-js (general).',
    registers,
  });
  const countGiveUp = createTalliedCounter('reason', {
    name: 'switchboard_bytes_given_up_total',
    help: 'Operations on the fast path that were not written from the bytes of the upstream, by the reason why.',
    registers,
  });
  const countRoute = createTalliedCounter('route', {
    name: 'switchboard_graphql_requests_total',
    help: 'Requests for GraphQL, answered on the fast path (direct) or through Yoga (yoga).',
    registers,
  });
  const stalledReaders = new Counter({
    name: 'switchboard_stalled_readers_total',
    help: 'Connections closed because their reader took nothing of what waited for it.',
    registers,
  });
  const spans = new Counter({
    name: 'switchboard_trace_spans_total',
    help: 'Spans of traces, exported to the collector, or failed to be.',
    labelNames: ['outcome'],
    registers,
  });
  return {
    countOperation,
    countGiveUp,
    countRoute,
    countStalledReader: () => stalledReaders.inc(),
    countSpans: (outcome, count) => spans.labels(outcome).inc(count),
  };
}
