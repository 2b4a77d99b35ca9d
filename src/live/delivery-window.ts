import { hash } from 'node:crypto';
import { looksOf } from '../paging/anchor.ts';
import { compareMoments, momentOf, type Moment } from '../moment.ts';
import { identifierOf, isJsonObject } from '../json.ts';
import type { WebhookDeliveryRecord } from '../generated/records.ts';

/** Deliveries from the future that are remembered of a list that does not have them any more, so that none is sent twice. */
export const goneDeliveries = 1_000;

/** Rows as they were read; rows that are no records are skipped. */
export type DeliveryRows = readonly (WebhookDeliveryRecord | null)[];

/** Names a delivery in a few characters: 48 bits of a hash of its identity. */
export type DeliveryMark = string;

/** The characters of a mark. */
export const deliveryMarkLength = 8;

/** The mark of a delivery by its identity. */
export function deliveryMarkOf(identity: string): DeliveryMark {
  return hash('sha256', identity, 'base64url').slice(0, deliveryMarkLength);
}

/** A delivery as it is remembered. */
export class Seen {
  /** Tells it from all others: its id, or all of its text where it has none. */
  readonly identity: string;
  readonly moment: Moment | null;
  #mark: DeliveryMark | undefined;

  constructor(row: WebhookDeliveryRecord) {
    const id = identifierOf(row.id);
    this.identity = id === undefined ? `looks ${looksOf(row)}` : `id ${id}`;
    this.moment = beginningOf(row);
  }

  get mark(): DeliveryMark {
    return (this.#mark ??= deliveryMarkOf(this.identity));
  }
}

/** A delivery of a list that was read. */
export interface Listed {
  readonly row: WebhookDeliveryRecord;
  readonly seen: Seen;
}

/** The deliveries among rows, each once, the oldest first; those of one moment are in the order of a list that runs newest first. */
export function listedIn(rows: DeliveryRows): readonly Listed[] {
  const listed = new Map<string, Listed>();
  for (const row of rows) {
    if (!isJsonObject(row)) continue;
    const seen = new Seen(row);
    // A list that moves while it is read shows a row on two pages.
    if (!listed.has(seen.identity)) listed.set(seen.identity, { row, seen });
  }
  return [...listed.values()].toReversed().sort((left, right) => oldestFirst(left.seen, right.seen));
}

/** The remembered newest end of a list: it shows which rows of the next reading are new. */
export interface DeliveryWindow {
  /** The newest moment of all deliveries that are not from the future; null while there was none. */
  readonly newest: Moment | null;
  /** The deliveries that the next reading reads again, by identity. */
  readonly seen: ReadonlyMap<string, Seen>;
}

/** The window of a list of which nothing has been read. */
export const emptyWindow: DeliveryWindow = { newest: null, seen: new Map() };

/**
 * The moment from which the list must be read so that no delivery is missed that appears up to `overlapMs` late; null where the
 * whole list must be read. In whole milliseconds, rounded down.
 */
export function watermarkOf({ newest }: Pick<DeliveryWindow, 'newest'>, overlapMs: number): Moment | null {
  return newest === null ? null : momentOf(new Date(Date.parse(newest) - overlapMs).toISOString());
}

/**
 * Adds what was read from the watermark on; `fresh` has the deliveries that had not been seen. The window remembers the overlap, and
 * those that were read without a moment or from the future: one of these must not make all others too old. `isWhole` is false where
 * they are not all that the list has from the watermark on.
 */
export function advance(
  window: DeliveryWindow,
  listed: readonly Listed[],
  overlapMs: number,
  now: Moment,
  isWhole = true,
): { readonly window: DeliveryWindow; readonly fresh: readonly Listed[] } {
  const watermark = watermarkOf(window, overlapMs);
  const read = listed.filter(({ seen }) => !isBefore(seen.moment, watermark));
  const newest = read
    .map(({ seen }) => seen.moment)
    .filter((moment) => !isBefore(now, moment))
    .reduce(laterOf, window.newest);
  const next = watermarkOf({ newest }, overlapMs);
  // One without a moment is remembered for as long as it is read.
  const kept = [...window.seen.values()].filter(({ moment }) => moment !== null || !isWhole);
  const all = [...kept, ...read.map(({ seen }) => seen)].filter(({ moment }) => !isBefore(moment, next));
  const seen = new Map(all.map((each) => [each.identity, each]));
  // One from the future would be remembered until its time comes, although it is not read any more.
  const isRead = new Set(read.map((each) => each.seen.identity));
  const gone = [...seen.values()].filter(
    ({ identity, moment }) => !isRead.has(identity) && (moment === null || isBefore(now, moment)),
  );
  for (const { identity } of gone.slice(0, -goneDeliveries)) seen.delete(identity);
  return { window: { newest, seen }, fresh: read.filter((each) => !window.seen.has(each.seen.identity)) };
}

/** The moment when a delivery began; null where it has none that is an instant. */
export function beginningOf(row: WebhookDeliveryRecord | null): Moment | null {
  return momentOf(row?.started_at);
}

/** Whether a moment is earlier than another; false where one of them is null. */
export function isBefore(moment: Moment | null, other: Moment | null): boolean {
  return moment !== null && other !== null && compareMoments(moment, other) < 0;
}

/** The later of two moments; null only where both are. */
export function laterOf(left: Moment | null, right: Moment | null): Moment | null {
  return left === null || isBefore(left, right) ? (right ?? left) : left;
}

/** Compares two deliveries; those without a moment come last. */
export function oldestFirst({ moment: left }: Seen, { moment: right }: Seen): number {
  if (left === null || right === null) return Number(left === null) - Number(right === null);
  return compareMoments(left, right);
}
