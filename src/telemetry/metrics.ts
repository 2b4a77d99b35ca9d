import { Registry } from 'prom-client';
import { createGauge, createPairCounter } from './instruments.ts';
import { registerProcessMetrics, createWorkerCounts } from './process-metrics.ts';
import { createRequestMetrics, type RequestMetrics } from './request-metrics.ts';
import { createUpstreamMetrics, type UpstreamMetrics } from './upstream-metrics.ts';

/** The metrics of the state that replicas share. */
export interface StoreMetrics {
  /** One command, by what it is for and by how it ended. */
  countStoreCommand(feature: string, outcome: string): void;
  /** `read` runs whenever the metrics are printed: whether the store of this name is there. */
  watchStore(store: string, read: () => boolean): void;
}

/** Creates the metrics of shared state in a registry. They have no values in a process that shares nothing. */
function createStoreMetrics(registry: Registry): StoreMetrics {
  const watched: { readonly store: string; readonly isUp: () => boolean }[] = [];
  createGauge(
    'switchboard_shared_state_up',
    'Whether the store of shared state is there (1), or this process goes on by itself (0).',
    ['store'],
    () => watched.map(({ store, isUp }) => ({ labels: { store }, value: Number(isUp()) })),
    registry,
  );
  return {
    countStoreCommand: createPairCounter(['feature', 'outcome'], {
      name: 'switchboard_shared_state_commands_total',
      help: 'Commands to the store of shared state by feature and by how they ended; away: nothing was sent.',
      registers: [registry],
    }),
    watchStore: (store, isUp) => void watched.push({ store, isUp }),
  };
}

/** One metric as data, in prom-client's form. */
export interface MetricObject {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  /** How prom-client merges the values of several processes; absent: by their sum. */
  readonly aggregator?: string;
  readonly values: readonly unknown[];
}

/** The metrics of one worker as data, which processes can send. */
export type MetricsSnapshot = readonly MetricObject[];

/** The metrics of a registry as data. */
export async function snapshotOf(registry: Registry): Promise<MetricsSnapshot> {
  return (await registry.getMetricsAsJSON()) as unknown as MetricsSnapshot;
}

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
