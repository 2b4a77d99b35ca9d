import {
  meanRequest,
  needOfRequests,
  needOfStreams,
  predictTwoCores,
  type MeasuredLoad,
  type MeasuredStreams,
  type Need,
} from './model.ts';

/** The results that the page is computed from. */
export interface Measured {
  readonly load: readonly MeasuredLoad[];
  readonly streams: MeasuredStreams;
  /** Of two workers on two cores. */
  readonly workers: readonly MeasuredLoad[];
}

const marks = ['<!-- computed by npm --prefix bench run capacity -->', '<!-- end -->'] as const;

/** Returns the page with its tables computed anew. Throws where it has no place for them. */
export function computedPage(page: string, measured: Measured): string {
  const [from, to] = [page.indexOf(marks[0]), page.indexOf(marks[1])];
  if (from === -1 || to < from) throw new Error('The page has no place for the tables.');
  return `${page.slice(0, from + marks[0].length)}\n\n${tables(measured)}\n\n${page.slice(to)}`;
}

function tables({ load, streams, workers }: Measured): string {
  const { cpuMicros, calls, bytesIn, bytesOut } = meanRequest(load);
  const rows: readonly (readonly [string, Need])[] = [
    ...[1_000, 10_000, 100_000].map((rate) => [`${number(rate)} requests/s`, needOfRequests(load, rate)] as const),
    ['1,000,000 streams', needOfStreams(load, streams, 1_000_000)],
  ];
  return [
    `The mean request takes ${number(cpuMicros)} µs of CPU and ${calls.toFixed(1)} calls; ${number(bytesIn / 1_000)} kB come from the API, and ${number(bytesOut / 1_000)} kB go to the client.`,
    '',
    table(
      [
        'load',
        'cores',
        'processes',
        'memory',
        'calls to the API/s',
        'calls at once',
        'from the API',
        'to clients',
        'Redis commands/s',
      ],
      rows.map(([name, need]) => [
        name,
        number(need.cores),
        number(need.processes),
        `${need.gibibytes < 10 ? need.gibibytes.toFixed(1) : number(need.gibibytes)} GiB`,
        number(need.calls),
        number(need.slots),
        gigabits(need.gigabitsIn),
        gigabits(need.gigabitsOut),
        number(need.redisCommands),
      ]),
    ),
    '',
    table(
      ['query', 'predicted on two cores', 'measured, two workers', 'difference'],
      workers.filter(({ contender }) => contender === 'switchboard-2').map((point) => checkOf(load, point)),
    ),
  ].join('\n');
}

function checkOf(load: readonly MeasuredLoad[], { query, requestsPerSecond }: MeasuredLoad): readonly string[] {
  const one = load.find((figures) => figures.query === query && figures.contender === 'switchboard');
  if (one === undefined) return [query, '', `${number(requestsPerSecond.median)}/s`, ''];
  const predicted = predictTwoCores(one);
  const difference = Math.round((requestsPerSecond.median / predicted - 1) * 100);
  return [query, `${number(predicted)}/s`, `${number(requestsPerSecond.median)}/s`, `${difference} %`];
}

function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = headings.map((heading, column) =>
    Math.max(3, heading.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`;
  const rule = widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [line(headings), `| ${rule.join(' | ')} |`, ...rows.map(line)].join('\n');
}

function gigabits(rate: number): string {
  return rate === 0 ? 'little' : `${rate < 10 ? rate.toFixed(1) : number(rate)} Gbit/s`;
}

function number(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}
