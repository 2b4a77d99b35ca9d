import { readFileSync } from 'node:fs';
import { GraphQLScalarType } from 'graphql';
import { request } from 'undici';

/** Switchboard's own schema, as its clients see it. */
export const typeDefs = readFileSync(new URL('../../src/generated/client-schema.graphql', import.meta.url), 'utf8');

/** Reads `path` of the upstream as JSON, with the caller's key. */
export type Fetch = (path: string, parameters: Readonly<Record<string, unknown>>) => Promise<unknown>;

export interface PeerContext {
  readonly fetch: Fetch;
}

const baseUrl = process.env['UPSTREAM_BASE_URL'] ?? '';

/** The context of a request: one way to fetch, through undici's global agent. */
export function contextOf(authorization: string | undefined): PeerContext {
  return {
    async fetch(path, parameters) {
      const url = `${baseUrl}${path}?${queryString(parameters)}`;
      const { statusCode, body } = await request(url, {
        headers: { accept: 'application/json', authorization: authorization ?? '' },
      });
      if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}.`);
      return body.json();
    },
  };
}

/** Parameters as a query string. */
export function queryString(parameters: Readonly<Record<string, unknown>>): string {
  return new URLSearchParams(Object.entries(parameters).map(([name, value]) => [name, String(value)])).toString();
}

const freeForm = new Set(['metadata', 'payload']);
const camelCase = (name: string): string => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** The whole of an answer under the names of the schema; what is free-form stays as it is. */
function camelCased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelCased);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [camelCase(name), freeForm.has(name) ? item : camelCased(item)]),
  );
}

interface PageArgs {
  readonly first?: number | null;
  readonly after?: string | null;
}

interface Dates {
  readonly startDate: string;
  readonly endDate: string;
}

const cursorOf = (offset: number): string => Buffer.from(`offset:${offset}`).toString('base64');
const offsetOf = (cursor: string | null | undefined): number =>
  cursor == null ? 0 : Number(Buffer.from(cursor, 'base64').toString().slice('offset:'.length)) + 1;

function connection(nodes: readonly unknown[], from: number, totalCount: number) {
  return {
    nodes,
    edges: nodes.map((node, index) => ({ node, cursor: cursorOf(from + index) })),
    totalCount,
    pageInfo: {
      hasNextPage: from + nodes.length < totalCount,
      hasPreviousPage: from > 0,
      startCursor: nodes.length === 0 ? null : cursorOf(from),
      endCursor: nodes.length === 0 ? null : cursorOf(from + nodes.length - 1),
    },
  };
}

const list =
  (path: string, convert: (row: any) => unknown = (row) => row) =>
  async (_: unknown, { first, after }: PageArgs, { fetch }: PeerContext) => {
    const size = first ?? 20;
    const from = offsetOf(after);
    const page = { 'page[number]': Math.floor(from / size) + 1, 'page[size]': size };
    const { data, meta } = camelCased(await fetch(path, page)) as { data: unknown[]; meta: { totalResults: number } };
    return connection(data.map(convert), from, meta.totalResults);
  };

const headersOf = (pairs: [string, string][] | null) => pairs?.map(([name, value]) => ({ name, value }));

async function report(path: string, { startDate, endDate }: Dates, { fetch }: PeerContext, more = {}) {
  const { data } = camelCased(await fetch(path, { start_date: startDate, end_date: endDate, ...more })) as {
    data: any;
  };
  return data;
}

const scalar = (name: string): GraphQLScalarType => new GraphQLScalarType({ name });

/** Resolvers as they are written where nothing but the answer is asked for. */
export const resolvers: Record<string, any> = {
  Date: scalar('Date'),
  DateTime: scalar('DateTime'),
  Decimal: scalar('Decimal'),
  JSONObject: scalar('JSONObject'),
  Query: {
    ipConnections: list('/ip_connections'),
    missions: list('/ai/missions', ({ missionId, ...mission }) => ({ id: missionId, ...mission })),
    webhookDeliveries: list('/webhook_deliveries'),
    chargesSummary: (_: unknown, dates: Dates, context: PeerContext) => report('/charges_summary', dates, context),
    chargesBreakdown: (_: unknown, dates: Dates, context: PeerContext) =>
      report('/charges_breakdown', dates, context, { format: 'json' }),
  },
  ChargesBreakdown: {
    results: ({ results }: { results: unknown[] }, { first, after }: PageArgs) => {
      const from = offsetOf(after);
      return connection(results.slice(from, from + (first ?? 20)), from, results.length);
    },
  },
  SummaryLine: {
    __resolveType: ({ type }: { type: string }) => (type === 'simple' ? 'SimpleLine' : 'ComparativeLine'),
  },
  Node: {
    __resolveType: ({ recordType }: { recordType?: string }) => {
      if (recordType === 'ip_connection') return 'IpConnection';
      return recordType === 'webhook_delivery' ? 'WebhookDelivery' : 'Mission';
    },
  },
  AttemptRequest: { headers: ({ headers }: any) => headersOf(headers) },
  AttemptResponse: { headers: ({ headers }: any) => headersOf(headers) },
};
