import { hash } from 'node:crypto';
import { AggregatorRegistry, collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Violation } from '../errors.ts';
import { version, type Log, type TraceIds } from './log.ts';

/** Names of trusted operations in the metrics; further ones are counted as `other`. Each name has thirty series. */
export const trustedOperationNames = 1_000;

/** What is counted. An operation is the name of an endpoint, such as `GET /charges_summary`. */
const counters = {
  countError: 'switchboard_errors_total{code} Errors answered to clients.',
  countViolation:
    'switchboard_contract_violations_total{coordinate,kind} Values and answers of the upstream that its contract does not have.',
  countFieldUsage:
    'switchboard_field_usage_total{coordinate,client} Operations and events that used a field, by the name that the client gives itself.',
  countUnhandled: 'switchboard_unhandled_total Failures that nobody has handled: each is a fault of the gateway.',
  countOperation:
    'switchboard_operations_total{way} Operations executed from the bytes of the upstream (bytes), by their plan (compiled) or by graphql-js (general).',
  countGiveUp:
    'switchboard_bytes_given_up_total{reason} Operations that were not written from the bytes of the upstream.',
  countRoute:
    'switchboard_graphql_requests_total{route} Requests answered whole or by events (direct), or in pieces through Yoga (yoga).',
  countStalledReader:
    'switchboard_stalled_readers_total Connections closed since their reader was too slow: below the least pace, or the slowest of a caller beyond its room.',
  countRefusedConnection:
    'switchboard_refused_connections_total Connections closed at once, since descriptors are nearly used up (`ulimit -n`).',
  countSpan: 'switchboard_trace_spans_total{outcome} Spans, exported or failed to be.',
  countSocketClosed:
    "switchboard_websockets_closed_total{code} WebSockets that have ended; other: a code of the client's own.",
  countUnreachable:
    'switchboard_upstream_unreachable_total{operation,cause} Calls that found no API, or whose connection broke; the cause is a code such as ENOTFOUND.',
  countRetry:
    'switchboard_upstream_retries_total{operation,reason} Calls made again, by the status or error code of the attempt before.',
  countSharedCall:
    'switchboard_upstream_shared_calls_total{operation} Calls saved by an equal call of the same caller that was under way.',
  countKeptReport: 'switchboard_kept_report_hits_total{operation} Calls saved by a report that is kept for its caller.',
  countRateLimitRefusal:
    'switchboard_upstream_rate_limit_refusals_total{operation} Calls not sent since the rate limit of their key is used up.',
  countBreakerRefusal:
    'switchboard_upstream_breaker_refusals_total{operation} Calls not sent since the breaker is open.',
  countStoreCommand:
    'switchboard_shared_state_commands_total{feature,outcome} Commands to the store of shared state; away: nothing was sent.',
  countReplaced: 'switchboard_replaced_workers_total Workers that have ended and were replaced.',
} as const;

/** What is timed, in seconds. */
const durations = {
  countRequest: 'switchboard_http_request_duration_seconds{endpoint,status} Requests of clients.',
  observeTrusted:
    'switchboard_trusted_operation_duration_seconds{name,outcome} Requests for trusted operations; error: the response has any.',
  countUpstreamCall:
    'switchboard_upstream_call_duration_seconds{operation,outcome} Calls to the upstream; the outcome is a status or an error code.',
  observeWait:
    'switchboard_upstream_wait_duration_seconds{pool,outcome} How long calls waited that got no slot at once.',
} as const;

/** What is read when the metrics are printed. */
const gauges = {
  buildInfo: 'switchboard_build_info{version,node_version} Always 1; its labels are versions.',
  workers: 'switchboard_workers Workers that serve (WORKERS).',
  streams: 'switchboard_streams Streams of live deliveries that are open.',
  polledLists: 'switchboard_polled_lists Lists that are polled for streams.',
  sockets: 'switchboard_websockets Open WebSockets.',
  slots: 'switchboard_upstream_slots{pool} Calls that may be under way at once.',
  callsInFlight: 'switchboard_upstream_calls_in_flight{pool} Calls under way.',
  callsQueued: 'switchboard_upstream_calls_queued{pool} Calls that wait for a slot.',
  openBreakers:
    'switchboard_upstream_breaker_open{operation,callers} 1 if the breaker is open for callers of this kind, else 0.',
  keptReports: 'switchboard_kept_reports Kept reports.',
  keptReportBytes: 'switchboard_kept_report_bytes Bytes of kept reports.',
  storeUp:
    'switchboard_shared_state_up{store} Whether the store of shared state is there (1), or this process goes on by itself (0).',
} as const;

/** The upper bounds of the buckets of every duration, in seconds. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Counts one, by the values of the labels that a line names: two at most. */
type Count<Line extends string> = Line extends `${string}{${string},${string}} ${string}`
  ? (first: string, second: string) => void
  : Line extends `${string}{${string}} ${string}`
    ? (label: string) => void
    : () => void;

type Counters = { readonly [Name in keyof typeof counters]: Count<(typeof counters)[Name]> };
type Durations = Readonly<Record<keyof typeof durations, (first: string, second: string, seconds: number) => void>>;

/** A metric as one line: its name, its labels in braces, and what it tells. Values of labels come from closed sets. */
function definitionIn(line: string) {
  const [, name = '', labels, help = ''] = /^(\w+)(?:\{([\w,]+)\})? (.+)$/s.exec(line) ?? [];
  return { name, help, labelNames: labels?.split(',') ?? [] };
}

function createCounters(registry: Registry): Counters {
  const create = (line: string) => {
    const counter = new Counter({ ...definitionIn(line), registers: [registry] });
    return (...values: string[]) => counter.labels(...values).inc();
  };
  return Object.fromEntries(
    Object.entries(counters).map(([name, line]) => [name, create(line)]),
  ) as unknown as Counters;
}

function createDurations(registry: Registry): Durations {
  const create = (line: string): Durations[keyof Durations] => {
    const histogram = new Histogram({ ...definitionIn(line), buckets, registers: [registry] });
    return (first, second, seconds) => histogram.labels(first, second).observe(seconds);
  };
  return Object.fromEntries(Object.entries(durations).map(([name, line]) => [name, create(line)])) as Durations;
}

/** What a gauge shows now: one value, or several, each with the values of its labels. */
type Reading = number | readonly (readonly [value: number, ...labels: string[]])[];

/** Creates all gauges. Returns the function that says what one of them shows; it is read whenever the metrics are printed. */
function createGauges(registry: Registry) {
  const readers: Partial<Record<string, () => Reading>> = {};
  for (const [gauge, line] of Object.entries(gauges)) {
    // The registry holds it.
    void new Gauge({
      ...definitionIn(line),
      registers: [registry],
      collect() {
        const reading = readers[gauge]?.() ?? [];
        this.reset();
        for (const [value, ...labels] of typeof reading === 'number' ? [[reading] as const] : reading)
          this.labels(...labels).set(value);
      },
    });
  }
  return (gauge: keyof typeof gauges, read: () => Reading): void => void (readers[gauge] = read);
}

/** Gauges whose sum over workers would mean nothing: the highest stands for all. */
const highest = [
  'switchboard_upstream_breaker_open',
  'switchboard_build_info',
  'process_max_fds',
  'process_start_time_seconds',
];

// Gauges of prom-client whose names end as those of counters do. Each has a twin without that end, by kind, whose sum it is.
const misnamed = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

/** The metrics of one process as data, which processes can send. */
export type MetricsSnapshot = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** The media type of the metrics as text. */
export const metricsType = Registry.PROMETHEUS_CONTENT_TYPE;

/**
 * The metrics of the process. Label values come from closed sets alone: no path, name or key that a client could choose, but for the
 * bounded names of clients in the usage of fields, which is off by default.
 */
export type Metrics = ReturnType<typeof createMetrics>;

/**
 * Metrics with a registry of their own, which holds those of the process as well. `linesLost` is read when they are printed. With
 * `watchesProcess` false nothing observes the process, which would go on to its end.
 */
export function createMetrics(linesLost: () => number = () => 0, watchesProcess = true) {
  const registry = new Registry();
  if (watchesProcess) collectDefaultMetrics({ register: registry });
  for (const name of misnamed) registry.removeSingleMetric(name);
  // The registry holds it.
  void new Counter({
    name: 'switchboard_log_lines_lost_total',
    help: 'Lines of the log that could not be written, or that nobody has read.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(linesLost());
    },
  });
  const watch = createGauges(registry);
  watch('buildInfo', () => [[1, version, process.versions.node]]);
  watch('workers', () => 1);
  for (const name of highest) Object.assign(registry.getSingleMetric(name) ?? {}, { aggregator: 'max' });
  const { observeTrusted, ...observers } = createDurations(registry);
  const counts = createCounters(registry);
  // An alert on its increase would not see a counter that begins with its first error.
  (registry.getSingleMetric('switchboard_errors_total') as Counter).inc({ code: 'INTERNAL_SERVER_ERROR' }, 0);
  const trustedNames = new Set<string>();
  return {
    ...counts,
    ...observers,
    /** Says what a gauge shows. */
    watch,
    /** One request for a trusted operation, by the name in the operator's own document. */
    countTrustedOperation(name: string, hasErrors: boolean, seconds: number) {
      if (trustedNames.size < trustedOperationNames) trustedNames.add(name);
      observeTrusted(trustedNames.has(name) ? name : 'other', hasErrors ? 'error' : 'ok', seconds);
    },
    /** As Prometheus text, of `metricsType`. */
    print: () => registry.metrics(),
    /** The metrics as data, for a process of several workers. */
    snapshot: () => registry.getMetricsAsJSON(),
  };
}

/** Merges the metrics of workers into those of one process. */
export type MergedMetrics = ReturnType<typeof createMergedMetrics>;

/** Creates the merger. What the main process takes is a part of the sum; what its `own` know of it besides would blur it. */
export function createMergedMetrics(own: Metrics) {
  let retained = Promise.resolve<MetricsSnapshot>([]);

  return {
    /** Counts of workers that have ended stay in it, or their sum would fall. One that ends while it is asked counts once. */
    async print(asked: Promise<readonly MetricsSnapshot[]>): Promise<string> {
      const ended = retained;
      const snapshots = await asked;
      const ofProcess = (await own.snapshot()).filter(
        (metric) => metric.name.startsWith('process_') || isCount(metric),
      );
      return AggregatorRegistry.aggregate([...snapshots, await ended, ofProcess]).metrics();
    },
    /** Keeps the counts of a worker that has ended. */
    retain(snapshot: MetricsSnapshot): void {
      const counts = snapshot.filter(isCount);
      retained = retained.then((before) => AggregatorRegistry.aggregate([before, counts]).getMetricsAsJSON());
    },
  };
}

function isCount({ type }: MetricsSnapshot[number]): boolean {
  // It is a text, whatever prom-client's declarations say.
  return ['counter', 'histogram'].includes(String(type));
}

/** The request in which a violation was found. */
interface ViolatedRequest {
  readonly requestId: string;
  /** Null for an operation without a name. */
  readonly operationName: string | null;
  /** Null where there are no traces. */
  readonly trace: TraceIds | null;
}

/** Counts the violations of the upstream's contract, so that an operator sees a change of the API before a user does. */
export type CountViolation = (violation: Violation, request: ViolatedRequest) => void;

const hourMs = 3_600_000;

/**
 * Counts every violation. Of each coordinate and kind it logs one violation an hour, never the value. Both come from closed
 * sets, which bounds the memory.
 */
export function createViolationCounter(
  metrics: Pick<Metrics, 'countViolation'>,
  log: Log,
  now?: () => number,
): CountViolation {
  const isDue = oncePerHour(now);
  return ({ coordinate, kind }, { requestId, operationName, trace }) => {
    metrics.countViolation(coordinate, kind);
    if (isDue(`${coordinate} ${kind}`))
      log.warn({ requestId, ...trace, operationName, coordinate, kind }, 'contract violation');
  };
}

/** Returns true for a name once an hour. Names come from a closed set, which bounds the memory. */
function oncePerHour(now = (): number => performance.now()): (name: string) => boolean {
  const last = new Map<string, number>();
  return (name) => {
    const time = now();
    if (time - (last.get(name) ?? -Infinity) < hourMs) return false;
    last.set(name, time);
    return true;
  };
}

/** Names of clients that the usage of fields is counted by; with all fields of the schema some ten thousand counts. */
export const namesOfClients = 50;

/** Of these, names that one key may make known. */
export const namesOfOneCaller = 10;

/** Who uses fields. */
export interface UsingClient {
  /** What the client calls itself; null where it does not say. */
  readonly name: string | null;
  /** Its Authorization header. */
  readonly authorization: string | undefined;
  /** Whether the API has accepted its key: nobody else makes a name known. */
  readonly isAccepted: boolean;
}

/**
 * Counts the fields that operations use, by coordinate and client, and logs what of them is deprecated, once an hour for each coordinate
 * and client. The coordinates are the schema's. Of the names of clients, `namesOfClients` are known, few of them from one caller; any
 * other is `other`, and a client without one `unnamed`.
 */
export class FieldUsage {
  readonly #count: (coordinate: string, client: string) => void;
  readonly #log: Log;
  readonly #isDue = oncePerHour();
  readonly #names = new Set<string>();
  /** How many names a caller has made known, by the hash of its key. */
  readonly #namesOf = new Map<string, number>();

  constructor(count: (coordinate: string, client: string) => void, log: Log) {
    this.#count = count;
    this.#log = log;
  }

  /** Notes the coordinates that one operation uses, or one event of a stream: why each is deprecated, or null. */
  note(usage: ReadonlyMap<string, string | null>, client: UsingClient, source: object): void {
    const clientName = this.#nameOf(client);
    for (const [coordinate, reason] of usage) {
      this.#count(coordinate, clientName);
      if (reason !== null && this.#isDue(`${coordinate} ${clientName}`))
        this.#log.warn({ ...source, coordinate, clientName, reason }, 'deprecated field in use');
    }
  }

  #nameOf({ name, authorization = '', isAccepted }: UsingClient): string {
    if (name === null) return 'unnamed';
    if (this.#names.has(name)) return name;
    if (!isAccepted || this.#names.size >= namesOfClients) return 'other';
    const caller = hash('sha256', authorization);
    const own = this.#namesOf.get(caller) ?? 0;
    if (own >= namesOfOneCaller) return 'other';
    this.#namesOf.set(caller, own + 1);
    this.#names.add(name);
    return name;
  }
}
