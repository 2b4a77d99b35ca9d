import type { ArgumentPath } from '../errors.ts';
import { allInOrder } from '../paging/all-in-order.ts';
import { markLength, markOf, type Mark } from '../paging/anchor.ts';
import { looksOf } from '../paging/row-identity.ts';
import { CallBudget } from '../paging/call-budget.ts';
import { compareMoments, directionOf, momentOf, timestampOf, type Moment } from '../paging/moment.ts';
import { ServedSizes } from '../paging/served-sizes.ts';
import { valueAt, type Arguments } from '../upstream/arguments.ts';
import { listWebhookDeliveries, type WebhookDeliveryRecord } from '../upstream/endpoints/webhook-delivery.ts';
import { listSource } from './list-source.ts';
import type { Loaders } from './loaders.ts';
import { beyondScan } from './scan.ts';
import { createStepwiseList, type StepwiseList } from './stepwise-list.ts';

/** Where a delivery stands among others: newest first, those of one moment by their marks, those without a moment last. */
export interface DeliveryPosition {
  readonly moment: Moment | null;
  readonly mark: Mark;
}

/** Deliveries that tried certain addresses, newest first. */
export interface AttemptedDeliveries {
  readonly deliveries: readonly WebhookDeliveryRecord[];
  /** Up to where the list was read; null where it was read to its end, so that there is no more. */
  readonly frontier: DeliveryPosition | null;
}

export interface AttemptedQuery {
  /** The addresses, each once. */
  readonly urls: readonly string[];
  readonly filter: Arguments | null;
  /** Where the reader stands; null at the head. */
  readonly after: DeliveryPosition | null;
  /** How many are wanted. */
  readonly count: number;
  /** How many calls each list may take. */
  readonly scanPages: number;
}

// The upstream's filter finds addresses that merely contain the one asked for: a few more rows are read than are wanted.
const leastRead = 100;
// Behind all marks: a place behind every delivery of its moment.
const lastMark: Mark = 'z'.repeat(markLength);

/**
 * Reads the deliveries whose attempts went to exactly one of the addresses. The upstream narrows by substring, one list for
 * each address, side by side; what is not exact is dropped, and each list read on until enough is there, it ends, or
 * `scanPages` calls were made for it. Equal addresses of one request are asked for once.
 */
export async function readAttempted(query: AttemptedQuery, loaders: Loaders): Promise<AttemptedDeliveries> {
  const lists = await allInOrder(query.urls.map((url) => readOne(url, query, loaders)));
  const frontiers = lists.flatMap(({ frontier }) => (frontier === null ? [] : [frontier]));
  const [nearest = null] = frontiers.sort(comparePlaces);
  const all = distinct(lists.flatMap(({ deliveries }) => deliveries));
  const deliveries = all
    .filter((delivery) => nearest === null || comparePlaces(placeOf(delivery), nearest) <= 0)
    .sort((a, b) => comparePlaces(placeOf(a), placeOf(b)));
  return { deliveries, frontier: nearest };
}

async function readOne(url: string, query: AttemptedQuery, loaders: Loaders): Promise<AttemptedDeliveries> {
  const { after, count, scanPages } = query;
  const budget = new CallBudget(scanPages);
  const served = new ServedSizes(listWebhookDeliveries.pageLimit);
  const isWanted = (row: WebhookDeliveryRecord): boolean =>
    hasTried(row, url) && (after === null || comparePlaces(placeOf(row), after) > 0);
  const listFrom = (newest: Moment | null): StepwiseList<WebhookDeliveryRecord | null> => {
    const { args, ownArguments } = argumentsOf(url, query, newest);
    return createStepwiseList(listSource(listWebhookDeliveries, args, loaders, { budget, served, ownArguments }));
  };

  let newest = after?.moment ?? null;
  let list = listFrom(newest);
  let known: readonly WebhookDeliveryRecord[] = [];
  for (let size = Math.max(leastRead, 2 * count); ; size = listWebhookDeliveries.pageLimit) {
    const isRead = await list.readOn(size);
    if (list.isUnsure && isRead) continue;
    const rows = distinct([...known, ...list.rows.filter((row) => row !== null)]);
    if (list.isWhole) return { deliveries: rows.filter(isWanted), frontier: null };
    const oldest = oldestOf(rows);
    const { deliveries, frontier } = settledOf(rows, oldest);
    const wanted = deliveries.filter(isWanted);
    const isEnough = wanted.length > count || (!isRead && frontier !== null);
    if (isEnough && !list.isUnsure) return { deliveries: wanted, frontier };
    // Without an order in time there is no place from which a next page could go on.
    if (!isRead) throw beyondScan(listWebhookDeliveries, scanPages, scanPages * served.range.most, null);
    if (oldest === null || oldest === newest) continue;
    // Where the list goes on is told by time, not by position: what comes and goes meanwhile shifts nothing.
    [known, newest] = [rows, oldest];
    list = listFrom(newest);
  }
}

/**
 * The arguments of one address's list, and which of them are not the caller's. What is newer than `newest` is kept out by a
 * bound of the upstream's own, so that a later page costs no more than the first.
 */
function argumentsOf(
  url: string,
  { filter }: AttemptedQuery,
  newest: Moment | null,
): { readonly args: Arguments; readonly ownArguments: readonly ArgumentPath[] } {
  const given = valueAt(filter, ['attempts', 'contains']);
  // Of a filter that is written in the query, graphql-js makes objects without a prototype.
  const bounds = valueAt(filter, ['startedAt']) as Arguments | null | undefined;
  const lte = newest === null ? {} : { lte: timestampOf(newest) };
  return {
    args: { filter: { ...filter, attempts: { contains: given ?? url }, startedAt: { ...bounds, ...lte } } },
    ownArguments: [
      ...(given == null ? [['filter', 'attempts', 'contains']] : []),
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
 * The rows between which nothing more can come: all that are newer than the oldest one read. Where the upstream does not
 * list newest first, nothing is settled before the end.
 */
function settledOf(rows: readonly WebhookDeliveryRecord[], oldest: Moment | null): AttemptedDeliveries {
  const deliveries =
    oldest === null ? [] : rows.filter((row) => compareMoments(momentOf(row.started_at) ?? oldest, oldest) > 0);
  const moment = momentOf(deliveries.at(-1)?.started_at);
  return { deliveries, frontier: moment === null ? null : { moment, mark: lastMark } };
}

/** Each row once: lists overlap, and so do the pages of one that is read on by time. */
function distinct(rows: readonly WebhookDeliveryRecord[]): readonly WebhookDeliveryRecord[] {
  return [...new Map(rows.map((row) => [distinctKeyOf(row), row])).values()];
}

function distinctKeyOf(row: WebhookDeliveryRecord): string {
  return typeof row.id === 'string' ? row.id : looksOf(row);
}

/** Whether any attempt of a delivery went to this very address. */
function hasTried(row: WebhookDeliveryRecord, url: string): boolean {
  const attempts: unknown = row.attempts;
  return Array.isArray(attempts) && attempts.some((attempt) => valueAt(attempt, ['http', 'request', 'url']) === url);
}

/** The attempt that began last; the first, as the upstream lists them, where that cannot be told. Undefined without one. */
export function newestOf<Attempt>(attempts: readonly Attempt[]): Attempt | undefined {
  const startOf = (attempt: Attempt): Moment => momentOf(valueAt(attempt, ['started_at'])) ?? '';
  return attempts.toSorted((a, b) => compareMoments(startOf(b), startOf(a)))[0];
}

/** Where the newest attempt of a delivery went; null where it does not say. */
export function newestUrlOf({ attempts }: WebhookDeliveryRecord): string | null {
  const list: readonly unknown[] = Array.isArray(attempts) ? attempts : [];
  const url = valueAt(newestOf(list), ['http', 'request', 'url']);
  return typeof url === 'string' ? url : null;
}

/** The place of a delivery. */
export function placeOf(row: WebhookDeliveryRecord): DeliveryPosition {
  return { moment: momentOf(row.started_at), mark: markOf(distinctKeyOf(row)) };
}

function comparePlaces(left: DeliveryPosition, right: DeliveryPosition): number {
  if (left.moment === null || right.moment === null) {
    const byMoment = Number(left.moment === null) - Number(right.moment === null);
    return byMoment === 0 ? compareMarks(left, right) : byMoment;
  }
  const byMoment = compareMoments(right.moment, left.moment);
  return byMoment === 0 ? compareMarks(left, right) : byMoment;
}

function compareMarks({ mark: left }: DeliveryPosition, { mark: right }: DeliveryPosition): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
