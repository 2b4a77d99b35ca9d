import { Counter, type CounterConfiguration } from 'prom-client';

export type CounterOptions = Pick<CounterConfiguration<string>, 'name' | 'help' | 'registers'>;

/** Counts by one label. The counts reach the registry when the metrics are printed, which is cheaper than one by one. */
export function createTalliedCounter(label: string, options: CounterOptions): (value: string) => void {
  const tally = new Map<string, number>();
  const counter = new Counter({ ...options, labelNames: [label] });
  const collect = (): void => {
    for (const [value, count] of tally) counter.inc({ [label]: value }, count);
    tally.clear();
  };
  Object.assign(counter, { collect });
  return (value) => void tally.set(value, (tally.get(value) ?? 0) + 1);
}

/** Counts by two labels of closed sets. The library would hash the labels each time; here their counter is looked up. */
export function createPairCounter(labels: readonly [string, string], options: CounterOptions) {
  const counter = new Counter({ ...options, labelNames: [...labels] });
  const known = new Map<string, Counter.Internal>();
  return (first: string, second: string): void => {
    const key = `${first} ${second}`;
    const own = known.get(key) ?? counter.labels(first, second);
    known.set(key, own);
    own.inc();
  };
}
