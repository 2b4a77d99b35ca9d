import { hash } from 'node:crypto';
import { looksOf } from '../paging/anchor.ts';
import { compareMoments, momentOf, type Moment } from '../moment.ts';
import { FreeFormText, identifierOf } from '../json.ts';
import type { WebhookDeliveryRecord } from '../generated/records.ts';

/** Deliveries from the future that are remembered of a list that does not have them any more, so that none is sent twice. */
export const goneDeliveries = 1_000;

/** Names a delivery in a few characters: 48 bits of a hash of its identity. */
export type DeliveryMark = string;

export const deliveryMarkLength = 8;

/** A delivery as it was read from its list. */
export interface Delivery {
  readonly record: WebhookDeliveryRecord;
  readonly mark: DeliveryMark;
  /** When it began; null where it has no moment that is an instant. */
  readonly moment: Moment | null;
  /** About how many bytes it takes in memory. */
  readonly weight: number;
}

export type Deliveries = readonly Delivery[];

export function deliveryOf(record: WebhookDeliveryRecord): Delivery {
  return { record, mark: markOf(record), moment: momentOf(record.started_at), weight: weightOf(record) };
}

/** Tells a delivery from all others: by its id, or by all of its text where it has none. */
function markOf(record: WebhookDeliveryRecord): DeliveryMark {
  const id = identifierOf(record.id);
  const identity = id === undefined ? `looks ${looksOf(record)}` : `id ${id}`;
  return hash('sha256', identity, 'base64url').slice(0, deliveryMarkLength);
}

/** Bytes that a delivery takes: its objects, and the id of its event, which has two kilobytes at most. */
const deliveryWeight = 2_048;

/** Bytes that each value of it takes besides its characters. */
const valueWeight = 32;

function weightOf(delivery: unknown): number {
  let weight = deliveryWeight;
  const open: unknown[] = [delivery];
  while (open.length > 0) {
    const value = open.pop();
    weight += valueWeight;
    if (typeof value === 'string') weight += value.length;
    else if (value instanceof FreeFormText) weight += value.length;
    else if (typeof value === 'object' && value !== null) for (const member of Object.values(value)) open.push(member);
  }
  return weight;
}

/** The remembered newest end of a list: it shows which rows of the next reading are new. */
export interface DeliveryWindow {
  /** The newest moment of all deliveries that are not from the future; null while there was none. */
  readonly newest: Moment | null;
  /** The deliveries that the next reading reads again, with their moments; null for one without, and for one that nobody knows. */
  readonly seen: ReadonlyMap<DeliveryMark, Moment | null>;
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
 * Adds the deliveries that were read from the watermark on, in any order and any number of times. `fresh` has those that had
 * not been seen, the oldest first; those of one moment are in the order of a list that runs newest first. The window remembers
 * the overlap, and the deliveries that were read without a moment or from the future: one of these must not make all others too old.
 * `isWhole` is false where they are not all that the list has from the watermark on.
 */
export function advance(
  window: DeliveryWindow,
  deliveries: Deliveries,
  overlapMs: number,
  now: Moment,
  isWhole = true,
): { readonly window: DeliveryWindow; readonly fresh: Deliveries } {
  const watermark = watermarkOf(window, overlapMs);
  const read = new Map<DeliveryMark, Moment | null>();
  const fresh: Delivery[] = [];
  for (const delivery of deliveries) {
    const { mark, moment } = delivery;
    // A list that moves while it is read shows a row on two pages.
    if (read.has(mark) || isBefore(moment, watermark)) continue;
    read.set(mark, moment);
    if (!window.seen.has(mark)) fresh.push(delivery);
  }
  const newest = latestBy(now, [...read.values()], window.newest);
  const next = watermarkOf({ newest }, overlapMs);
  // One without a moment is remembered for as long as it is read.
  const kept = [...window.seen].filter(([, moment]) => moment !== null || !isWhole);
  const seen = new Map([...kept, ...read].filter(([, moment]) => !isBefore(moment, next)));
  // One from the future would be remembered until its time comes, although it is not read any more.
  const gone = [...seen].filter(([mark, moment]) => !read.has(mark) && (moment === null || isBefore(now, moment)));
  for (const [mark] of gone.slice(0, -goneDeliveries)) seen.delete(mark);
  return {
    window: { newest, seen },
    fresh: fresh.toReversed().sort((left, right) => compareStarts(left.moment, right.moment)),
  };
}

/** A window as the id of an event tells it, with the moments that its deliveries have among those that were read since. */
export function recalled({ newest, seen }: DeliveryWindow, deliveries: Deliveries): DeliveryWindow {
  const known = deliveries.filter(({ mark }) => seen.has(mark));
  return { newest, seen: new Map(known.map(({ mark, moment }) => [mark, moment])) };
}

/** Whether a moment is earlier than another; false where one of them is null. */
export function isBefore(moment: Moment | null, other: Moment | null): boolean {
  return moment !== null && other !== null && compareMoments(moment, other) < 0;
}

/** The latest of those moments that are not from the future, and of one that is known; null where there is none. */
export function latestBy(now: Moment, moments: readonly (Moment | null)[], known: Moment | null): Moment | null {
  return moments.reduce(
    (latest, moment) => (isBefore(now, moment) || isBefore(moment, latest) ? latest : (moment ?? latest)),
    known,
  );
}

/** Orders deliveries by when they began. Those without a moment come last: they are remembered for as long as they are read. */
export function compareStarts(left: Moment | null, right: Moment | null): number {
  if (left === null || right === null) return Number(left === null) - Number(right === null);
  return compareMoments(left, right);
}
