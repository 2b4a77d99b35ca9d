import { expect, type Gateway } from '../../support/gateway.ts';
import { kindOf, type Kind } from '../../lists/look-up/kind.ts';
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
  const [declared, used] =
    filter === undefined ? ['', ''] : ['query ($filter: WebhookDeliveryFilter)', 'filter: $filter'];
  const { data, errors } = await gateway.query(
    `${declared} {
      ${name}(${given.join(', ')} ${used}) {
        nodes { id }
        pageInfo { startCursor endCursor hasNextPage hasPreviousPage }
      }
    }`,
    { variables: { filter } },
  );
  expect(errors).toEqual([]);
  const { nodes, pageInfo } = data[name];
  return { ids: nodes.map(({ id }: { id: string }) => id), ...pageInfo };
}

/** All pages, one turn after the other; with `last` from the end of the list. */
export async function* pagesBy<Shown extends Page>(read: (turn: Turn) => Promise<Shown>, turn: Turn) {
  const isBackward = turn.last !== undefined;
  for (let cursor: string | null = null; ;) {
    const page: Shown = await read({ ...turn, [isBackward ? 'before' : 'after']: cursor });
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
