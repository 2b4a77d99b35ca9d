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

/** Gauges of which all workers show the same: the sum would mean nothing. */
const highest = new Set(['switchboard_upstream_breaker_open', 'switchboard_build_info']);

/** Creates the merger. What the system knows of the process is read here: to each thread it shows the same. */
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
      const ofWorkers = [...snapshots, await retained].map((snapshot) =>
        snapshot.filter(({ name }) => !isOfProcess(name)),
      );
      const merged = merge([...ofWorkers, ofProcess]);
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
  if (isOfProcess(name)) return 'first';
  return highest.has(name) ? 'max' : aggregator;
}

function isOfProcess(name: string): boolean {
  return name.startsWith('process_');
}

function isCount(type: string): boolean {
  return type === 'counter' || type === 'histogram';
}
