import type { JsonRecord } from '../../../support/records.ts';
import type { Client, Random, Step } from '../types.ts';
import type { Account, Row } from '../model/account.ts';
import type { Model, Reply } from '../model/model.ts';
import { argumentOf } from './words.ts';

/** Steps that ask which deliveries belong to a connection. */
export function makeRelationStep(random: Random, at: number, caller: number, replica: number): Step {
  return {
    at,
    kind: 'owned',
    caller,
    replica,
    first: random.pick([1, 5, 20, 60]),
    share: random.next(),
    isFiltered: random.chance(0.5),
  };
}

/** The connection that a delivery belongs to, by the client guide. */
function ownerOf({ record }: Row, connections: readonly Row[]): string | null {
  const { payload } = record['webhook'] as { payload: JsonRecord };
  const named = connections.find(({ id }) => id === payload['connection_id']);
  if (named !== undefined) return named.id;
  const attempts = record['attempts'] as readonly { http: { request: { url: string } } }[];
  for (const { http } of attempts) {
    const { url } = http.request;
    const owners = connections.filter(
      (each) => each.record['webhook_event_url'] === url || each.record['webhook_event_failover_url'] === url,
    );
    if (owners.length === 1) return owners[0]?.id ?? null;
  }
  return null;
}

interface OwnedPage {
  readonly nodes: readonly { readonly id: string; readonly ipConnection: { readonly id: string } | null }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

/** The deliveries of a connection, page after page, while nothing moves: its own in the order of the list, and each names it. */
export async function playOwned(step: Step, model: Model, account: Account, client: Client): Promise<void> {
  const { connections, deliveries } = account.lists;
  const connection = connections.rows[Math.floor(argumentOf<number>(step, 'share') * connections.rows.length)];
  if (connection === undefined) return;
  const first = argumentOf<number>(step, 'first');
  const replica = argumentOf<number>(step, 'replica');
  const isFiltered = step['isFiltered'] === true;
  const what = `deliveries of ${connection.id} of ${account.number}, ${first} a page${isFiltered ? ', by filter' : ''}`;
  const shown: string[] = [];
  let from = Infinity;
  let after: string | null = null;
  for (let turn = 0; turn < 12; turn++) {
    const page = `(first: ${first}${after === null ? '' : `, after: "${after}"`}`;
    const fields = 'nodes { id ipConnection { id } } pageInfo { hasNextPage endCursor }';
    const document = isFiltered
      ? `{ list: webhookDeliveries${page}, filter: { connectionId: "${connection.id}" }) { ${fields} } }`
      : `{ connection: ipConnection(id: "${connection.id}") { webhookDeliveries${page}) { ${fields} } } }`;
    const reply: Reply | null = await model.ask(client, { account, replica, document });
    const list: OwnedPage | undefined = isFiltered ? reply?.data?.list : reply?.data?.connection?.webhookDeliveries;
    if (reply === null || list == null || reply.errors.length > 0) return;
    from = Math.min(from, reply.from);
    if ([connections, deliveries].some((each) => each.between(from, reply.to).length > 1)) return;
    shown.push(...list.nodes.map(({ id }) => id));
    const expected = deliveries.rows.filter((row) => ownerOf(row, connections.rows) === connection.id);
    // Rows of one moment that are found by different filters have no order of their own.
    const moments = new Map(expected.map(({ id, moment }) => [id, moment]));
    const wrong = shown.findIndex((id, index) => moments.get(id) !== expected[index]?.moment);
    const stray = list.nodes.find(({ ipConnection }) => ipConnection?.id !== connection.id);
    if (wrong >= 0 || new Set(shown).size < shown.length || stray !== undefined)
      return model.breach(
        'a connection and its deliveries agree',
        `${shown.length} of ${expected.length} shown, ${shown[wrong] ?? stray?.id} instead of ${expected[wrong]?.id}: ${what}`,
      );
    if (!list.pageInfo.hasNextPage && shown.length < expected.length)
      return model.breach('a list is never short in silence', `${shown.length} of ${expected.length}: ${what}`);
    model.count('owned');
    if (!list.pageInfo.hasNextPage) return;
    after = list.pageInfo.endCursor;
  }
}
