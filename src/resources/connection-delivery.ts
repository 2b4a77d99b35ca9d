import type { IpConnectionWebhookDeliveriesArgs } from '../generated/schema.ts';
import type { Context } from '../graphql/context.ts';
import { aSearch, someCalls } from '../limits/field-cost.ts';
import { listKeyOf, listSource, withOwn } from '../lists/list-source.ts';
import type { Loaders } from '../lists/loaders.ts';
import { beyondScan, createStepwiseList, scanStill, type StepwiseList } from '../lists/scan.ts';
import { hashLength, hashOf, looksOf, type Anchor, type RowHash } from '../paging/anchor.ts';
import type { Connection } from '../paging/connection.ts';
import { decodeCursor, encodeCursor } from '../paging/cursor.ts';
import { compareMoments, directionOf, momentOf, type Moment } from '../paging/moment.ts';
import { allInOrder, CallBudget, ServedSizes } from '../paging/source.ts';
import { windowOf } from '../paging/window.ts';
import { valueAt, type Arguments } from '../upstream/endpoint.ts';
import { listIpConnections, type IpConnectionRecord } from './ip-connection.ts';
import type { Resource } from './resource.ts';
import { listWebhookDeliveries, newestOf, type WebhookDeliveryRecord } from './webhook-delivery.ts';

/** The two directions between connections and the deliveries that were sent to their addresses. */
export const resource = {
  fields: {
    IpConnection: {
      webhookDeliveries: (record: IpConnectionRecord, args: IpConnectionWebhookDeliveriesArgs, context: Context) =>
        loadAttempted(webhookUrlsOf(record), args, context),
    },
    WebhookDelivery: {
      async ipConnection(record: WebhookDeliveryRecord, _args: object, { loaders, scanPages }: Context) {
        const url = newestUrlOf(record);
        if (url === null) return null;
        const owners = await loaders.once('owners of webhook addresses', () => readOwners(loaders, scanPages));
        const [owner = null, ...others] = owners.get(url)?.values() ?? [];
        return others.length === 0 ? owner : null;
      },
    },
  },
  costs: {
    // A connection has an address for its webhooks and an alternative one. Each has its own list.
    'IpConnection.webhookDeliveries': (_args, { scanPages }) => someCalls(2 * scanPages),
    'WebhookDelivery.ipConnection': (_args, { scanPages }) => aSearch('owners', scanPages),
  },
} satisfies Resource;

/** The addresses to which a connection's events are sent, each once. */
function webhookUrlsOf({
  webhook_event_url: url,
  webhook_event_failover_url: failoverUrl,
}: IpConnectionRecord): readonly string[] {
  return [...new Set([url, failoverUrl])].filter((value) => typeof value === 'string' && value !== '') as string[];
}

/** The address of a delivery's newest attempt; null where it has none. */
function newestUrlOf({ attempts }: WebhookDeliveryRecord): string | null {
  const list: readonly unknown[] = Array.isArray(attempts) ? attempts : [];
  const url = valueAt(newestOf(list), ['http', 'request', 'url']);
  return typeof url === 'string' ? url : null;
}

/** Whether any attempt of a delivery went to exactly this address. */
function hasTried({ attempts }: WebhookDeliveryRecord, url: string): boolean {
  const list: unknown = attempts;
  return Array.isArray(list) && list.some((attempt) => valueAt(attempt, ['http', 'request', 'url']) === url);
}

/**
 * The connections whose webhooks go to an address, by address and by identifier: one that moves while the list is read is read twice,
 * and is still one owner. No filter of the upstream finds them, so the whole list is read, once for a request. Throws
 * QUERY_TOO_COMPLEX where that takes more than `scanPages` calls.
 */
async function readOwners(
  loaders: Loaders,
  scanPages: number,
): Promise<ReadonlyMap<string, ReadonlyMap<unknown, IpConnectionRecord>>> {
  const source = listSource(listIpConnections, {}, loaders, { budget: new CallBudget(scanPages) });
  const { outcome, rows, total } = await scanStill(source);
  if (outcome === 'exhausted') throw beyondScan(listIpConnections, scanPages, rows.length, total);
  const owners = new Map<string, Map<unknown, IpConnectionRecord>>();
  for (const connection of rows) {
    if (connection === null) continue;
    for (const url of webhookUrlsOf(connection))
      owners.set(url, (owners.get(url) ?? new Map()).set(connection.id ?? connection, connection));
  }
  return owners;
}

/** Where a delivery stands among others: newest first, those of one moment by their hashes, those without a moment last. */
interface Position {
  readonly moment: Moment | null;
  readonly row: RowHash;
}

function positionOf(row: WebhookDeliveryRecord): Position {
  return { moment: momentOf(row.started_at), row: hashOf(nameOf(row)) };
}

/** The position behind all deliveries of a moment: its hash sorts behind all others. */
function behindMoment(moment: Moment): Position {
  return { moment, row: 'z'.repeat(hashLength) };
}

/** Negative where the first position comes before the second. */
function comparePositions(left: Position, right: Position): number {
  const byMoment = compareMoments(right.moment ?? '', left.moment ?? '');
  if (byMoment !== 0 || left.row === right.row) return byMoment;
  return left.row < right.row ? -1 : 1;
}

/** Each delivery once: lists overlap, and so do the pages of a list that is read on by time. */
function distinct(rows: readonly WebhookDeliveryRecord[]): readonly WebhookDeliveryRecord[] {
  return [...new Map(rows.map((row) => [nameOf(row), row])).values()];
}

function nameOf(row: WebhookDeliveryRecord): string {
  return typeof row.id === 'string' ? row.id : looksOf(row);
}

/**
 * The deliveries that tried one of these addresses, as a connection. Its cursors are places in time, not positions, so that rows
 * which come and go around them change nothing.
 */
async function loadAttempted(
  urls: readonly string[],
  { filter: given, ...paging }: Partial<IpConnectionWebhookDeliveriesArgs>,
  { loaders, scanPages }: Context,
): Promise<Connection<WebhookDeliveryRecord>> {
  const filter = (given ?? null) as Arguments | null;
  const list = `${urls.join(' ')} ${listKeyOf(listWebhookDeliveries, { filter })}`;
  const window = windowOf(paging, (text) => decodeCursor(list, text));
  const { first, last } = window;
  const [after, before] = [placeOf(window.after), placeOf(window.before)];
  const isCrossed = after !== null && before !== null && comparePositions(before, after) <= 0;
  const { deliveries, frontier } = isCrossed
    ? { deliveries: [], frontier: null }
    : await loaders.once(JSON.stringify([list, first, after, before]), () =>
        readAttempted({ urls, filter, after, before, count: first, scanPages }, loaders),
      );
  const found = first === null ? deliveries : deliveries.slice(0, first);
  const skipped = last === null ? 0 : Math.max(0, found.length - last);
  const rows = found.slice(skipped);
  const isShort = first !== null && found.length < first && frontier !== null;
  return {
    rows,
    cursorAt: (index) => cursorOf(list, positionOf(rows[index] as WebhookDeliveryRecord)),
    ...(isShort && { continuation: cursorOf(list, frontier) }),
    totalCount: frontier === null && after === null && before === null ? deliveries.length : null,
    // How many deliveries are newer than a cursor is not known.
    offset: after === null ? skipped : null,
    hasNextPage: found.length < deliveries.length || frontier !== null || before !== null,
    hasPreviousPage: skipped > 0 || after !== null,
  };
}

function placeOf(anchor: Anchor | null): Position | null {
  return anchor === null ? null : { moment: anchor.time?.moment ?? null, row: anchor.row };
}

function cursorOf(list: string, { moment, row }: Position): string {
  const time = moment === null ? null : ({ moment, direction: -1 } as const);
  const around = { before: [], after: [], adjacent: { before: 0, after: 0 } };
  return encodeCursor(list, { position: 0, total: null, row, ...around, time, newest: null });
}

/** Deliveries with attempts at certain addresses, newest first. */
interface Attempted {
  readonly deliveries: readonly WebhookDeliveryRecord[];
  /** The position up to which the list was read; null where it was read to its end. */
  readonly frontier: Position | null;
}

interface AttemptedQuery {
  /** The addresses, each once. */
  readonly urls: readonly string[];
  readonly filter: Arguments | null;
  /** The reader's position; null at the head. */
  readonly after: Position | null;
  /** The position at which the reader wants no more; null at the end. */
  readonly before: Position | null;
  /** How many deliveries are wanted; null where all of them are. */
  readonly count: number | null;
  /** How many calls each list may take. */
  readonly scanPages: number;
}

/**
 * Reads the deliveries with an attempt at exactly one of the addresses. The upstream filters by substring: one list for each
 * address is read, side by side, and other addresses are dropped. Each list is read on until enough deliveries are there, the
 * list ends, or `scanPages` calls were made for it. Throws QUERY_TOO_COMPLEX where all deliveries are wanted and those calls do not
 * reach the last of them.
 */
async function readAttempted(query: AttemptedQuery, loaders: Loaders): Promise<Attempted> {
  const lists = await allInOrder(query.urls.map((url) => readOne(url, query, loaders)));
  const frontiers = lists.flatMap(({ frontier }) => frontier ?? []);
  const [nearest = null] = frontiers.sort(comparePositions);
  const deliveries = distinct(lists.flatMap((list) => list.deliveries))
    .filter((delivery) => nearest === null || comparePositions(positionOf(delivery), nearest) <= 0)
    .sort((a, b) => comparePositions(positionOf(a), positionOf(b)));
  return { deliveries, frontier: nearest };
}

// The upstream's filter also finds addresses that only contain the wanted one, so more rows are read than are wanted.
const leastRead = 100;

async function readOne(url: string, query: AttemptedQuery, loaders: Loaders): Promise<Attempted> {
  const { after, before, count, scanPages } = query;
  const { pageLimit } = listWebhookDeliveries;
  const budget = new CallBudget(scanPages);
  const sizes = new ServedSizes(pageLimit);
  const isWanted = (row: WebhookDeliveryRecord): boolean => hasTried(row, url) && isBetween(positionOf(row), query);
  const listFrom = (newest: Moment | null): StepwiseList<WebhookDeliveryRecord | null> => {
    const { args, ownArguments } = argumentsOf(url, query, newest);
    return createStepwiseList(listSource(listWebhookDeliveries, args, loaders, { budget, sizes, ownArguments }));
  };

  let newest = after?.moment ?? null;
  let list = listFrom(newest);
  let known: readonly WebhookDeliveryRecord[] = [];
  for (let size = count === null ? pageLimit : Math.max(leastRead, 2 * count); ; size = pageLimit) {
    const isRead = await list.readOn(size);
    const rows = distinct([...known, ...list.rows.filter((row) => row !== null)]);
    if (list.isWhole) return { deliveries: rows.filter(isWanted), frontier: null };
    const oldest = oldestOf(rows);
    const { deliveries, frontier } = settledOf(rows, oldest);
    const wanted = deliveries.filter(isWanted);
    const isPast = before !== null && frontier !== null && comparePositions(frontier, before) >= 0;
    if (isPast) return { deliveries: wanted, frontier: null };
    const isEnough = count !== null && (wanted.length > count || (!isRead && frontier !== null));
    if (isEnough) return { deliveries: wanted, frontier };
    // Without an order in time there is no position from which a next page could go on.
    if (!isRead) throw beyondScan(listWebhookDeliveries, scanPages, scanPages * sizes.most, null);
    if (oldest === null || oldest === newest) continue;
    // The list is read on by time, not by position, so deliveries that come and go meanwhile shift nothing.
    [known, newest] = [rows, oldest];
    list = listFrom(newest);
  }
}

function isBetween(position: Position, { after, before }: AttemptedQuery): boolean {
  const isBehind = after === null || comparePositions(position, after) > 0;
  return isBehind && (before === null || comparePositions(position, before) < 0);
}

/**
 * The arguments of one address's list. Bounds in time keep out what is newer than `newest`, so that a later page costs no more than the
 * first, and what is older than the reader wants.
 */
function argumentsOf(url: string, { filter, before }: AttemptedQuery, newest: Moment | null) {
  const contains = ['filter', 'attempts', 'contains'];
  return withOwn({ filter }, [
    [contains, valueAt({ filter }, contains) == null ? url : null],
    [['filter', 'startedAt', 'gte'], before?.moment ?? null],
    [['filter', 'startedAt', 'lte'], newest],
  ]);
}

/** The moment of the last row, as long as the rows are newest first; null where they are not. */
function oldestOf(rows: readonly WebhookDeliveryRecord[]): Moment | null {
  const moments = rows.map(({ started_at: time }) => momentOf(time));
  const direction = directionOf(moments);
  return direction === null || direction === 1 ? null : (moments.at(-1) ?? null);
}

/**
 * The deliveries between which no other can come: those newer than the oldest one read. Where the upstream does not list newest
 * first, there are none before the end.
 */
function settledOf(rows: readonly WebhookDeliveryRecord[], oldest: Moment | null): Attempted {
  const deliveries =
    oldest === null ? [] : rows.filter((row) => compareMoments(momentOf(row.started_at) ?? oldest, oldest) > 0);
  const moment = momentOf(deliveries.at(-1)?.started_at);
  return { deliveries, frontier: moment === null ? null : behindMoment(moment) };
}
