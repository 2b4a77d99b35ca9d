import type { Gateway } from '../../support/gateway.ts';
import { pageOf, pagesBy, type Page, type Turn } from '../../paging/page-chain/page.ts';
import { attemptAt, MovingUpstream } from '../../support/moving-upstream.ts';
import type { JsonRecord } from '../../support/records.ts';
import type { Script, ScriptedUpstream, SeenRequest } from '../../support/scripted-upstream.ts';

/** Addresses that deliveries go to; the longer one holds the main one. */
export const main: string = 'https://hooks.example.com/hooks';
export const backup = 'https://backup.example.com/hooks';
export const longer = `${main}/eu`;

/** Filters of the upstream. */
export const contains = 'filter[attempts][contains]';
export const eventContains = 'filter[webhook][contains]';
export const gte = 'filter[started_at][gte]';
export const lte = 'filter[started_at][lte]';

/** One connection with these addresses, and deliveries, behind one upstream. */
export function script(
  upstream: ScriptedUpstream,
  [webhook_event_url, webhook_event_failover_url]: readonly (string | null)[],
  deliveries: { readonly answer: Script },
): void {
  const urls = { webhook_event_url, webhook_event_failover_url };
  const connections = new MovingUpstream('/ip_connections', 1, () => urls);
  upstream.script((request) => (request.path === connections.path ? connections : deliveries).answer(request));
}

/** Deliveries that tried these addresses, and began then; else each a little before the one above it. */
export const deliveriesTo = (
  size: number,
  urlsOf: (index: number) => readonly string[],
  startOf?: (index: number) => string | null,
) =>
  new MovingUpstream('/webhook_deliveries', size, (index) => ({
    attempts: urlsOf(index).map((url) => attemptAt(url)),
    ...(startOf !== undefined && { started_at: startOf(index) }),
  }));

/** An event that names a connection. */
export const naming = (id: unknown): JsonRecord => ({ webhook: { payload: { connection_id: id } } });

/** A page of the deliveries of one connection. */
export const relation = `query ($first: Int, $after: String, $last: Int, $before: String, $filter: WebhookDeliveryFilter) {
  ipConnections(first: 1) { nodes {
    webhookDeliveries(first: $first, after: $after, last: $last, before: $before, filter: $filter) {
      nodes { id }
      edges { cursor }
      pageInfo { startCursor endCursor hasNextPage hasPreviousPage }
      totalCount
      offset
    }
  } }
}`;

/** Reads one page, which has no errors. */
export async function readPage(gateway: Gateway, turn: Turn = {}): Promise<Page> {
  const data = await gateway.data(relation, { variables: { ...turn } });
  return pageOf(data.ipConnections.nodes[0].webhookDeliveries);
}

/** All pages in their order, with `last` read from the end; `happen` may change the list behind each. */
export async function readAll(gateway: Gateway, turn: Turn, happen: () => void = () => {}): Promise<readonly Page[]> {
  const pages: Page[] = [];
  for await (const page of pagesBy((each) => readPage(gateway, each), turn)) {
    pages.push(page);
    happen();
  }
  return turn.last === undefined ? pages : pages.toReversed();
}

/** The deliveries of all pages, in order. */
export const idsOf = (pages: readonly Page[]): readonly string[] => pages.flatMap(({ ids }) => ids);

/** What the lists by address were asked since the last time. */
export function takeCalls(upstream: ScriptedUpstream): readonly SeenRequest['query'][] {
  return upstream.requests
    .splice(0)
    .filter(({ path, query }) => path === '/webhook_deliveries' && query[eventContains] === undefined)
    .map(({ query }) => query);
}
