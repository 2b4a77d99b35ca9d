import type { Attribution } from '../concerns/attribution.ts';
import { concerns, type Concern } from '../concerns/concern.ts';
import { short, whole } from './figure.ts';
import { markdownTable } from './markdown.ts';

/** What the time of a request goes to. */
export interface ConcernFigures {
  readonly query: string;
  readonly contender: string;
  readonly micros: Attribution;
}

// Before requests became one object each and answers were made from bytes: microseconds of Q4 and Q1, by perf on another machine, where
// the floor took 41 and 72.
const before: Readonly<Record<Concern, readonly [number, number]>> = {
  kernel: [32, 42],
  'HTTP parser, libuv and the like': [14, 22],
  'http and streams of node, in JS': [19, 29],
  undici: [16, 25],
  'JSON and transcoder': [13, 71],
  'plan and stringify': [11, 15],
  'cursors and lists': [1, 32],
  'router, exchange, deadlines': [14, 16],
  'single flight, stages, client': [10, 20],
  'microtasks and timers': [7, 11],
  log: [5, 7],
  'cost and coercion': [4, 7],
  'metrics and traces': [2, 4],
  'garbage collection and compilation': [11, 35],
  other: [0, 2],
};

const sumOf = (figures: Readonly<Record<string, number>>): number =>
  Object.values(figures).reduce((sum, figure) => sum + figure, 0);

/** What the time of a request goes to, in microseconds, before and now, as a table in Markdown. */
export function concernsTable(figures: readonly ConcernFigures[]): string {
  const of = (query: string, contender: string): Attribution | undefined =>
    figures.find((one) => one.query === query && one.contender === contender)?.micros;
  const columns = [of('q4', 'switchboard'), of('q4', 'floor'), of('q1', 'switchboard'), of('q1', 'floor')] as const;
  const [q4, q4Floor, q1, q1Floor] = columns;
  const show = (micros: Attribution | undefined, concern: Concern): string => {
    const value = micros?.[concern] ?? 0;
    return value === 0 ? '–' : short(value);
  };
  const rows = concerns.map((concern) => [
    concern,
    whole(before[concern][0]),
    show(q4, concern),
    show(q4Floor, concern),
    whole(before[concern][1]),
    show(q1, concern),
    show(q1Floor, concern),
  ]);
  const total = (micros: Attribution | undefined): string => short(sumOf(micros ?? {}));
  const beforeOf = (column: 0 | 1): string => whole(concerns.reduce((sum, name) => sum + before[name][column], 0));
  const sum = ['sum', beforeOf(0), total(q4), total(q4Floor), beforeOf(1), total(q1), total(q1Floor)];
  const headings = ['µs of a request', 'Q4 before', 'Q4 now', 'floor', 'Q1 before', 'Q1 now', 'floor'];
  return markdownTable(headings, [...rows, sum]);
}
