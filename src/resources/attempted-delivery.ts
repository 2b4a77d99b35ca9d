import type { ArgumentPath } from '../errors.ts';
import { compareMoments, directionOf, momentOf, type Moment } from '../paging/moment.ts';
import { allInOrder, CallBudget, ServedSizes } from '../paging/source.ts';
import { valueAt, type Arguments } from '../upstream/arguments.ts';
import { listWebhookDeliveries, type WebhookDeliveryRecord } from './webhook-delivery.ts';
import { behindMoment, comparePositions, distinct, positionOf, type DeliveryPosition } from './delivery-position.ts';
import { listSource } from '../lists/list-source.ts';
import type { Loaders } from '../lists/loaders.ts';
import { beyondScan } from '../lists/scan.ts';
import { createStepwiseList, type StepwiseList } from '../lists/stepwise-list.ts';

/** Deliveries with attempts at certain addresses, newest first. */
export interface AttemptedDeliveries {
  readonly deliveries: readonly WebhookDeliveryRecord[];
  /** The position up to which the list was read; null where it was read to its end. */
  readonly frontier: DeliveryPosition | null;
}

export interface AttemptedQuery {
  /** The addresses, each once. */
  readonly urls: readonly string[];
  readonly filter: Arguments | null;
  /** The reader's position; null at the head. */
  readonly after: DeliveryPosition | null;
  /** The position at which the reader wants no more; null at the end. */
  readonly before: DeliveryPosition | null;
  /** How many deliveries are wanted; null where all of them are. */
  readonly count: number | null;
  /** How many calls each list may take. */
  readonly scanPages: number;
}

// The upstream's filter also finds addresses that only contain the wanted one, so more rows are read than are wanted.
const leastRead = 100;
/**
 * Reads the deliveries with an attempt at exactly one of the addresses. The upstream filters by substring: one list for each
 * address is read, side by side, and other addresses are dropped. Each list is read on until enough deliveries are there, the
 * list ends, or `scanPages` calls were made for it. Equal lists of one request are read once. Throws QUERY_TOO_COMPLEX where all
 * deliveries are wanted and those calls do not reach the last of them.
 */
export async function readAttempted(query: AttemptedQuery, loaders: Loaders): Promise<AttemptedDeliveries> {
  const lists = await allInOrder(query.urls.map((url) => readOne(url, query, loaders)));
  const frontiers = lists.flatMap(({ frontier }) => (frontier === null ? [] : [frontier]));
  const [nearest = null] = frontiers.sort(comparePositions);
  const all = distinct(lists.flatMap(({ deliveries }) => deliveries));
  const deliveries = all
    .filter((delivery) => nearest === null || comparePositions(positionOf(delivery), nearest) <= 0)
    .sort((a, b) => comparePositions(positionOf(a), positionOf(b)));
  return { deliveries, frontier: nearest };
}

async function readOne(url: string, query: AttemptedQuery, loaders: Loaders): Promise<AttemptedDeliveries> {
  const { after, before, count, scanPages } = query;
  const budget = new CallBudget(scanPages);
  const sizes = new ServedSizes(listWebhookDeliveries.pageLimit);
  const isWanted = (row: WebhookDeliveryRecord): boolean => hasTried(row, url) && isBetween(positionOf(row), query);
  const listFrom = (newest: Moment | null): StepwiseList<WebhookDeliveryRecord | null> => {
    const { args, ownArguments } = argumentsOf(url, query, newest);
    return createStepwiseList(listSource(listWebhookDeliveries, args, loaders, { budget, sizes, ownArguments }));
  };

  let newest = after?.moment ?? null;
  let list = listFrom(newest);
  let known: readonly WebhookDeliveryRecord[] = [];
  const least = count === null ? listWebhookDeliveries.pageLimit : Math.max(leastRead, 2 * count);
  for (let size = least; ; size = listWebhookDeliveries.pageLimit) {
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

function isBetween(position: DeliveryPosition, { after, before }: AttemptedQuery): boolean {
  const isBehind = after === null || comparePositions(position, after) > 0;
  return isBehind && (before === null || comparePositions(position, before) < 0);
}

/**
 * The arguments of one address's list, and which of them are not the caller's. Bounds in time keep out what is newer than `newest`,
 * so that a later page costs no more than the first, and what is older than the reader wants.
 */
function argumentsOf(
  url: string,
  { filter, before }: AttemptedQuery,
  newest: Moment | null,
): { readonly args: Arguments; readonly ownArguments: readonly ArgumentPath[] } {
  const given = valueAt(filter, ['attempts', 'contains']);
  // Of a filter that is written in the query, graphql-js makes objects without a prototype.
  const bounds = valueAt(filter, ['startedAt']) as Arguments | null | undefined;
  const oldest = before?.moment ?? null;
  const lte = newest === null ? {} : { lte: newest };
  const gte = oldest === null ? {} : { gte: oldest };
  return {
    args: { filter: { ...filter, attempts: { contains: given ?? url }, startedAt: { ...bounds, ...gte, ...lte } } },
    ownArguments: [
      ...(given == null ? [['filter', 'attempts', 'contains']] : []),
      ...(oldest === null ? [] : [['filter', 'startedAt', 'gte']]),
      ...(newest === null ? [] : [['filter', 'startedAt', 'lte']]),
    ],
  };
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
function settledOf(rows: readonly WebhookDeliveryRecord[], oldest: Moment | null): AttemptedDeliveries {
  const deliveries =
    oldest === null ? [] : rows.filter((row) => compareMoments(momentOf(row.started_at) ?? oldest, oldest) > 0);
  const moment = momentOf(deliveries.at(-1)?.started_at);
  return { deliveries, frontier: moment === null ? null : behindMoment(moment) };
}

/** Whether any attempt of a delivery went to exactly this address. */
function hasTried(row: WebhookDeliveryRecord, url: string): boolean {
  const attempts: unknown = row.attempts;
  return Array.isArray(attempts) && attempts.some((attempt) => valueAt(attempt, ['http', 'request', 'url']) === url);
}
