import { collectDefaultMetrics, Counter, Gauge, Registry, type CounterConfiguration } from 'prom-client';
import { createHistogram } from './histogram.ts';

/** What is measured. Label values come from closed sets alone: no path, name or key that a client could choose. */
export interface Metrics {
  countRequest(endpoint: string, status: number, seconds: number): void;
  countUpstreamCall(operation: string, outcome: string, seconds: number): void;
  countError(code: string): void;
  /** One broken promise of the upstream, by the field of the schema and by kind. */
  countViolation(coordinate: string, kind: string): void;
  /** A failure that nobody in the process has handled. */
  countUnhandled(): void;
  /** One execution of an operation, by its plan (`compiled`) or by graphql-js (`general`). */
  countOperation(way: string): void;
  /** One request for GraphQL, answered directly (`direct`) or through Yoga (`yoga`). */
  countRoute(route: string): void;
  /** One connection that was closed because its reader took nothing. */
  countStalledReader(): void;
  /** What is looked up whenever the metrics are printed: how many streams are open, and how many lists are polled for them. */
  watchStreams(read: () => { readonly streams: number; readonly lists: number }): void;
  /** Prometheus text (exposition format 0.0.4) and its media type. */
  print(): Promise<{ readonly text: string; readonly contentType: string }>;
}

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
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
  const errors = new Counter({
    name: 'switchboard_errors_total',
    help: 'Errors answered to clients by extensions.code.',
    labelNames: ['code'],
    registers,
  });
  const violations = new Counter({
    name: 'switchboard_contract_violations_total',
    help: 'Values and answers of the upstream that its contract does not have, by field of the schema and kind.',
    labelNames: ['coordinate', 'kind'],
    registers,
  });
  const unhandled = new Counter({
    name: 'switchboard_unhandled_total',
    help: 'Failures that nobody in the process has handled: each is a fault of the gateway.',
    registers,
  });
  const countOperation = tallied('way', {
    name: 'switchboard_operations_total',
    help: 'Operations executed, by their plan (compiled) or by graphql-js (general).',
    registers,
  });
  const countRoute = tallied('route', {
    name: 'switchboard_graphql_requests_total',
    help: 'Requests for GraphQL, answered directly or through Yoga.',
    registers,
  });
  const stalledReaders = new Counter({
    name: 'switchboard_stalled_readers_total',
    help: 'Connections closed because their reader took nothing of what waited for it.',
    registers,
  });
  // By their labels, which are few: looked up by the library they would be hashed each time.
  const violationsOf = remembered((coordinate: string, kind: string) => violations.labels(coordinate, kind));
  return {
    countRequest: (endpoint, status, seconds) => observeRequest(endpoint, String(status), seconds),
    countUpstreamCall: observeCall,
    countError: (code) => errors.labels(code).inc(),
    countViolation: (coordinate, kind) => violationsOf(coordinate, kind).inc(),
    countUnhandled: () => unhandled.inc(),
    countRoute,
    countOperation,
    countStalledReader: () => stalledReaders.inc(),
    watchStreams(read) {
      const gauge = (name: string, help: string, value: () => number): unknown =>
        new Gauge({
          name,
          help,
          registers,
          collect() {
            this.set(value());
          },
        });
      gauge('switchboard_streams', 'Streams of live deliveries that are open.', () => read().streams);
      gauge('switchboard_polled_lists', 'Lists that are polled for streams.', () => read().lists);
    },
    print: async () => ({ text: await registry.metrics(), contentType: registry.contentType }),
  };
}

/** Counts by one label, and hands the counts over when the metrics are printed. */
function tallied(
  label: string,
  options: Pick<CounterConfiguration<string>, 'name' | 'help' | 'registers'>,
): (value: string) => void {
  const tally = new Map<string, number>();
  const counter = new Counter({ ...options, labelNames: [label] });
  const handOver = (): void => {
    for (const [value, count] of tally) counter.inc({ [label]: value }, count);
    tally.clear();
  };
  Object.assign(counter, { collect: handOver });
  return (value) => void tally.set(value, (tally.get(value) ?? 0) + 1);
}

/** A function of two closed sets of names that is asked once for each pair. */
function remembered<Value>(make: (first: string, second: string) => Value): typeof make {
  const values = new Map<string, Value>();
  return (first, second) => {
    const key = `${first} ${second}`;
    const known = values.get(key);
    if (known !== undefined) return known;
    const value = make(first, second);
    values.set(key, value);
    return value;
  };
}
