import { readFileSync } from 'node:fs';
import { periods } from './upstream/targets.ts';

/** A query of the benchmark, and what it needs of the upstream. */
export interface BenchQuery {
  readonly name: string;
  readonly title: string;
  readonly document: string;
  readonly variables: Readonly<Record<string, unknown>>;
  /** The upstream calls that the least of all gateways would make for it, below the version-2 root. */
  readonly upstreamPaths: readonly string[];
}

/** The text of a file in queries/. */
export function documentOf(name: string): string {
  return readFileSync(new URL(`queries/${name}.graphql`, import.meta.url), 'utf8');
}

const list = (path: string, size: number): string => `${path}?page[number]=1&page[size]=${size}`;
const report = (path: string, { startDate, endDate }: Period, format = ''): string =>
  `/charges_${path}?${format}start_date=${startDate}&end_date=${endDate}`;

interface Period {
  readonly startDate: string;
  readonly endDate: string;
}

/** The period of the report of 20,000 numbers. */
export const largePeriod: Period = { startDate: periods.large, endDate: '2026-11-01' };
/** The period of the report of 50 numbers. */
export const smallPeriod: Period = { startDate: periods.small, endDate: '2026-10-01' };
/** The period whose CSV is streamed, 200 MiB of it. */
export const hugePeriod: Period = { startDate: periods.huge, endDate: '2026-09-01' };

function query(name: string, title: string, variables: object, upstreamPaths: readonly string[]): BenchQuery {
  return { name, title, document: documentOf(name), variables: { ...variables }, upstreamPaths };
}

/** What is asked again and again, under load. */
export const loadQueries: readonly BenchQuery[] = [
  query('q1', '20 connections, 6 fields each', { first: 20 }, [list('/ip_connections', 20)]),
  query('q2', '250 connections, all 59 fields', { first: 250 }, [list('/ip_connections', 250)]),
  query('q3', '50 deliveries, 2 attempts each, headers and bodies', { first: 50 }, [list('/webhook_deliveries', 50)]),
  query('q3p', 'the same with payloads', { first: 50 }, [list('/webhook_deliveries', 50)]),
  query('q4', 'charges summary, lines of both shapes', largePeriod, [report('summary', largePeriod)]),
  query('q6', 'all five root fields in one operation', { first: 20, ...smallPeriod }, [
    report('summary', smallPeriod),
    report('breakdown', smallPeriod, 'format=json&'),
    list('/ip_connections', 20),
    list('/ai/missions', 20),
    list('/webhook_deliveries', 20),
  ]),
];

/** One page of the large breakdown, whose further pages are asked for with `after`. */
export const breakdownPage: BenchQuery = query(
  'q5',
  '20,000 numbers of a breakdown, 500 a page',
  { first: 500, ...largePeriod },
  [report('breakdown', largePeriod, 'format=json&')],
);

/** Path and query string of the CSV export of a period. */
export function exportPath({ startDate, endDate }: Period): string {
  return `/exports/charges-breakdown.csv?startDate=${startDate}&endDate=${endDate}`;
}
