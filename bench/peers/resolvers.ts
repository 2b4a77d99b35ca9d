import { readFileSync } from 'node:fs';
import { makeExecutableSchema } from '@graphql-tools/schema';
import { GraphQLScalarType, isIntrospectionType, isObjectType, type GraphQLSchema } from 'graphql';
import { fetchUpstream, type Fetch, type Parameters } from './upstream.ts';

/** Switchboard's own schema, as its clients see it. */
const typeDefs = readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8');

/** What graphql-jit can leave out where the upstream is believed: values go as they came, and errors have no stack. */
export const trusting = { disableLeafSerialization: true, disablingCapturingStackErrors: true };

export interface PeerContext {
  readonly fetch: Fetch;
}

/** The context of a request: one way to fetch, with the caller's key. */
export function contextOf(authorization = ''): PeerContext {
  return { fetch: (path, parameters) => fetchUpstream(path, parameters, authorization) };
}

interface PageArgs {
  readonly first?: number | null;
  readonly after?: string | null;
}

/** The filters that the benchmark's queries have. */
interface ConnectionArgs extends PageArgs {
  readonly filter?: { readonly fqdn?: string | null } | null;
}

interface DeliveryArgs extends PageArgs {
  readonly filter?: { readonly webhook?: { readonly contains?: string | null } | null } | null;
}

interface Dates {
  readonly startDate: string;
  readonly endDate: string;
}

/** Rows as the upstream sent them, and where they stand. Nothing else of the connection is made before it is selected. */
interface Page {
  readonly nodes: readonly unknown[];
  readonly from: number;
  readonly totalCount: number;
}

const cursorOf = (offset: number): string => Buffer.from(`offset:${offset}`).toString('base64');
const offsetOf = (cursor: string | null | undefined): number =>
  cursor == null ? 0 : Number(Buffer.from(cursor, 'base64').toString().slice('offset:'.length)) + 1;

async function readPage(path: string, { first, after }: PageArgs, filter: Parameters | undefined, fetch: Fetch) {
  const size = first ?? 20;
  const from = offsetOf(after);
  const page = { 'page[number]': Math.floor(from / size) + 1, 'page[size]': size };
  const { data, meta } = await fetch(path, filter === undefined ? page : { ...page, ...filter });
  return { nodes: data, from, totalCount: meta.total_results } as Page;
}

const ipConnections = (_: unknown, args: ConnectionArgs, { fetch }: PeerContext): Promise<Page> => {
  const fqdn = args.filter?.fqdn;
  return readPage('/ip_connections', args, fqdn == null ? undefined : { 'filter[fqdn]': fqdn }, fetch);
};

const webhookDeliveries = (_: unknown, args: DeliveryArgs, { fetch }: PeerContext): Promise<Page> => {
  const part = args.filter?.webhook?.contains;
  const filter = part == null ? undefined : { 'filter[webhook][contains]': part };
  return readPage('/webhook_deliveries', args, filter, fetch);
};

const missions = (_: unknown, args: PageArgs, { fetch }: PeerContext): Promise<Page> =>
  readPage('/ai/missions', args, undefined, fetch);

const report =
  (path: string, more: Parameters = {}) =>
  async (_: unknown, { startDate, endDate }: Dates, { fetch }: PeerContext) => {
    const { data } = await fetch(path, { start_date: startDate, end_date: endDate, ...more });
    return data;
  };

const durationMs = ({ started_at, finished_at }: any) => Date.parse(finished_at) - Date.parse(started_at);
const newestAttempt = ({ attempts }: any) =>
  attempts.reduce((newest: any, one: any) => (one.started_at > newest.started_at ? one : newest));

const connectionType = {
  edges: ({ nodes, from }: Page) => nodes.map((node, index) => ({ node, cursor: cursorOf(from + index) })),
  pageInfo: (page: Page) => page,
  totalCount: ({ totalCount }: Page) => totalCount,
};

/** The resolvers whose fields are not just a member of the record under another name. */
const resolvers: Record<string, any> = {
  ...Object.fromEntries(
    ['Date', 'DateTime', 'Decimal', 'JSONObject'].map((name) => [name, new GraphQLScalarType({ name })]),
  ),
  Query: {
    ipConnections,
    missions,
    webhookDeliveries,
    chargesSummary: report('/charges_summary'),
    chargesBreakdown: report('/charges_breakdown', { format: 'json' }),
  },
  IpConnectionConnection: connectionType,
  MissionConnection: connectionType,
  WebhookDeliveryConnection: connectionType,
  ChargesBreakdownResultConnection: connectionType,
  PageInfo: {
    hasNextPage: ({ nodes, from, totalCount }: Page) => from + nodes.length < totalCount,
    hasPreviousPage: ({ from }: Page) => from > 0,
    startCursor: ({ nodes, from }: Page) => (nodes.length === 0 ? null : cursorOf(from)),
    endCursor: ({ nodes, from }: Page) => (nodes.length === 0 ? null : cursorOf(from + nodes.length - 1)),
  },
  IpConnectionOutbound: { ipAuthenticationTokenSet: (outbound: any) => outbound.ip_authentication_token != null },
  WebhookDelivery: { durationMs, attemptCount: ({ attempts }: any) => attempts.length, newestAttempt },
  WebhookDeliveryAttempt: { durationMs },
  Mission: { id: (mission: any) => mission.mission_id },
  ChargesBreakdown: {
    results: ({ results }: { results: unknown[] }, { first, after }: PageArgs): Page => {
      const from = offsetOf(after);
      return { nodes: results.slice(from, from + (first ?? 20)), from, totalCount: results.length };
    },
  },
  IpConnectionInbound: {
    timeout1xxSecs: (inbound: any) => inbound.timeout_1xx_secs,
    timeout2xxSecs: (inbound: any) => inbound.timeout_2xx_secs,
  },
  SummaryLine: {
    __resolveType: ({ type }: { type: string }) => (type === 'simple' ? 'SimpleLine' : 'ComparativeLine'),
  },
  HttpHeader: { name: (pair: readonly string[]) => pair[0], value: (pair: readonly string[]) => pair[1] },
};

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/**
 * The schema with plain resolvers over the records as they came: `connectionName` is `(row) => row.connection_name`. Each has code of its
 * own, as if it had been written by hand: one function for all would look up every name anew.
 */
export function peerSchema(): GraphQLSchema {
  const schema = makeExecutableSchema({
    typeDefs,
    resolvers,
    resolverValidationOptions: { requireResolversToMatchSchema: 'ignore' },
  });
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || isIntrospectionType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const wireName = snakeCase(field.name);
      if (field.resolve !== undefined || wireName === field.name || !/^\w+$/.test(wireName)) continue;
      field.resolve = new Function('row', `return row.${wireName};`) as NonNullable<typeof field.resolve>;
    }
  }
  return schema;
}
