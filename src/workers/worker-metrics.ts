import { snapshotMs } from '../bounds.ts';
import { createMergedMetrics, type MergedMetrics } from '../telemetry/merged-metrics.ts';
import type { MetricsSnapshot } from '../telemetry/metrics.ts';
import { withTimeout } from '../timeout.ts';
import type { WorkerHandle } from './worker-handle.ts';

/** The metrics of all workers together. */
export interface WorkerMetrics extends Pick<MergedMetrics, 'countReplaced' | 'countUnhandled'> {
  print(workers: readonly WorkerHandle[]): ReturnType<MergedMetrics['print']>;
  /** Keeps the counts of a worker that has ended, as they were printed last. */
  retain(worker: WorkerHandle): void;
}

/** Asks each worker for its metrics. One that does not answer in time is there with those that it had before. */
export function createWorkerMetrics(linesLost: () => number): WorkerMetrics {
  const merged = createMergedMetrics(linesLost);
  const latest = new WeakMap<WorkerHandle, MetricsSnapshot>();

  async function snapshotOf(worker: WorkerHandle): Promise<MetricsSnapshot> {
    const snapshot = await withTimeout(worker.remote.call('snapshot', null), snapshotMs).catch(() => null);
    if (snapshot !== null) latest.set(worker, snapshot);
    return latest.get(worker) ?? [];
  }

  return {
    ...merged,
    print: async (workers) => merged.print(await Promise.all(workers.map(snapshotOf))),
    retain: (worker) => merged.retain(latest.get(worker) ?? []),
  };
}
