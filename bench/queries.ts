import { readFileSync } from 'node:fs';

/** A query of the benchmark. */
export interface BenchQuery {
  readonly name: string;
  readonly title: string;
  readonly document: string;
  readonly variables: Readonly<Record<string, unknown>>;
  /** The calls that the least of all gateways would make for it, below the version-2 root of the API. */
  readonly calls: readonly string[];
  /** Whether it has fields that the API does not send, so that only servers with resolvers of their own can answer it. */
  readonly isComputed: boolean;
}

/** The text of a file beside this one. */
const read = (file: string): string => readFileSync(new URL(file, import.meta.url), 'utf8');

const firstPage = (path: string, size: number): string => `${path}?page[number]=1&page[size]=${size}`;
const period = { startDate: '2026-10-01', endDate: '2026-11-01' };
const report = (path: string): string => `/charges_${path}start_date=${period.startDate}&end_date=${period.endDate}`;

function query(name: string, title: string, variables: object, calls: readonly string[]): BenchQuery {
  return {
    name,
    title,
    document: read(`queries/${name}.graphql`),
    variables: { ...variables },
    calls,
    isComputed: false,
  };
}

/** The same with further fields at some places of its document. */
function computed(base: BenchQuery, title: string, fields: Readonly<Record<string, string>>): BenchQuery {
  const document = Object.entries(fields).reduce((text, [place, more]) => {
    if (!text.includes(place)) throw new Error(`${base.name} has no ${place}.`);
    return text.replace(place, `${place} ${more}`);
  }, base.document);
  return { ...base, name: `${base.name}c`, title, document, isComputed: true };
}

const q2 = query('q2', '250 connections, all 59 fields', { first: 250 }, [firstPage('/ip_connections', 250)]);
const q3 = query('q3', '50 deliveries, 2 attempts each, headers and bodies', { first: 50 }, [
  firstPage('/webhook_deliveries', 50),
]);

/** What everyone is asked. Lists are asked for by `edges { cursor node }`, as Relay and Apollo Client do. */
export const queries: readonly BenchQuery[] = [
  query('q1', '20 connections, 6 fields each', { first: 20 }, [firstPage('/ip_connections', 20)]),
  q2,
  computed(q2, 'Q2 with `ipAuthenticationTokenSet`', { 'outbound {': 'ipAuthenticationTokenSet' }),
  q3,
  computed(q3, 'Q3 with `durationMs`, `attemptCount`, `newestAttempt { status }`', {
    'node {': 'durationMs attemptCount newestAttempt { status }',
  }),
  query('q4', 'charges summary, lines of both shapes', period, [report('summary?')]),
  query('q6', 'all five root fields in one operation', { first: 20, ...period }, [
    report('summary?'),
    report('breakdown?format=json&'),
    firstPage('/ip_connections', 20),
    firstPage('/ai/missions', 20),
    firstPage('/webhook_deliveries', 20),
  ]),
];

/** The document of a query by the API's own names and envelopes. */
export const wireDocument = ({ name }: BenchQuery): string => read(`wire/queries/${name}.graphql`);
