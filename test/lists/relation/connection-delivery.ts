import { expect, type Gateway } from '../../support/gateway.ts';
import { attemptAt, MovingUpstream } from '../../support/moving-upstream.ts';
import type { JsonRecord } from '../../support/records.ts';
import type { ScriptedUpstream, SeenRequest } from '../../support/scripted-upstream.ts';

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
export function script(upstream: ScriptedUpstream, urls: readonly (string | null)[], deliveries: MovingUpstream): void {
  const [url, failoverUrl] = urls;
  const connections = new MovingUpstream('/ip_connections', 1, () => ({
    webhook_event_url: url,
    webhook_event_failover_url: failoverUrl,
  }));
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

/** One page as a client sees it. */
export interface Page {
  readonly ids: readonly string[];
  readonly startCursor: string | null;
  readonly endCursor: string | null;
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly totalCount: number | null;
  readonly offset: number | null;
}

/** What one page is asked for with. */
export interface Turn {
  readonly first?: number;
  readonly after?: string | null;
  readonly last?: number;
  readonly before?: string | null;
  readonly filter?: object;
}

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
  const { data, errors } = await gateway.query(relation, { variables: { ...turn } });
  expect(errors).toEqual([]);
  const { nodes, pageInfo, totalCount, offset } = data.ipConnections.nodes[0].webhookDeliveries;
  return { ids: nodes.map(({ id }: { id: string }) => id), ...pageInfo, totalCount, offset };
}

/** All pages, one behind the other; `happen` may change the list between two. */
export async function readAll(
  gateway: Gateway,
  turn: Turn,
  happen: (turn: number) => void = () => {},
): Promise<readonly Page[]> {
  const pages = [await readPage(gateway, turn)];
  for (let page = pages[0]; page?.hasNextPage === true && pages.length < 200; page = pages.at(-1)) {
    happen(pages.length);
    expect(page.endCursor).not.toBeNull();
    pages.push(await readPage(gateway, { ...turn, after: page.endCursor }));
  }
  return pages;
}

/** All pages from the end, one before the other; `happen` may change the list between two. */
export async function readBack(
  gateway: Gateway,
  turn: Turn,
  happen: (turn: number) => void = () => {},
): Promise<readonly Page[]> {
  const pages = [await readPage(gateway, turn)];
  for (let page = pages[0]; page?.hasPreviousPage === true && pages.length < 200; page = pages[0]) {
    happen(pages.length);
    expect(page.startCursor).not.toBeNull();
    pages.unshift(await readPage(gateway, { ...turn, before: page.startCursor }));
  }
  return pages;
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
