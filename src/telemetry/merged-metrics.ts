import { AggregatorRegistry, Registry } from 'prom-client';
import { registerProcessMetrics, createWorkerCounts } from './process-metrics.ts';
import { createRequestMetrics } from './request-metrics.ts';
import { snapshotOf, type MetricObject, type MetricsSnapshot } from './metrics.ts';

/** Merges the metrics of workers into those of one process. */
export interface MergedMetrics {
  /** Prometheus text. Counts of workers that have ended stay in it, or their sum would fall. */
  print(snapshots: readonly MetricsSnapshot[]): Promise<{ readonly text: string; readonly contentType: string }>;
  /** Keeps the counts of a worker that has ended. */
  retain(snapshot: MetricsSnapshot): void;
  /** A failure of the main thread that nobody has handled. */
  countUnhandled(): void;
  /** One worker that has ended and is replaced. */
  countReplaced(): void;
}

/** Gauges whose sum would mean nothing. */
const highest = new Set([
  'switchboard_upstream_breaker_open',
  'switchboard_build_info',
  'process_max_fds',
  'process_start_time_seconds',
]);

/** Creates the merger. What the main process takes is a part of the sum; what it knows of itself besides would blur it. */
export function createMergedMetrics(linesLost: () => number): MergedMetrics {
  const own = new Registry();
  registerProcessMetrics(own, linesLost);
  const requests = createRequestMetrics(own);
  const workers = createWorkerCounts(own);
  let retained: Promise<MetricsSnapshot> = Promise.resolve([]);

  return {
    countUnhandled: () => requests.countUnhandled(),
    countReplaced: () => workers.countReplaced(),
    async print(snapshots) {
      const ofProcess = (await snapshotOf(own)).filter(({ name, type }) => isOfProcess(name) || type === 'counter');
      const merged = merge([...snapshots, await retained, ofProcess]);
      return { text: await merged.metrics(), contentType: merged.contentType };
    },
    retain(snapshot) {
      const counts = snapshot.filter(({ type }) => isCount(type));
      retained = retained.then((before) => snapshotOf(merge([before, counts])));
    },
  };
}

function merge(snapshots: readonly MetricsSnapshot[]): Registry {
  const metrics = snapshots.map((snapshot) =>
    snapshot.map((metric) => ({ ...metric, aggregator: aggregatorOf(metric) })),
  );
  return AggregatorRegistry.aggregate(metrics);
}

function aggregatorOf({ name, aggregator = 'sum' }: MetricObject): string {
  return highest.has(name) ? 'max' : aggregator;
}

function isOfProcess(name: string): boolean {
  return name.startsWith('process_');
}

function isCount(type: string): boolean {
  return type === 'counter' || type === 'histogram';
}
