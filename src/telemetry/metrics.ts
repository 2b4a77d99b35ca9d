import { Registry } from 'prom-client';
import { snapshotOf, type MetricsSnapshot } from './metrics-snapshot.ts';
import { registerProcessMetrics } from './process-metrics.ts';
import { createRequestMetrics, type RequestMetrics } from './request-metrics.ts';
import { createWorkerCounts } from './worker-counts.ts';
import { createStoreMetrics, type StoreMetrics } from './store-metrics.ts';
import { createUpstreamMetrics, type UpstreamMetrics } from './upstream-metrics.ts';

/** The metrics of the process. Label values come from closed sets alone: no path, name or key that a client could choose. */
export interface Metrics extends RequestMetrics, StoreMetrics, UpstreamMetrics {
  /** Prometheus text (exposition format 0.0.4) and its media type. */
  print(): Promise<{ readonly text: string; readonly contentType: string }>;
  /** The metrics as data, for a process of several workers. */
  snapshot(): Promise<MetricsSnapshot>;
}

/** Metrics with a registry of their own, which holds those of the process as well. `linesLost` is read when they are printed. */
export function createMetrics(linesLost: () => number = () => 0): Metrics {
  const registry = new Registry();
  registerProcessMetrics(registry, linesLost);
  createWorkerCounts(registry);
  return {
    ...createRequestMetrics(registry),
    ...createStoreMetrics(registry),
    ...createUpstreamMetrics(registry),
    print: async () => ({ text: await registry.metrics(), contentType: registry.contentType }),
    snapshot: () => snapshotOf(registry),
  };
}
