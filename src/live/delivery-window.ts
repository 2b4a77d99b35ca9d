import { looksOf } from '../paging/anchor.ts';
import { compareMoments, momentOf, type Moment } from '../moment.ts';
import { identifierOf } from '../json.ts';
import type { WebhookDeliveryRecord } from '../generated/records.ts';

/** Deliveries from the future that are remembered of a list that does not have them any more, so that none is sent twice. */
export const goneDeliveries = 1_000;

export type Deliveries = readonly WebhookDeliveryRecord[];

/** The remembered newest end of a list: it shows which rows of the next reading are new. */
export interface DeliveryWindow {
  /** The newest moment of all deliveries that are not from the future; null while there was none. */
  readonly newest: Moment | null;
  /** The deliveries that the next reading reads again, by identity, with their moments; null for one without a moment. */
  readonly seen: ReadonlyMap<string, Moment | null>;
}

export const emptyWindow: DeliveryWindow = { newest: null, seen: new Map() };

/**
 * The moment from which the list must be read so that no delivery is missed that appears up to `overlapMs` late; null where the
 * whole list must be read. In whole milliseconds, rounded down.
 */
export function watermarkOf({ newest }: Pick<DeliveryWindow, 'newest'>, overlapMs: number): Moment | null {
  return newest === null ? null : momentOf(new Date(Date.parse(newest) - overlapMs).toISOString());
}

/**
 * Adds the rows that were read from the watermark on, in any order and any number of times. `fresh` has the deliveries that had
 * not been seen, the oldest first; those of one moment are in the order of a list that runs newest first. The window remembers
 * the overlap, and the rows that were read without a moment or from the future: one such row must not make all others too old.
 * `isWhole` is false where the rows are not all that the list has from the watermark on.
 */
export function advance(
  window: DeliveryWindow,
  rows: Deliveries,
  overlapMs: number,
  now: Moment,
  isWhole = true,
): { readonly window: DeliveryWindow; readonly fresh: Deliveries } {
  const watermark = watermarkOf(window, overlapMs);
  const read = new Map<string, Moment | null>();
  const fresh: { readonly row: WebhookDeliveryRecord; readonly moment: Moment | null }[] = [];
  for (const row of rows) {
    const [id, moment] = [deliveryIdentityOf(row), beginningOf(row)];
    // A list that moves while it is read shows a row on two pages.
    if (read.has(id) || isBefore(moment, watermark)) continue;
    read.set(id, moment);
    if (!window.seen.has(id)) fresh.push({ row, moment });
  }
  const past = [...read.values()].filter((moment) => !isBefore(now, moment));
  const newest = past.reduce(laterOf, window.newest);
  const next = watermarkOf({ newest }, overlapMs);
  // One without a moment is remembered for as long as it is read.
  const kept = [...window.seen].filter(([, moment]) => moment !== null || !isWhole);
  const seen = new Map([...kept, ...read].filter(([, moment]) => !isBefore(moment, next)));
  // One from the future would be remembered until its time comes, although it is not read any more.
  const gone = [...seen].filter(([id, moment]) => !read.has(id) && (moment === null || isBefore(now, moment)));
  for (const [id] of gone.slice(0, -goneDeliveries)) seen.delete(id);
  return {
    window: { newest, seen },
    fresh: fresh
      .toReversed()
      .sort(byMoment)
      .map(({ row }) => row),
  };
}

/** The moment when a delivery began; null where it has none that is an instant. */
export function beginningOf(row: WebhookDeliveryRecord | null): Moment | null {
  return momentOf(row?.started_at);
}

/** Whether a moment is earlier than another; false where one of them is null. */
export function isBefore(moment: Moment | null, other: Moment | null): boolean {
  return moment !== null && other !== null && compareMoments(moment, other) < 0;
}

/** Tells a delivery from all others: its id, or all of its text where it has none. */
export function deliveryIdentityOf(row: WebhookDeliveryRecord): string {
  const id = identifierOf(row.id);
  return id === undefined ? `looks ${looksOf(row)}` : `id ${id}`;
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
