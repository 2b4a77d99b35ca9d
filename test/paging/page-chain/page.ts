import { expect, type Gateway } from '../../support/gateway.ts';
import type { ListPath } from '../../support/moving-upstream.ts';
import type { ScriptedUpstream } from '../../support/scripted-upstream.ts';

/** A list as a field, and where it is upstream. */
export interface Field {
  readonly name: 'ipConnections' | 'missions' | 'webhookDeliveries';
  readonly path: ListPath;
}

/** A list that is paged through as it is; missions are as well. */
export const unpinned: Field = { name: 'ipConnections', path: '/ip_connections' };
/** A list whose later pages are those of before its newest row. */
export const pinned: Field = { name: 'webhookDeliveries', path: '/webhook_deliveries' };

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
  readonly filter?: object;
}

/** Reads one page, which has no errors. */
export async function readPage(gateway: Gateway, name: Field['name'], { filter, ...window }: Turn): Promise<Page> {
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

/** The upstream calls since the last look. */
export function takeCalls(upstream: ScriptedUpstream): readonly Readonly<Record<string, string>>[] {
  return upstream.requests.splice(0).map(({ query }) => query);
}
