import { markOf, type Mark } from '../paging/anchor.ts';
import { compareMoments, momentOf, timestampOf, type Moment } from '../paging/moment.ts';
import { readStretch } from '../paging/stretch.ts';
import { valueAt, type Arguments } from '../upstream/arguments.ts';
import { isJsonObject } from '../upstream/json-body.ts';
import { listWebhookDeliveries, type WebhookDeliveryRecord } from '../upstream/operations/webhook-delivery.ts';
import { listSource } from './list-source.ts';
import type { Loaders } from '../loaders/loaders.ts';
import { beyondScan } from './scan.ts';

/** Where a delivery stands among others: newest first, those of one moment by their marks, those without a moment last. */
export interface Place {
  readonly moment: Moment | null;
  readonly mark: Mark;
}

/** Deliveries that tried certain addresses, newest first. */
export interface AttemptedDeliveries {
  readonly deliveries: readonly WebhookDeliveryRecord[];
  /** Up to where the list was read; null where it was read to its end, so that there is no more. */
  readonly frontier: Place | null;
}

export interface AttemptedQuery {
  /** The addresses, each once. */
  readonly urls: readonly string[];
  readonly filter: Arguments | null;
  /** Where the reader stands; null at the head. */
  readonly after: Place | null;
  /** How many are wanted. */
  readonly count: number;
  readonly scanPages: number;
}

// The upstream's filter finds addresses that merely contain the one asked for: a few more rows are read than are wanted.
const leastRead = 100;

/**
 * Reads the deliveries whose attempts went to exactly one of the addresses. The upstream narrows by substring, one list for
 * each address, side by side; what is not exact is dropped, and each list read on until enough is there, it ends, or
 * `scanPages` pages of it were read. Equal addresses of one request are asked for once.
 */
export async function readAttempted(query: AttemptedQuery, loaders: Loaders): Promise<AttemptedDeliveries> {
  const lists = await Promise.all(query.urls.map((url) => readOne(url, query, loaders)));
  const frontiers = lists.flatMap(({ frontier }) => (frontier === null ? [] : [frontier]));
  const [nearest = null] = frontiers.sort(comparePlaces);
  const byId = new Map(
    lists.flatMap(({ deliveries }) => deliveries.map((delivery) => [placeOf(delivery).mark, delivery])),
  );
  const deliveries = [...byId.values()]
    .filter((delivery) => nearest === null || comparePlaces(placeOf(delivery), nearest) <= 0)
    .sort((a, b) => comparePlaces(placeOf(a), placeOf(b)));
  return { deliveries, frontier: nearest };
}

async function readOne(url: string, query: AttemptedQuery, loaders: Loaders): Promise<AttemptedDeliveries> {
  const { after, count, scanPages } = query;
  const source = listSource(listWebhookDeliveries, argumentsOf(url, query), loaders);
  const isWanted = (row: WebhookDeliveryRecord | null): row is WebhookDeliveryRecord =>
    hasTried(row, url) && (after === null || comparePlaces(placeOf(row), after) > 0);
  const rows: (WebhookDeliveryRecord | null)[] = [];
  const most = scanPages * source.pageLimit;
  let step = Math.min(source.pageLimit, Math.max(leastRead, 2 * count));
  for (let from = 0; from < most; from += step, step = source.pageLimit) {
    const stretch = await readStretch(source, (total) => ({
      from,
      to: Math.max(from, Math.min(from + step, total ?? Infinity)),
    }));
    rows.push(...stretch.rows);
    const isEnd = stretch.total === null ? stretch.rows.length < step : from + step >= stretch.total;
    if (isEnd) return { deliveries: rows.filter(isWanted), frontier: null };
    const settled = settledOf(rows);
    const deliveries = settled.filter(isWanted);
    const last = settled.at(-1);
    if (deliveries.length > count && last !== undefined) return { deliveries, frontier: placeOf(last) };
  }
  const settled = settledOf(rows);
  const last = settled.at(-1);
  // Without an order in time there is no place from which a next page could go on.
  if (last === undefined) throw beyondScan(listWebhookDeliveries, scanPages, null);
  return { deliveries: settled.filter(isWanted), frontier: placeOf(last) };
}

/** `after` becomes a bound of the upstream's own, so that a later page costs no more than the first. */
function argumentsOf(url: string, { filter, after }: AttemptedQuery): Arguments {
  const contains = valueAt(filter, ['attempts', 'contains']) ?? url;
  const startedAt = valueAt(filter, ['startedAt']);
  const bounds = isJsonObject(startedAt) ? startedAt : {};
  const lte = after?.moment == null ? {} : { lte: timestampOf(after.moment) };
  return { filter: { ...filter, attempts: { contains }, startedAt: { ...bounds, ...lte } } };
}

/**
 * The rows behind which nothing newer can come: all that are newer than the oldest one read, as long as the upstream lists
 * newest first. Where it does not, nothing is settled before the end.
 */
function settledOf(rows: readonly (WebhookDeliveryRecord | null)[]): readonly WebhookDeliveryRecord[] {
  const records = rows.filter((row) => row !== null);
  const last = records.at(-1);
  const oldest = last === undefined ? null : placeOf(last).moment;
  if (oldest === null) return [];
  const isInOrder = records.every((row, index) => {
    const previous = records[index - 1] ?? row;
    const [a, b] = [placeOf(previous).moment, placeOf(row).moment];
    return a !== null && b !== null && compareMoments(a, b) >= 0;
  });
  if (!isInOrder) return [];
  return records.filter((row) => compareMoments(placeOf(row).moment ?? oldest, oldest) > 0);
}

/** Whether any attempt of a delivery went to this very address. */
function hasTried(row: WebhookDeliveryRecord | null, url: string): row is WebhookDeliveryRecord {
  const attempts: unknown = row?.attempts;
  return Array.isArray(attempts) && attempts.some((attempt) => valueAt(attempt, ['http', 'request', 'url']) === url);
}

/** Where the newest attempt of a delivery went: by its start, else the first, as the upstream lists them. Null without one. */
export function newestUrlOf({ attempts }: WebhookDeliveryRecord): string | null {
  const list: readonly unknown[] = Array.isArray(attempts) ? attempts : [];
  const startOf = (attempt: unknown): Moment => momentOf(valueAt(attempt, ['started_at'])) ?? '';
  const [newest] = list.toSorted((a, b) => compareMoments(startOf(b), startOf(a)));
  const url = valueAt(newest, ['http', 'request', 'url']);
  return typeof url === 'string' ? url : null;
}

/** The place of a delivery. */
export function placeOf(row: WebhookDeliveryRecord): Place {
  return { moment: momentOf(row.started_at), mark: markOf(typeof row.id === 'string' ? row.id : JSON.stringify(row)) };
}

function comparePlaces(left: Place, right: Place): number {
  if (left.moment === null || right.moment === null) {
    const byMoment = Number(left.moment === null) - Number(right.moment === null);
    return byMoment === 0 ? compareMarks(left, right) : byMoment;
  }
  const byMoment = compareMoments(right.moment, left.moment);
  return byMoment === 0 ? compareMarks(left, right) : byMoment;
}

function compareMarks({ mark: left }: Place, { mark: right }: Place): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
