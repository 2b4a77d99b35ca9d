import type { Gateway } from '../../support/gateway.ts';
import { kindOf, type Kind } from '../../lists/look-up/kind.ts';
import type { Json } from '../../support/records.ts';
import type { ScriptedUpstream } from '../../support/scripted-upstream.ts';

/** A list that is paged through as it is; missions are as well. */
export const unpinned: Kind = kindOf('ipConnections');
/** A list whose later pages are those of before its newest row. */
export const pinned: Kind = kindOf('webhookDeliveries');

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

/** The arguments of one page. */
export interface Turn {
  readonly first?: number;
  readonly after?: string | null;
  readonly last?: number;
  readonly before?: string | null;
  readonly offset?: number;
  readonly filter?: object;
}

/** Reads one page, which has no errors. */
export async function readPage(gateway: Gateway, name: Kind['list'], { filter, ...window }: Turn): Promise<Page> {
  const given = Object.entries(window).map(([argument, value]) => `${argument}: ${JSON.stringify(value)}`);
  if (filter !== undefined) given.push('filter: $filter');
  const data = await gateway.data(
    `query ${filter === undefined ? '' : '($filter: WebhookDeliveryFilter)'} {
      list: ${name}${given.length === 0 ? '' : `(${given.join(', ')})`} { nodes { id } totalCount offset
        pageInfo { startCursor endCursor hasNextPage hasPreviousPage } }
    }`,
    { variables: { filter } },
  );
  return pageOf(data.list);
}

/** A page as it is written here. */
export const pageOf = ({ nodes, pageInfo, totalCount, offset }: Json): Page => ({
  ids: nodes.map(({ id }: { readonly id: string }) => id),
  ...pageInfo,
  totalCount,
  offset,
});

/** All pages, one turn after the other; with `last` from the end of the list. */
export async function* pagesBy(read: (turn: Turn) => Promise<Page>, turn: Turn) {
  const isBackward = turn.last !== undefined;
  for (let cursor: string | null = null; ;) {
    const page: Page = await read({ ...turn, [isBackward ? 'before' : 'after']: cursor });
    yield page;
    cursor = isBackward ? page.startCursor : page.endCursor;
    if (!(isBackward ? page.hasPreviousPage : page.hasNextPage) || cursor === null) return;
  }
}

/** The same of a list, with pages of one size. */
export const pagesOf = (gateway: Gateway, name: Kind['list'], size: number, isForward = true) =>
  pagesBy((turn) => readPage(gateway, name, turn), isForward ? { first: size } : { last: size });

/** The upstream calls since the last look. */
export function takeCalls(upstream: ScriptedUpstream): readonly Readonly<Record<string, string>>[] {
  return upstream.requests.splice(0).map(({ query }) => query);
}
