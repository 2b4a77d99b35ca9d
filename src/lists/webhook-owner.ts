import DataLoader from 'dataloader';
import { listIpConnections, type IpConnectionRecord } from '../upstream/operations/ip-connection.ts';
import type { Loaders } from '../loaders/loaders.ts';
import type { LookUpOptions } from './look-up-options.ts';
import { beyondScan, scanList, scanStill } from './scan.ts';

/**
 * The connections that have an address for their webhooks, by address. No filter of the upstream knows these addresses, so
 * the whole list is read, once for all addresses of a request; QUERY_TOO_COMPLEX where it is longer than may be read.
 */
export function createOwnerLookUp(
  loaders: Loaders,
  { scanPages }: LookUpOptions,
): DataLoader<string, readonly IpConnectionRecord[]> {
  return new DataLoader(async (urls) => {
    let owners = new Map<string, Owners>();
    const { outcome, total } = await scanStill((fresh) => {
      owners = new Map(urls.map((url) => [url, new Map()]));
      const visit = (connections: readonly (IpConnectionRecord | null)[]): boolean => noteOwners(owners, connections);
      return scanList(listIpConnections, {}, loaders, scanPages, visit, fresh);
    });
    if (outcome === 'exhausted') throw beyondScan(listIpConnections, scanPages, total);
    return urls.map((url) => [...(owners.get(url)?.values() ?? [])]);
  });
}

/** By identifier: a connection that moves on while the list is read is seen twice, and is one owner all the same. */
type Owners = Map<unknown, IpConnectionRecord>;

function noteOwners(owners: ReadonlyMap<string, Owners>, connections: readonly (IpConnectionRecord | null)[]): false {
  for (const connection of connections) {
    if (connection === null) continue;
    for (const url of webhookUrlsOf(connection)) owners.get(url)?.set(connection.id ?? connection, connection);
  }
  return false;
}

/** The addresses to which a connection's events are sent, each once; none for what is no connection. */
export function webhookUrlsOf(connection: IpConnectionRecord | null): readonly string[] {
  const { webhook_event_url: url, webhook_event_failover_url: failoverUrl } = connection ?? {};
  return [...new Set([url, failoverUrl])].filter((value) => typeof value === 'string' && value !== '') as string[];
}
