import DataLoader from 'dataloader';
import { listIpConnections, type IpConnectionRecord } from '../upstream/operations/ip-connection.ts';
import type { Loaders } from '../loaders/loaders.ts';
import type { LookUpOptions } from './look-up-options.ts';
import { beyondScan, scanList } from './scan.ts';

/**
 * The connections that have an address for their webhooks, by address. No filter of the upstream knows these addresses, so
 * the whole list is read, once for all addresses of a request; QUERY_TOO_COMPLEX where it is longer than may be read.
 */
export function createOwnerLookUp(
  loaders: Loaders,
  { scanPages }: LookUpOptions,
): DataLoader<string, readonly IpConnectionRecord[]> {
  return new DataLoader(async (urls) => {
    const owners = new Map<string, IpConnectionRecord[]>(urls.map((url) => [url, []]));
    const { outcome, total } = await scanList(listIpConnections, {}, loaders, scanPages, (connections) => {
      for (const connection of connections) {
        for (const url of webhookUrlsOf(connection)) if (connection !== null) owners.get(url)?.push(connection);
      }
      return false;
    });
    if (outcome === 'exhausted') throw beyondScan(listIpConnections, scanPages, total);
    return urls.map((url) => owners.get(url) ?? []);
  });
}

/** The addresses to which a connection's events are sent, each once; none for what is no connection. */
export function webhookUrlsOf(connection: IpConnectionRecord | null): readonly string[] {
  const { webhook_event_url: url, webhook_event_failover_url: failoverUrl } = connection ?? {};
  return [...new Set([url, failoverUrl])].filter((value) => typeof value === 'string' && value !== '') as string[];
}
