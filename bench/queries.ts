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
  /** What of it changes from request to request; absent where nothing does. */
  readonly vary?: (turn: number) => Partial<Pick<BenchQuery, 'document' | 'variables' | 'floorName'>>;
  /** How many requests of it there are before they begin again; absent where nothing changes. */
  readonly turns?: number;
  /** The half of the upstream that it is sent to: `/far` takes 20 ms. */
  readonly half?: string;
  /** How many requests of it are under way at once; absent: as many as of the others. */
  readonly atOnce?: number;
  /** Who takes part; absent: everyone. */
  readonly only?: readonly string[];
  /** The name of the floor's part of it; absent: its own. */
  readonly floorName?: string;
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

/** The least, Switchboard and the fastest peer. */
const three = ['floor', 'switchboard', 'mercurius'];

function query(name: string, title: string, variables: object, upstreamPaths: readonly string[]): BenchQuery {
  return { name, title, document: documentOf(name), variables: { ...variables }, upstreamPaths };
}

/** What is asked again and again, under load. */
export const loadQueries: readonly BenchQuery[] = [
  query('q1', '20 connections, 6 fields each', { first: 20 }, [list('/ip_connections', 20)]),
  query('q2', '250 connections, all 59 fields', { first: 250 }, [list('/ip_connections', 250)]),
  query('q3', '50 deliveries, 2 attempts each, headers and bodies', { first: 50 }, [list('/webhook_deliveries', 50)]),
  {
    ...query('q3p', 'the same with payloads', { first: 50 }, [list('/webhook_deliveries', 50)]),
    only: three,
  },
  query('q4', 'charges summary, lines of both shapes', largePeriod, [report('summary', largePeriod)]),
  query('q6', 'all five root fields in one operation', { first: 20, ...smallPeriod }, [
    report('summary', smallPeriod),
    report('breakdown', smallPeriod, 'format=json&'),
    list('/ip_connections', 20),
    list('/ai/missions', 20),
    list('/webhook_deliveries', 20),
  ]),
];

const day = 86_400_000;

/** The nth period of at most 31 days, none of them twice: some two million. */
function periodOf(turn: number): Period {
  const start = Date.UTC(1900, 0, 1) + Math.floor(turn / 30) * day;
  const text = (moment: number): string => new Date(moment).toISOString().slice(0, 10);
  return { startDate: text(start), endDate: text(start + ((turn % 30) + 1) * day) };
}

// Selections of connections and deliveries, each an operation of its own.
const connectionFields = [
  'id',
  'connectionName',
  'active',
  'transportProtocol',
  'createdAt',
  'webhookEventUrl',
  'tags',
];
const deliveryFields = ['id', 'status', 'startedAt', 'finishedAt', 'webhook { eventType }', 'attempts { status }'];

function operationOf(turn: number): string {
  const [name, fields] =
    turn % 2 === 0 ? ['ipConnections', connectionFields] : (['webhookDeliveries', deliveryFields] as const);
  const from = Math.floor(turn / 2) % fields.length;
  const chosen = [...fields.slice(from), ...fields.slice(0, from)].slice(0, 3 + (turn % 3));
  return `query Turn${turn}($first: Int!) { ${name}(first: $first) { nodes { ${chosen.join(' ')} } pageInfo { hasNextPage } } }`;
}

const operationCount = 20;
const [q1, , , , q4] = loadQueries as readonly [BenchQuery, BenchQuery, BenchQuery, BenchQuery, BenchQuery];

/** What is asked under load besides, of the floor, Switchboard and the fastest peer. */
export const variedQueries: readonly BenchQuery[] = [
  {
    ...q4,
    name: 'q4v',
    title: 'charges summary, for a period that never repeats',
    vary: (turn) => ({ variables: { ...periodOf(turn) } }),
    turns: Number.POSITIVE_INFINITY,
    only: three,
  },
  {
    ...q1,
    name: 'turns',
    title: '20 operations in turn',
    vary: (turn) => ({
      document: operationOf(turn % operationCount),
      floorName: turn % 2 === 0 ? 'turns' : 'turns-of-deliveries',
    }),
    turns: operationCount,
    only: three,
  },
  { ...q1, name: 'q1far', title: 'q1 in front of an upstream that takes 20 ms', half: '/far', atOnce: 64, only: three },
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

/** The upstream calls of the floor, by the path that is asked. */
export const floorPaths: ReadonlyMap<string, readonly string[]> = new Map([
  ...[...loadQueries, ...variedQueries, breakdownPage].map(
    ({ name, upstreamPaths }) => [`/${name}`, upstreamPaths] as const,
  ),
  ['/turns-of-deliveries', [list('/webhook_deliveries', 20)]],
]);
