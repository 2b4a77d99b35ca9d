import type { Registry } from 'prom-client';
import {
  durationBuckets,
  createGauge,
  createHistogram,
  createPairCounter,
  createTalliedCounter,
} from './instruments.ts';

/** How a call that had to wait for a slot went on. */
export type WaitOutcome = 'admitted' | 'refused' | 'aborted';

/** The slots of one bulkhead. */
export interface SlotReading {
  readonly most: number;
  readonly held: number;
  readonly queued: number;
}

/** For whom the breaker of one upstream operation is open. */
export interface BreakerReading {
  readonly operation: string;
  readonly isOpenForKnown: boolean;
  readonly isOpenForStrangers: boolean;
}

/** The metrics of the calls to the API. An operation is the name of an endpoint, such as `GET /charges_summary`. */
export interface UpstreamMetrics {
  countUpstreamCall(operation: string, outcome: string, seconds: number): void;
  /** One call that is made again; the reason is the status or the error code of the attempt before. */
  countRetry(operation: string, reason: string): void;
  /** One caller who waited for an equal call that was under way. */
  countSharedCall(operation: string): void;
  /** One call that a kept report has saved. */
  countKeptReport(operation: string): void;
  /** One call that was not sent, since the rate limit of its key is used up. */
  countRateLimitRefusal(operation: string): void;
  /** One call that was not sent, since the breaker is open. */
  countBreakerRefusal(operation: string): void;
  /** One call that got no slot at once. */
  observeWait(pool: string, outcome: WaitOutcome, seconds: number): void;
  /** `read` runs whenever the metrics are printed, as do those below. */
  watchSlots(read: () => Readonly<Record<string, SlotReading>>): void;
  watchBreakers(read: () => readonly BreakerReading[]): void;
  watchReports(read: () => { readonly count: number; readonly bytes: number }): void;
}

/** Creates the metrics of the calls in a registry. */
export function createUpstreamMetrics(registry: Registry): UpstreamMetrics {
  return { ...createCallMetrics(registry), ...createRefusalMetrics(registry), ...createWatches(registry) };
}

function createCallMetrics(registry: Registry) {
  const registers = [registry];
  return {
    countUpstreamCall: createHistogram({
      name: 'switchboard_upstream_call_duration_seconds',
      help: 'Calls to the upstream by operation and outcome: a status or an error code.',
      labelNames: ['operation', 'outcome'],
      buckets: durationBuckets,
      registers,
    }),
    countRetry: createPairCounter(['operation', 'reason'], {
      name: 'switchboard_upstream_retries_total',
      help: 'Calls made again, by operation and by the status or error code of the attempt before.',
      registers,
    }),
    countSharedCall: createTalliedCounter('operation', {
      name: 'switchboard_upstream_shared_calls_total',
      help: 'Calls that were saved since an equal call of the same caller was under way, by operation.',
      registers,
    }),
    countKeptReport: createTalliedCounter('operation', {
      name: 'switchboard_kept_report_hits_total',
      help: 'Calls that were saved by a report that is kept for its caller, by operation.',
      registers,
    }),
  };
}

function createRefusalMetrics(registry: Registry) {
  const registers = [registry];
  return {
    countRateLimitRefusal: createTalliedCounter('operation', {
      name: 'switchboard_upstream_rate_limit_refusals_total',
      help: 'Calls that were not sent since the rate limit of their key is used up, by operation.',
      registers,
    }),
    countBreakerRefusal: createTalliedCounter('operation', {
      name: 'switchboard_upstream_breaker_refusals_total',
      help: 'Calls that were not sent since the breaker is open, by operation.',
      registers,
    }),
    observeWait: createHistogram({
      name: 'switchboard_upstream_wait_duration_seconds',
      help: 'How long calls waited that got no slot at once, by pool and by how the wait ended.',
      labelNames: ['pool', 'outcome'],
      buckets: durationBuckets,
      registers,
    }),
  };
}

function createWatches(registry: Registry): Pick<UpstreamMetrics, 'watchSlots' | 'watchBreakers' | 'watchReports'> {
  return {
    watchSlots(read) {
      const gauge = (name: string, help: string, member: keyof SlotReading): void =>
        createGauge(
          name,
          help,
          ['pool'],
          () => Object.entries(read()).map(([pool, slots]) => ({ labels: { pool }, value: slots[member] })),
          registry,
        );
      gauge('switchboard_upstream_slots', 'Calls that may be under way at once, by pool.', 'most');
      gauge('switchboard_upstream_calls_in_flight', 'Calls that are under way, by pool.', 'held');
      gauge('switchboard_upstream_calls_queued', 'Calls that wait for a slot, by pool.', 'queued');
    },
    watchBreakers(read) {
      createGauge(
        'switchboard_upstream_breaker_open',
        '1 where the breaker of an operation is open for all callers of a kind, else 0.',
        ['operation', 'callers'],
        () => read().flatMap(readingsOf),
        registry,
      );
    },
    watchReports(read) {
      const gauge = (name: string, help: string, member: 'count' | 'bytes'): void =>
        createGauge(name, help, [], () => [{ labels: {}, value: read()[member] }], registry);
      gauge('switchboard_kept_reports', 'Reports that are kept for those who page through them.', 'count');
      gauge('switchboard_kept_report_bytes', 'Bytes of the reports that are kept.', 'bytes');
    },
  };
}

function readingsOf({ operation, isOpenForKnown, isOpenForStrangers }: BreakerReading) {
  return [
    { labels: { operation, callers: 'known' }, value: Number(isOpenForKnown) },
    { labels: { operation, callers: 'strangers' }, value: Number(isOpenForStrangers) },
  ];
}
