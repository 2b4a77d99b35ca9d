import type { JsonRecord } from '../../../support/records.ts';
import type { Client, Random, Step } from '../types.ts';
import type { Account, Row } from '../model/account.ts';
import type { Model, Reply } from '../model/model.ts';
import { microsOf } from '../model/view.ts';
import { argumentOf } from './words.ts';

/** Steps that ask who belongs to whom, and for numbers of deliveries. */
export function makeRelationStep(random: Random, at: number, caller: number, replica: number): Step {
  const kind = random.pick(['owner', 'owned', 'counts', 'failures']);
  return {
    at,
    kind,
    caller,
    replica,
    first: random.pick([1, 5, 20, 60]),
    share: random.next(),
    hours: random.pick([2, 5, 24]),
    isFiltered: random.chance(0.5),
  };
}

const urlsOf = (delivery: JsonRecord): readonly string[] =>
  (delivery['attempts'] as readonly { http: { request: { url: string } } }[]).map(({ http }) => http.request.url);

/** The connection that a delivery belongs to, by the client guide. */
function ownerOf({ record }: Row, connections: readonly Row[]): string | null {
  const { payload } = record['webhook'] as { payload: JsonRecord };
  const named = connections.find(({ id }) => id === payload['connection_id']);
  if (named !== undefined) return named.id;
  for (const url of urlsOf(record)) {
    const owners = connections.filter(
      (each) => each.record['webhook_event_url'] === url || each.record['webhook_event_failover_url'] === url,
    );
    if (owners.length === 1) return owners[0]?.id ?? null;
  }
  return null;
}

/** The lists of an account where both stood still; null where one has moved. */
function stillLists(
  { lists }: Account,
  { from, to }: Reply,
): { readonly connections: readonly Row[]; readonly deliveries: readonly Row[] } | null {
  const [connections, ...more] = lists.connections.between(from, to);
  const [deliveries, ...others] = lists.deliveries.between(from, to);
  if (connections === undefined || deliveries === undefined || more.length + others.length > 0) return null;
  return { connections: connections.rows, deliveries: deliveries.rows };
}

/** The connections of deliveries. */
export async function playOwner(step: Step, model: Model, client: Client): Promise<void> {
  const account = model.account(step);
  if (account === undefined) return;
  const document = `{ webhookDeliveries(first: ${argumentOf<number>(step, 'first')}) { nodes { id ipConnection { id } } } }`;
  const reply = await model.ask(client, { account, replica: argumentOf<number>(step, 'replica'), document });
  const nodes: readonly { id: string; ipConnection: { id: string } | null }[] | undefined =
    reply?.data?.webhookDeliveries?.nodes;
  if (reply === null || nodes === undefined || reply.errors.length > 0) return;
  const still = stillLists(account, reply);
  if (still === null) return;
  for (const { id, ipConnection } of nodes) {
    const delivery = still.deliveries.find((row) => row.id === id);
    const owner = delivery === undefined ? null : ownerOf(delivery, still.connections);
    if ((ipConnection?.id ?? null) !== owner)
      model.breach(
        'a connection and its deliveries agree',
        `${id} belongs to ${owner}, not ${ipConnection?.id} of ${account.number}`,
      );
  }
  model.count('owners');
}

/** The deliveries of a connection, page after page. */
export async function playOwned(step: Step, model: Model, client: Client): Promise<void> {
  const account = model.account(step);
  if (account === undefined) return;
  const { rows } = account.lists.connections;
  const connection = rows[Math.floor(argumentOf<number>(step, 'share') * rows.length)];
  if (connection === undefined) return;
  const first = argumentOf<number>(step, 'first');
  const isFiltered = step['isFiltered'] === true;
  const shown: string[] = [];
  let from = Infinity;
  let after: string | null = null;
  for (let turn = 0; turn < 12; turn++) {
    const page = `(first: ${first}${after === null ? '' : `, after: "${after}"`}`;
    const fields = 'nodes { id } pageInfo { hasNextPage endCursor }';
    const document = isFiltered
      ? `{ list: webhookDeliveries${page}, filter: { connectionId: "${connection.id}" }) { ${fields} } }`
      : `{ connection: ipConnection(id: "${connection.id}") { webhookDeliveries${page}) { ${fields} } } }`;
    const reply: Reply | null = await model.ask(client, {
      account,
      replica: argumentOf<number>(step, 'replica'),
      document,
    });
    const list:
      { nodes: readonly { id: string }[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } } | undefined =
      isFiltered ? reply?.data?.list : reply?.data?.connection?.webhookDeliveries;
    if (reply === null || list == null || reply.errors.length > 0) return;
    from = Math.min(from, reply.from);
    const still = stillLists(account, { ...reply, from });
    if (still === null) return;
    shown.push(...list.nodes.map(({ id }) => id));
    const expected = still.deliveries.filter((row) => ownerOf(row, still.connections) === connection.id);
    const what = `deliveries of ${connection.id} of ${account.number}, ${first} a page${isFiltered ? ', by filter' : ''}`;
    // Rows of one moment that are found by different filters have no order of their own.
    const moments = new Map(expected.map(({ id, moment }) => [id, moment]));
    const wrong = shown.findIndex((id, index) => moments.get(id) !== expected[index]?.moment);
    if (wrong >= 0 || new Set(shown).size < shown.length)
      return model.breach(
        'a connection and its deliveries agree',
        `${shown.length} of ${expected.length} shown, ${shown[wrong]} instead of ${expected[wrong]?.id}: ${what}`,
      );
    if (!list.pageInfo.hasNextPage && shown.length < expected.length)
      return model.breach('a list is never short in silence', `${shown.length} of ${expected.length}: ${what}`);
    model.count('owned');
    if (!list.pageInfo.hasNextPage) return;
    after = list.pageInfo.endCursor;
  }
}

/** How many deliveries began in each hour. */
export async function playCounts(step: Step, model: Model, client: Client): Promise<void> {
  const account = model.account(step);
  if (account === undefined) return;
  const hours = argumentOf<number>(step, 'hours');
  // A range that begins and ends with an hour, or not.
  const hourMs = 3_600_000;
  const last = step['isFiltered'] === true ? Math.floor(model.world.now() / hourMs) * hourMs : model.world.now();
  const end = new Date(last).toISOString();
  const start = new Date(last - hours * hourMs).toISOString();
  const document = `{ deliveryCounts(startedAt: { gte: "${start}", lte: "${end}" }, interval: HOUR, statuses: ["failed"]) { buckets { start end total byStatus { status count } } } }`;
  const reply = await model.ask(client, { account, replica: argumentOf<number>(step, 'replica'), document });
  const buckets: readonly Bucket[] | undefined = reply?.data?.deliveryCounts?.buckets;
  if (reply === null || buckets === undefined) return;
  const versions = account.lists.deliveries.between(reply.from, reply.to);
  for (const [index, bucket] of buckets.entries()) {
    const isLast = index === buckets.length - 1;
    const [low, high] = [microsOf(bucket.start), microsOf(bucket.end)];
    const isWithin = ({ moment }: Row): boolean =>
      microsOf(moment) >= low && (isLast ? microsOf(moment) <= high : microsOf(moment) < high);
    const numbers = versions.map(({ rows }) => rows.filter(isWithin));
    const isRight = (count: number | null, of: (rows: readonly Row[]) => number): boolean => {
      const all = numbers.map(of);
      return count === null || (count >= Math.min(...all) && count <= Math.max(...all));
    };
    const failed = bucket.byStatus.find(({ status }) => status === 'failed')?.count ?? null;
    if (
      !isRight(bucket.total, (rows) => rows.length) ||
      !isRight(failed, (rows) => rows.filter(({ record }) => record['status'] === 'failed').length)
    )
      model.breach(
        'a count is what the list was',
        `${JSON.stringify(bucket)}: ${numbers.map(({ length }) => length).join()} of ${account.number}`,
      );
  }
  model.count('delivery counts');
}

interface Bucket {
  readonly start: string;
  readonly end: string;
  readonly total: number | null;
  readonly byStatus: readonly { readonly status: string; readonly count: number | null }[];
}

/** Why deliveries failed: each failure in one group. */
export async function playFailures(step: Step, model: Model, client: Client): Promise<void> {
  const account = model.account(step);
  if (account === undefined) return;
  const document =
    '{ deliveryFailures(first: 200) { examined isWhole groups { address httpStatus errorCode count newest { id } } } }';
  const reply = await model.ask(client, { account, replica: argumentOf<number>(step, 'replica'), document });
  const shown: { isWhole: boolean; groups: readonly { count: number }[] } | undefined = reply?.data?.deliveryFailures;
  if (reply === null || shown == null || reply.errors.length > 0) return;
  const still = stillLists(account, reply);
  if (still === null || !shown.isWhole) return;
  const failed = still.deliveries.filter(({ record }) => record['status'] === 'failed').length;
  const told = shown.groups.reduce((sum, { count }) => sum + count, 0);
  if (told !== failed)
    model.breach('a count is what the list was', `${told} failures, not ${failed} of ${account.number}`);
  model.count('failures');
}
