import type { Registry } from 'prom-client';

/** One metric as data, in prom-client's form. */
export interface MetricObject {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  /** How prom-client merges the values of several processes; absent: by their sum. */
  readonly aggregator?: string;
  readonly values: readonly unknown[];
}

/** The metrics of one worker as data, which threads can copy. */
export type MetricsSnapshot = readonly MetricObject[];

/** The metrics of a registry as data. */
export async function snapshotOf(registry: Registry): Promise<MetricsSnapshot> {
  return (await registry.getMetricsAsJSON()) as unknown as MetricsSnapshot;
}
