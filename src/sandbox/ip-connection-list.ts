import { badSort } from './errors.ts';
import { ipConnections, sipDomain, type IpConnection } from './ip-connection.ts';
import { clampedPage, paged } from './page.ts';
import { containingAnyCase, exactly, value, type Query } from './query.ts';
import type { Route } from './routes.ts';

const largestPage = 250;

type Order = (a: IpConnection, b: IpConnection) => number;

function compare<T extends string | boolean>(a: T | null, b: T | null, sign: number): number {
  if (a === b) return 0;
  // Rows without the value come last in both directions.
  if (a === null || b === null) return a === null ? 1 : -1;
  return a < b ? -sign : sign;
}

function orderOf(sort: string): Order {
  const sign = sort.startsWith('-') ? -1 : 1;
  const name = sort.startsWith('-') ? sort.slice(1) : sort;
  if (name !== 'created_at' && name !== 'connection_name' && name !== 'active') throw badSort();
  return (a, b) => compare<string | boolean>(a[name], b[name], sign) || compare(a.id, b.id, 1);
}

function fqdn(row: IpConnection): string | null {
  const subdomain = row.inbound?.sip_subdomain ?? null;
  return subdomain === null ? null : `${subdomain}.${sipDomain}`;
}

/** GET /ip_connections, newest first unless `sort` says otherwise. */
export function listIpConnections(query: Query) {
  const page = clampedPage(query, largestPage);
  const order = orderOf(value(query, 'sort') ?? '-created_at');
  const named = exactly(query, 'filter[connection_name]');
  const nameContains = containingAnyCase(query, 'filter[connection_name][contains]');
  const reachedAt = exactly(query, 'filter[fqdn]');
  const profiled = exactly(query, 'filter[outbound_voice_profile_id]');
  const alsoProfiled = exactly(query, 'filter[outbound.outbound_voice_profile_id]');
  const kept = ipConnections.all().filter((row) => {
    const profile = row.outbound?.outbound_voice_profile_id;
    const names = named(row.connection_name) && nameContains(row.connection_name);
    return names && reachedAt(fqdn(row)) && profiled(profile) && alsoProfiled(profile);
  });
  return paged(kept.sort(order), page, (row) => row);
}

export const route: Route = { path: '/ip_connections', list: listIpConnections, find: (id) => ipConnections.find(id) };
