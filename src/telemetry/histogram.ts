import { Histogram, type HistogramConfiguration } from 'prom-client';

/** The observations of one pair of label values: how many fall into each bucket. The last count is for values above all buckets. */
interface Series {
  readonly labels: Readonly<Record<string, string>>;
  readonly counts: Float64Array;
  sum: number;
}

/** Counts one observation; both labels come from closed sets. */
export type Observe = (first: string, second: string, value: number) => void;

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
