import { readFileSync } from 'node:fs';
import type { Coding } from './load/exchange.ts';
import { periods } from './upstream/periods.ts';

/** A query of the benchmark, and what it needs of the upstream. */
export interface BenchQuery {
  readonly name: string;
  readonly title: string;
  readonly document: string;
  readonly variables: Readonly<Record<string, unknown>>;
  /** The upstream calls that the least of all gateways would make for it, below the version-2 root. */
  readonly upstreamPaths: readonly string[];
  /** What of it changes from request to request; absent where nothing does. */
  readonly vary?: (turn: number) => Partial<Pick<BenchQuery, 'document' | 'variables' | 'floorName'>>;
  /** How many requests of it there are before they begin again; absent where nothing changes. */
  readonly turns?: number;
  /** The half of the upstream that it is sent to: `/far` takes 20 ms. */
  readonly half?: string;
  /** How many requests of it are under way at once; absent: as many as of the others. */
  readonly atOnce?: number;
  /** How many callers send it; absent: as many as send the others. */
  readonly keys?: number;
  /** The coding in which the responses are asked for; absent: none. */
  readonly coding?: Coding;
  /** Who takes part; absent: everyone. */
  readonly only?: readonly string[];
  /** Whose latencies are measured, at half of what the slowest of them can do. */
  readonly paced: readonly string[];
  /** Whether it is run where it is named alone: a whole run takes long enough. */
  readonly isOptional?: boolean;
  /** The name of the floor's part of it; absent: its own. */
  readonly floorName?: string;
}

/** The text of a file in queries/. */
export function documentOf(name: string): string {
  return readFileSync(new URL(`queries/${name}.graphql`, import.meta.url), 'utf8');
}

/** The call of a list's first page. */
export const firstPage = (path: string, size: number): string => `${path}?page[number]=1&page[size]=${size}`;
const report = (path: string, { startDate, endDate }: Period, format = ''): string =>
  `/charges_${path}?${format}start_date=${startDate}&end_date=${endDate}`;

/** Days of a report; the last is not in it. */
export interface Period {
  readonly startDate: string;
  readonly endDate: string;
}

/** The period of the report of 20,000 numbers. */
export const largePeriod: Period = { startDate: periods.large, endDate: '2026-11-01' };
/** The period of the report of 50 numbers. */
export const smallPeriod: Period = { startDate: periods.small, endDate: '2026-10-01' };
/** The period whose CSV is streamed, 200 MiB of it. */
export const hugePeriod: Period = { startDate: periods.huge, endDate: '2026-09-01' };

/** The least, Switchboard and the fastest peer. */
export const three = ['floor', 'switchboard', 'mercurius'];
/** Whether a contender is the least that a gateway can cost. */
export const isFloor = (name: string): boolean => name.startsWith('floor');

function query(name: string, title: string, variables: object, upstreamPaths: readonly string[]): BenchQuery {
  return { name, title, document: documentOf(name), variables: { ...variables }, upstreamPaths, paced: three };
}

/** What is asked again and again, under load. */
export const loadQueries: readonly BenchQuery[] = [
  query('q1', '20 connections, 6 fields each', { first: 20 }, [firstPage('/ip_connections', 20)]),
  query('q2', '250 connections, all 59 fields', { first: 250 }, [firstPage('/ip_connections', 250)]),
  query('q3', '50 deliveries, 2 attempts each, headers and bodies', { first: 50 }, [
    firstPage('/webhook_deliveries', 50),
  ]),
  {
    ...query('q3p', 'q3 with payloads', { first: 50 }, [firstPage('/webhook_deliveries', 50)]),
    only: three,
    paced: [],
    isOptional: true,
  },
  query('q4', 'charges summary, lines of both shapes', largePeriod, [report('summary', largePeriod)]),
  query('q6', 'all five root fields in one operation', { first: 20, ...smallPeriod }, [
    report('summary', smallPeriod),
    report('breakdown', smallPeriod, 'format=json&'),
    firstPage('/ip_connections', 20),
    firstPage('/ai/missions', 20),
    firstPage('/webhook_deliveries', 20),
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
