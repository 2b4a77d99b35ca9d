import {
  Gauge,
  type Registry,
  Histogram,
  type HistogramConfiguration,
  Counter,
  type CounterConfiguration,
} from 'prom-client';

/** The upper bounds of the buckets of every duration, in seconds. */
export const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** One value of a gauge, with the values of its labels. */
interface Reading<Label extends string> {
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

/** The observations of one pair of label values: how many fall into each bucket. The last count is for values above all buckets. */
interface Series {
  readonly labels: Readonly<Record<string, string>>;
  readonly counts: Float64Array;
  sum: number;
}

/** Counts one observation; both labels come from closed sets. */
type Observe = (first: string, second: string, value: number) => void;

type Options = Pick<HistogramConfiguration<string>, 'name' | 'help' | 'registers'> & {
  readonly labelNames: readonly [string, string];
  readonly buckets: readonly number[];
};

/**
 * A histogram of prom-client's with two labels that is printed to the letter as prom-client prints it. Observations are counted
 * in arrays: prom-client checks and hashes the labels each time, which costs ten times as much.
 */
export function createHistogram({ labelNames, buckets, ...options }: Options): Observe {
  const [firstName, secondName] = labelNames;
  const known = new Map<string, Map<string, Series>>();
  const order: Series[] = [];
  const histogram = new Histogram({ ...options, labelNames: [...labelNames], buckets: [...buckets] });
  const get = async () => ({
    name: options.name,
    help: options.help,
    type: 'histogram',
    values: order.flatMap((series) => valuesOf(series, options.name, buckets)),
    aggregator: 'sum',
  });
  // The registry calls both; the types do not have the second one.
  Object.assign(histogram, { get, getForPromString: get });

  function seriesOf(first: string, second: string): Series {
    const ofFirst = known.get(first) ?? new Map<string, Series>();
    known.set(first, ofFirst);
    const labels = { [firstName]: first, [secondName]: second };
    const series: Series = { labels, counts: new Float64Array(buckets.length + 1), sum: 0 };
    ofFirst.set(second, series);
    order.push(series);
    return series;
  }

  return (first, second, value) => {
    const series = known.get(first)?.get(second) ?? seriesOf(first, second);
    let bucket = 0;
    while (bucket < buckets.length && value > (buckets[bucket] as number)) bucket++;
    series.counts[bucket] = (series.counts[bucket] as number) + 1;
    series.sum += value;
  };
}

function valuesOf({ labels, counts, sum }: Series, name: string, buckets: readonly number[]) {
  let count = 0;
  const bucketValues = [...buckets, '+Inf'].map((le, index) => {
    count += counts[index] as number;
    return { labels: { le, ...labels }, value: count, metricName: `${name}_bucket` };
  });
  return [
    ...bucketValues,
    { labels, value: sum, metricName: `${name}_sum` },
    { labels, value: count, metricName: `${name}_count` },
  ];
}

type CounterOptions = Pick<CounterConfiguration<string>, 'name' | 'help' | 'registers'>;

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
