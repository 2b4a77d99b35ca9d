import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** The upper bounds of the buckets of every duration, in seconds. */
const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Values of labels. They come from closed sets. */
type LabelValues<Names extends readonly string[]> = { readonly [At in keyof Names]: string };

/** One value of a gauge, with the values of its labels. */
interface Reading<Name extends string> {
  readonly labels: Readonly<Record<Name, string>>;
  readonly value: number;
}

/** Creates a gauge that is read whenever the metrics are printed. */
export function createGauge<Name extends string = never>(
  registry: Registry,
  name: string,
  help: string,
  labelNames: readonly Name[],
  read: () => readonly Reading<Name>[],
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

/**
 * Creates a counter with two labels at most, and the function that counts one. The counts reach prom-client when the metrics are
 * printed: it checks and hashes labels each time.
 */
export function createCounter<const Names extends readonly [] | readonly [string] | readonly [string, string]>(
  registry: Registry,
  name: string,
  help: string,
  labelNames: Names,
): (...values: LabelValues<Names>) => void {
  const tallies = new Map<string, { readonly labels: Readonly<Record<string, string>>; count: number }>();
  void new Counter({
    name,
    help,
    labelNames: [...labelNames] as string[],
    registers: [registry],
    collect() {
      for (const tally of tallies.values()) {
        this.inc(tally.labels, tally.count);
        tally.count = 0;
      }
    },
  });
  const count = (first = '', second = ''): void => {
    const key = second === '' ? first : `${first} ${second}`;
    let tally = tallies.get(key);
    if (tally === undefined) {
      const values = [first, second];
      tally = { labels: Object.fromEntries(labelNames.map((label, at) => [label, values[at] ?? ''])), count: 0 };
      tallies.set(key, tally);
    }
    tally.count++;
  };
  return count as (...values: LabelValues<Names>) => void;
}

/** The observations of one pair of label values: how many fall into each bucket. The last count is for values above all buckets. */
interface Series {
  readonly labels: Readonly<Record<string, string>>;
  readonly counts: Float64Array;
  sum: number;
}

/** Counts one observation; both labels come from closed sets. */
type Observe = (first: string, second: string, value: number) => void;

/**
 * A histogram of prom-client's with two labels that is printed to the letter as prom-client prints it. Observations are counted
 * in arrays: prom-client checks and hashes the labels each time, which costs ten times as much.
 */
export function createHistogram(
  registry: Registry,
  name: string,
  help: string,
  labelNames: readonly [string, string],
  buckets: readonly number[] = durationBuckets,
): Observe {
  const known = new Map<string, Map<string, Series>>();
  const order: Series[] = [];
  const options = { name, help, labelNames: [...labelNames], buckets: [...buckets], registers: [registry] };
  const values = () => order.flatMap((series) => valuesOf(series, name, buckets));
  const get = async () => ({ name, help, type: 'histogram', values: values(), aggregator: 'sum' });
  // The registry calls both; the types do not have the second one.
  Object.assign(new Histogram(options), { get, getForPromString: get });

  function seriesOf(first: string, second: string): Series {
    const ofFirst = known.get(first) ?? new Map<string, Series>();
    known.set(first, ofFirst);
    const labels = { [labelNames[0]]: first, [labelNames[1]]: second };
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
