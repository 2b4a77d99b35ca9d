import { Gauge, type Registry } from 'prom-client';

/** One value of a gauge, with the values of its labels. */
export interface Reading<Label extends string> {
  readonly labels: Readonly<Record<Label, string>>;
  readonly value: number;
}

/** Creates a gauge that is read whenever the metrics are printed. */
export function createGauge<Label extends string = never>(
  name: string,
  help: string,
  labelNames: readonly Label[],
  read: () => readonly Reading<Label>[],
  registry: Registry,
): void {
  // The registry holds it.
  void new Gauge({
    name,
    help,
    labelNames: [...labelNames],
    registers: [registry],
    collect() {
      this.reset();
      for (const { labels, value } of read()) this.set(labels, value);
    },
  });
}
