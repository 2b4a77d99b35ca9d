import { hash } from 'node:crypto';
import { compareMoments, digitsOf, momentOfDigits, type Moment } from '../moment.ts';
import type { DeliveryArrivedParent, FeedStateChangedParent } from '../resources/feed-event.ts';
import type { WebhookDeliveryRecord } from '../resources/webhook-delivery.ts';
import {
  advance,
  beginningOf,
  emptyWindow,
  deliveryIdentityOf,
  isBefore,
  laterOf,
  watermarkOf,
  type DeliveryRows,
  type DeliveryWindow,
} from './delivery-window.ts';
import type { Reading } from './stream-room.ts';

/** Deliveries that the id of an event remembers one by one: so many make an id of two kilobytes, which fits into a header. */
export const deliveryMarks = 245;

/** Those that it remembers by their number and sum besides. */
const summedDeliveries = 2_000;

/** Makes the id of an event: it says what the event's reader has seen by then. */
export type EventId = () => string;

/** Events of one moment, the oldest first: deliveries of one reading, or a state. Each is made on demand, and is one for all who ask. */
export interface Arrivals {
  readonly length: number;
  readonly reading: Reading;
  at(index: number): DeliveryArrivedParent | FeedStateChangedParent | undefined;
}

/** What a returning reader has missed. */
export interface MissedArrivals {
  readonly deliveries: readonly WebhookDeliveryRecord[];
  readonly arrivals: Arrivals;
  /** What the reader has seen with these, where there are more than could be taken; else null. */
  readonly seen: SeenDeliveries | null;
}

/** Gives the deliveries of one list their ids. */
export class EventIds {
  readonly #list: string;
  readonly #overlapMs: number;

  /** `list` names the list by its endpoint and filter. */
  constructor(list: string, overlapMs: number) {
    this.#list = list;
    this.#overlapMs = overlapMs;
  }

  /** Deliveries that are new to readers with this window. */
  arrivals(
    before: DeliveryWindow,
    deliveries: readonly WebhookDeliveryRecord[],
    now: Moment,
    reading: Reading,
  ): Arrivals {
    const seenAfter = trailOf(before, deliveries, this.#overlapMs, now);
    const made: (DeliveryArrivedParent | undefined)[] = [];
    return {
      length: deliveries.length,
      reading,
      at: (index) => {
        const delivery = deliveries[index];
        if (delivery === undefined) return undefined;
        return (made[index] ??= { delivery, eventId: once(() => encodeEventId(this.#list, seenAfter(index))) });
      },
    };
  }

  /**
   * Finds the rows that readers have missed, given what each had seen. Readers who had seen the same share them. `take` says how many
   * of the oldest may be taken.
   */
  missed(
    rows: DeliveryRows,
    now: Moment,
    reading: Reading,
    take: (missed: readonly WebhookDeliveryRecord[]) => number,
  ): (seen: SeenDeliveries) => MissedArrivals {
    const find = missedIn(rows, this.#overlapMs, now);
    const missedBy = (eventId: string, seen: SeenDeliveries): MissedArrivals => {
      const { window, missed } = find(seen);
      const deliveries = missed.slice(0, take(missed));
      const arrivals = this.arrivals(window, deliveries, now, reading);
      if (deliveries.length === missed.length) return { deliveries, arrivals, seen: null };
      const last = arrivals.at(deliveries.length - 1)?.eventId() ?? eventId;
      return { deliveries, arrivals, seen: decodeEventId(this.#list, last) ?? seen };
    };
    // When a gateway is replaced, all its readers come back, and most had seen the same.
    const found = new Map<string, MissedArrivals>();
    return (seen) => {
      const eventId = encodeEventId(this.#list, seen);
      const missed = found.get(eventId) ?? missedBy(eventId, seen);
      found.set(eventId, missed);
      return missed;
    };
  }

  /** The id of all that a window knows. */
  ofWindow(window: DeliveryWindow, now: Moment): EventId {
    return once(() => encodeEventId(this.#list, trailOf(window, [], this.#overlapMs, now)(-1)));
  }

  /** The id of what a reader had seen. */
  ofSeen(seen: SeenDeliveries): EventId {
    return once(() => encodeEventId(this.#list, seen));
  }
}

/** Forgets `make` as soon as the id is made: a stream holds the id of its last event for hours. */
function once(make: EventId): EventId {
  let made: string | EventId = make;
  return () => (typeof made === 'string' ? made : (made = made()));
}

/** Names a delivery in a few characters: 48 bits of a hash of its identity. */
type DeliveryMark = string;

/** The deliveries at the newest end of a list that the reader of a stream has seen, short enough for a header. */
export interface SeenDeliveries {
  /** When the newest of them began; null where there was none. */
  readonly newest: Moment | null;
  /** The deliveries within the overlap before that, at most `deliveryMarks` of the newest. */
  readonly marks: readonly DeliveryMark[];
  /** Those that began within the overlap, but before all of these; null where there are none, or too many. Then they may be sent again. */
  readonly rest: DeliverySum | null;
}

/** Deliveries by how many they are and by the sum of their marks, bit by bit without carry, which tells single ones that are missing. */
export interface DeliverySum {
  readonly count: number;
  readonly sum: bigint;
}

const deliveryMarkLength = 8;
const checkLength = 8;
const form = new RegExp(
  String.raw`^1\.(\d{14,23})?\.((?:[\w-]{${deliveryMarkLength}}){0,${deliveryMarks}})(?:\.(\d{1,4})-([\da-f]{1,12}))?\.([\w-]{${checkLength}})$`,
);
const eachMark = new RegExp(`.{${deliveryMarkLength}}`, 'g');

/** The mark of a delivery by its identity. */
export function deliveryMarkOf(identity: string): DeliveryMark {
  return hash('sha256', identity, 'base64url').slice(0, deliveryMarkLength);
}

/** The id of an event (HTML, "Server-sent events"). Its check ties it to the list: endpoint and filter. It is no secret. */
export function encodeEventId(list: string, { newest, marks, rest }: SeenDeliveries): string {
  const summed = rest === null ? '' : `.${rest.count}-${rest.sum.toString(16)}`;
  const body = `1.${newest === null ? '' : digitsOf(newest)}.${marks.join('')}${summed}`;
  return `${body}.${check(list, body)}`;
}

/** The deliveries that the reader of an event of `list` had seen; null for any other text. */
export function decodeEventId(list: string, eventId: string): SeenDeliveries | null {
  const [, digits, marks = '', count, sum, given] = form.exec(eventId) ?? [];
  if (given === undefined || given !== check(list, eventId.slice(0, -1 - checkLength))) return null;
  const newest = digits === undefined ? null : momentOfDigits(digits);
  // Anybody can make an id with a valid check and any digits.
  if (newest !== null && beginningOf({ started_at: newest }) === null) return null;
  const rest = sum === undefined ? null : { count: Number(count), sum: BigInt(`0x${sum}`) };
  return { newest, marks: marks.match(eachMark) ?? [], rest };
}

function numberOf(mark: DeliveryMark): bigint {
  return BigInt(`0x${Buffer.from(mark, 'base64url').toString('hex')}`);
}

function check(list: string, body: string): string {
  return hash('sha256', `${list}\n${body}`, 'base64url').slice(0, checkLength);
}

/** A delivery as an event id has it. */
interface Seen {
  readonly moment: Moment | null;
  readonly mark: DeliveryMark;
  /** The mark as a number, made on demand. */
  readonly number: () => bigint;
}

/**
 * Makes the seen deliveries after each of some deliveries, which are new to a reader with this window, the oldest first; index -1
 * is before the first of them. The work is done on demand, and is bounded by the number of marks.
 */
export function trailOf(
  { newest, seen }: DeliveryWindow,
  fresh: readonly WebhookDeliveryRecord[],
  overlapMs: number,
  now: Moment,
): (index: number) => SeenDeliveries {
  const freshAt = seenAt(fresh);
  let before: readonly Seen[] | undefined;
  let lastPast: number | undefined;

  function earlier(): readonly Seen[] {
    const dated = [...seen].map(([id, moment]) => ({ id, moment }));
    const kept = dated.sort((a, b) => newestFirst(a.moment, b.moment)).slice(0, deliveryMarks + summedDeliveries + 1);
    return kept.map(({ id, moment }) => seenOf(moment, deliveryMarkOf(id)));
  }

  /** Deliveries without a moment come last, behind those from the future. */
  function newestAt(index: number): Moment | null {
    lastPast ??= fresh.findLastIndex((row) => isPast(beginningOf(row), now));
    const last = Math.min(index, lastPast);
    return last < 0 ? newest : laterOf(newest, freshAt(last).moment);
  }

  return (index) => {
    before ??= earlier();
    const until = newestAt(index);
    const watermark = watermarkOf({ newest: until }, overlapMs);
    const known: Seen[] = [];
    for (
      let [old, at] = [0, index];
      known.length <= deliveryMarks + summedDeliveries && (old < before.length || at >= 0);
    ) {
      const isOld = at < 0 || (old < before.length && newestFirst(before[old]!.moment, freshAt(at).moment) <= 0);
      const next = isOld ? before[old++]! : freshAt(at--);
      if (isBefore(next.moment, watermark)) break;
      known.push(next);
    }
    return { newest: until, ...marksOf(known) };
  };
}

/**
 * Finds the deliveries that readers have missed among rows read since the earliest watermark, the oldest first, and the window of those
 * that each reader had seen. The rows are sorted once for all.
 */
export function missedIn(rows: DeliveryRows, overlapMs: number, now: Moment) {
  const { fresh } = advance(emptyWindow, rows, overlapMs, now);
  const rowAt = seenAt(fresh);
  return ({ newest, marks, rest }: SeenDeliveries) => {
    const known = new Set(marks);
    const watermark = watermarkOf({ newest }, overlapMs);
    const from = fresh.findIndex((_row, index) => !isBefore(rowAt(index).moment, watermark));
    const newer = fresh.slice(from < 0 ? fresh.length : from).map((row, index) => ({ row, ...rowAt(from + index) }));
    const summed = summedAmong(newer, known, newest, rest);
    const seen = new Map<string, Moment | null>();
    const missed = newer.filter((each) => {
      if (!known.has(each.mark) && !summed.has(each)) return true;
      seen.set(deliveryIdentityOf(each.row), each.moment);
      return false;
    });
    const window: DeliveryWindow = { newest, seen };
    return { window, missed: missed.map(({ row }) => row) };
  };
}

/** Those of some rows that a reader has seen without a mark: all that began before the marked ones, but for those that came late. */
function summedAmong<Row extends Seen>(
  rows: readonly Row[],
  known: ReadonlySet<DeliveryMark>,
  newest: Moment | null,
  rest: DeliverySum | null,
): ReadonlySet<Row> {
  if (rest === null) return new Set();
  const marked = rows.find(({ mark, moment }) => known.has(mark) && moment !== null);
  if (marked === undefined && known.size > 0) return new Set();
  const isOlder = ({ moment }: Row): boolean =>
    moment !== null && (marked === undefined ? !isBefore(newest, moment) : isBefore(moment, marked.moment));
  const older = rows.filter(isOlder);
  const late = unsummed(
    older.map(({ number }) => number()),
    rest,
  );
  if (late === null) return new Set();
  return new Set(older.filter((_row, index) => !late.includes(index)));
}

/** The newest by their marks, and the others by their sum. Deliveries of one moment are on one side. */
function marksOf(newestOnes: readonly Seen[]): Pick<SeenDeliveries, 'marks' | 'rest'> {
  const beyond = newestOnes[deliveryMarks];
  const cut = beyond === undefined ? -1 : newestOnes.findIndex(({ moment }) => moment === beyond.moment);
  const isSummed = beyond !== undefined && beyond.moment !== null && newestOnes.length - cut <= summedDeliveries;
  const marked = isSummed ? newestOnes.slice(0, cut) : newestOnes.slice(0, deliveryMarks);
  const marks = marked.map(({ mark }) => mark);
  if (!isSummed) return { marks, rest: null };
  return { marks, rest: sumOf(newestOnes.slice(cut).map(({ number }) => number())) };
}

function sumOf(numbers: readonly bigint[]): DeliverySum {
  return { count: numbers.length, sum: numbers.reduce((sum, number) => sum ^ number, 0n) };
}

/** The indices of those that are not among the summed ones: none, one or two; null where it cannot be told. */
function unsummed(numbers: readonly bigint[], rest: DeliverySum): readonly number[] | null {
  const difference = sumOf(numbers).sum ^ rest.sum;
  const more = numbers.length - rest.count;
  if (more === 0) return difference === 0n ? [] : null;
  if (more === 1) return difference !== 0n && numbers.includes(difference) ? [numbers.indexOf(difference)] : null;
  if (more !== 2) return null;
  const indices = new Map(numbers.map((number, index) => [number, index]));
  for (const [index, number] of numbers.entries()) {
    const other = indices.get(number ^ difference) ?? index;
    if (other !== index) return [index, other];
  }
  return null;
}

function isPast(moment: Moment | null, now: Moment): boolean {
  return moment !== null && !isBefore(now, moment);
}

function seenOf(moment: Moment | null, mark: DeliveryMark): Seen {
  let made: bigint | undefined;
  return { moment, mark, number: () => (made ??= numberOf(mark)) };
}

/** The moment and mark of each delivery, made on demand and once. */
function seenAt(rows: readonly WebhookDeliveryRecord[]): (index: number) => Seen {
  const made: (Seen | undefined)[] = [];
  return (index) => {
    const row = rows[index] as WebhookDeliveryRecord;
    return (made[index] ??= seenOf(beginningOf(row), deliveryMarkOf(deliveryIdentityOf(row))));
  };
}

/** Newest first; moments that are null come before all, since those deliveries are remembered for as long as they are read. */
function newestFirst(left: Moment | null, right: Moment | null): number {
  if (left === null || right === null) return Number(right === null) - Number(left === null);
  return compareMoments(right, left);
}
