import { AggregatorRegistry, type Registry } from 'prom-client';
import { createMetrics, snapshotOf, type MetricsSnapshot, type PrintedMetrics } from './metrics.ts';

/** Gauges whose sum would mean nothing. */
const highest = new Set([
  'switchboard_upstream_breaker_open',
  'switchboard_build_info',
  'process_max_fds',
  'process_start_time_seconds',
]);

/** Merges the metrics of workers into those of one process. */
export type MergedMetrics = ReturnType<typeof createMergedMetrics>;

/** Creates the merger. What the main process takes is a part of the sum; what it knows of itself besides would blur it. */
export function createMergedMetrics(linesLost: () => number) {
  const own = createMetrics(linesLost);
  let retained: Promise<MetricsSnapshot> = Promise.resolve([]);

  return {
    countUnhandled: own.countUnhandled,
    countReplaced: own.countReplaced,
    /** Counts of workers that have ended stay in it, or their sum would fall. One that ends while it is asked counts once. */
    async print(asked: Promise<readonly MetricsSnapshot[]>): Promise<PrintedMetrics> {
      const ended = retained;
      const snapshots = await asked;
      const ofProcess = (await own.snapshot()).filter(({ name, type }) => isOfProcess(name) || type === 'counter');
      const merged = merge([...snapshots, await ended, ofProcess]);
      return { text: await merged.metrics(), contentType: merged.contentType };
    },
    /** Keeps the counts of a worker that has ended. */
    retain(snapshot: MetricsSnapshot): void {
      const counts = snapshot.filter(({ type }) => type === 'counter' || type === 'histogram');
      retained = retained.then((before) => snapshotOf(merge([before, counts])));
    },
  };
}

function merge(snapshots: readonly MetricsSnapshot[]): Registry {
  const metrics = snapshots.map((snapshot) =>
    snapshot.map((metric) => ({
      ...metric,
      aggregator: highest.has(metric.name) ? 'max' : (metric.aggregator ?? 'sum'),
    })),
  );
  return AggregatorRegistry.aggregate(metrics);
}

function isOfProcess(name: string): boolean {
  return name.startsWith('process_');
}
