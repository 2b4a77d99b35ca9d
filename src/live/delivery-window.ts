import { goneDeliveries } from '../bounds.ts';
import { looksOf } from '../paging/row-identity.ts';
import { compareMoments, momentOf, timestampOf, type Moment } from '../paging/moment.ts';
import { isJsonObject } from '../json.ts';
import type { WebhookDeliveryRecord } from '../upstream/endpoints/webhook-delivery.ts';

/** Rows as they were read; what is no record is passed over. */
export type DeliveryRows = readonly (WebhookDeliveryRecord | null)[];

/** What is remembered of the newest end of a list: enough to tell, of what is read next, what has not been seen. */
export interface DeliveryWindow {
  /** When the newest delivery began of those that are not from the future; null while there was none. */
  readonly newest: Moment | null;
  /** The deliveries that are read again next time, and when they began; null for one that does not say. */
  readonly seen: ReadonlyMap<string, Moment | null>;
}

/** The window of a list of which nothing has been read. */
export const emptyWindow: DeliveryWindow = { newest: null, seen: new Map() };

/**
 * From when on the list must be read so that nothing is missed that appears up to `overlapMs` late; null where it must be
 * read whole. In whole milliseconds, rounded down.
 */
export function watermarkOf({ newest }: Pick<DeliveryWindow, 'newest'>, overlapMs: number): Moment | null {
  return newest === null ? null : momentOf(new Date(millisecondsOf(newest) - overlapMs).toISOString());
}

/**
 * Takes in what was read from the watermark on, in whatever order and however often. `fresh` is what had not been seen, the
 * oldest first, in the order of a list that runs newest first where they began at the same moment. Remembers no more than
 * the overlap and what was read without a moment, or from the future: one such row must not have all others be too old.
 */
export function advance(
  window: DeliveryWindow,
  rows: DeliveryRows,
  overlapMs: number,
  now: Moment,
): { readonly window: DeliveryWindow; readonly fresh: readonly WebhookDeliveryRecord[] } {
  const watermark = watermarkOf(window, overlapMs);
  const read = new Map<string, Moment | null>();
  const fresh: { readonly row: WebhookDeliveryRecord; readonly moment: Moment | null }[] = [];
  for (const row of rows) {
    if (!isJsonObject(row)) continue;
    const [id, moment] = [deliveryIdentityOf(row), beginningOf(row)];
    // A list that moves while it is read shows a row on two of its pages.
    if (read.has(id) || isBefore(moment, watermark)) continue;
    read.set(id, moment);
    if (!window.seen.has(id)) fresh.push({ row, moment });
  }
  const past = [...read.values()].filter((moment) => !isBefore(now, moment));
  const newest = past.reduce(laterOf, window.newest);
  const next = watermarkOf({ newest }, overlapMs);
  // One without a moment is remembered for as long as it is read.
  const dated = [...window.seen].filter(([, moment]) => moment !== null);
  const seen = new Map([...dated, ...read].filter(([, moment]) => !isBefore(moment, next)));
  // One from the future would be remembered until its time comes, although it is not read any more.
  const gone = [...seen].filter(([id, moment]) => !read.has(id) && isBefore(now, moment));
  for (const [id] of gone.slice(0, -goneDeliveries)) seen.delete(id);
  return {
    window: { newest, seen },
    fresh: fresh
      .toReversed()
      .sort(byMoment)
      .map(({ row }) => row),
  };
}

/** When a delivery began; null where it does not say, or names a moment that does not exist. */
export function beginningOf(row: WebhookDeliveryRecord | null): Moment | null {
  const moment = momentOf(row?.started_at);
  return moment === null || Number.isNaN(millisecondsOf(moment)) ? null : moment;
}

/** Whether a moment is earlier than another; without one of them it is not. */
export function isBefore(moment: Moment | null, other: Moment | null): boolean {
  return moment !== null && other !== null && compareMoments(moment, other) < 0;
}

/** What tells a delivery from all others: its id, or all of it where it has none. */
export function deliveryIdentityOf(row: WebhookDeliveryRecord): string {
  return typeof row.id === 'string' ? `id ${row.id}` : `looks ${looksOf(row)}`;
}

/** In milliseconds since 1970; NaN for one that does not exist. */
export function millisecondsOf(moment: Moment): number {
  return Date.parse(timestampOf(moment));
}

/** The later of two moments; null only where both are. */
export function laterOf(left: Moment | null, right: Moment | null): Moment | null {
  return left === null || isBefore(left, right) ? (right ?? left) : left;
}

function byMoment(left: { readonly moment: Moment | null }, right: { readonly moment: Moment | null }): number {
  if (left.moment === null || right.moment === null)
    return Number(left.moment === null) - Number(right.moment === null);
  return compareMoments(left.moment, right.moment);
}
