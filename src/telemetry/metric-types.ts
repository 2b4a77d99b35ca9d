import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** The upper bounds of the buckets of every duration, in seconds. */
const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** A metric as one line: its name, its labels in braces, and what it tells. Values of labels come from closed sets. */
function definitionIn(line: string) {
  const [, name = '', labels, help = ''] = /^(\w+)(?:\{([\w,]+)\})? (.+)$/s.exec(line) ?? [];
  return { name, help, labelNames: labels?.split(',') ?? [] };
}

/** One value of a gauge, with the values of its labels. */
interface Reading {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Creates a gauge that is read whenever the metrics are printed. */
export function createGauge(registry: Registry, line: string, read: () => number | readonly Reading[]): void {
  // The registry holds it.
  void new Gauge({
    ...definitionIn(line),
    registers: [registry],
    collect() {
      const readings = read();
      this.reset();
      if (typeof readings === 'number') this.set(readings);
      else for (const { labels, value } of readings) this.set(labels, value);
    },
  });
}

/** Counts one, by the values of the labels that a line names: two at most. */
export type Count<Line extends string> = Line extends `${string}{${string},${string}} ${string}`
  ? (first: string, second: string) => void
  : Line extends `${string}{${string}} ${string}`
    ? (label: string) => void
    : () => void;

/**
 * Creates a counter, and the function that counts one. The counts reach prom-client when the metrics are printed: it checks and hashes
 * labels each time.
 */
export function createCounter<Line extends string>(registry: Registry, line: Line): Count<Line> {
  const tallies = new Map<string, { readonly labels: Readonly<Record<string, string>>; count: number }>();
  const definition = definitionIn(line);
  void new Counter({
    ...definition,
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
      const labels = Object.fromEntries(definition.labelNames.map((label, at) => [label, values[at] ?? '']));
      tally = { labels, count: 0 };
      tallies.set(key, tally);
    }
    tally.count++;
  };
  return count as Count<Line>;
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
  line: `${string}{${string},${string}} ${string}`,
  buckets: readonly number[] = durationBuckets,
): Observe {
  const { name, help, labelNames } = definitionIn(line);
  const [firstLabel = '', secondLabel = ''] = labelNames;
  const known = new Map<string, Map<string, Series>>();
  const order: Series[] = [];
  const values = () => order.flatMap((series) => valuesOf(series, name, buckets));
  const get = async () => ({ name, help, type: 'histogram', values: values(), aggregator: 'sum' });
  // The registry calls both; the types do not have the second one.
  const histogram = new Histogram({ name, help, labelNames, buckets: [...buckets], registers: [registry] });
  Object.assign(histogram, { get, getForPromString: get });

  function seriesOf(first: string, second: string): Series {
    const ofFirst = known.get(first) ?? new Map<string, Series>();
    known.set(first, ofFirst);
    const labels = { [firstLabel]: first, [secondLabel]: second };
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
