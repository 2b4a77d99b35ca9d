import DataLoader from 'dataloader';
import { listIpConnections, type IpConnectionRecord } from './ip-connection.ts';
import type { Loaders } from '../lists/loaders.ts';
import { CallBudget } from '../paging/source.ts';
import { listSource } from '../lists/list-source.ts';
import type { LookUpOptions } from '../lists/look-up-options.ts';
import { beyondScan, scanList, scanStill, type Scanned } from '../lists/scan.ts';

/**
 * The connections whose webhooks go to an address. No filter of the upstream finds them, so the whole list is read, once for all
 * addresses of a request; throws QUERY_TOO_COMPLEX where that takes more than `scanPages` calls.
 */
export function createOwnerLookUp(
  loaders: Loaders,
  { scanPages }: LookUpOptions,
): DataLoader<string, readonly IpConnectionRecord[]> {
  const budget = new CallBudget(scanPages);
  const source = listSource(listIpConnections, {}, loaders, { budget });
  let scan: Promise<Scanned<IpConnectionRecord | null>> | null = null;
  // What is asked for later in the request reads the same rows; a scan that failed is made again.
  const scanOnce = (): Promise<Scanned<IpConnectionRecord | null>> => {
    scan ??= scanStill<IpConnectionRecord | null>((how) => scanList(source, how)).catch((error: unknown) => {
      scan = null;
      throw error;
    });
    return scan;
  };
  return new DataLoader(async (urls) => {
    const { outcome, rows, total } = await scanOnce();
    if (outcome === 'exhausted') throw beyondScan(listIpConnections, scanPages, rows.length, total);
    const owners = new Map<string, Owners>(urls.map((url) => [url, new Map()]));
    addOwners(owners, rows);
    return urls.map((url) => [...(owners.get(url)?.values() ?? [])]);
  });
}

/** By identifier: a connection that moves while the list is read is read twice, and is still one owner. */
type Owners = Map<unknown, IpConnectionRecord>;

function addOwners(owners: ReadonlyMap<string, Owners>, connections: readonly (IpConnectionRecord | null)[]): void {
  for (const connection of connections) {
    if (connection === null) continue;
    for (const url of webhookUrlsOf(connection)) owners.get(url)?.set(connection.id ?? connection, connection);
  }
}

/** The addresses to which a connection's events are sent, each once; none for null. */
export function webhookUrlsOf(connection: IpConnectionRecord | null): readonly string[] {
  const { webhook_event_url: url, webhook_event_failover_url: failoverUrl } = connection ?? {};
  return [...new Set([url, failoverUrl])].filter((value) => typeof value === 'string' && value !== '') as string[];
}
