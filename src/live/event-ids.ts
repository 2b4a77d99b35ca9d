import { hash } from 'node:crypto';
import { compareMoments, digitsOf, momentOfDigits, type Moment } from '../moment.ts';
import type { WebhookDeliveryRecord } from '../generated/records.ts';
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
import type { Arrivals } from './stream-reader.ts';
import type { Reading } from './stream-room.ts';
import type { ArrivedEvent, EventId } from './stream.ts';

/** Deliveries that the id of an event remembers: so many make an id of two kilobytes, which fits into a header. */
export const deliveryMarks = 250;

/** What a returning reader has missed. */
export interface MissedArrivals {
  readonly deliveries: readonly WebhookDeliveryRecord[];
  readonly arrivals: Arrivals;
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
    const eventOf = (delivery: WebhookDeliveryRecord, index: number): ArrivedEvent => {
      const eventId = once(() => encodeEventId(this.#list, seenAfter(index)));
      return {
        delivery,
        eventId,
        get cursor() {
          return eventId();
        },
      };
    };
    return { events: deliveries.map(eventOf), reading };
  }

  /** Finds the rows that readers have missed, given what each had seen. Readers who had seen the same share them. */
  missed(rows: DeliveryRows, now: Moment, reading: Reading): (seen: SeenDeliveries) => MissedArrivals {
    const find = missedIn(rows, this.#overlapMs, now);
    // When a gateway is replaced, all its readers come back, and most had seen the same.
    const found = new Map<string, MissedArrivals>();
    return (seen) => {
      const key = JSON.stringify(seen);
      const known = found.get(key);
      if (known !== undefined) return known;
      const { window, missed } = find(seen);
      const arrived = { deliveries: missed, arrivals: this.arrivals(window, missed, now, reading) };
      found.set(key, arrived);
      return arrived;
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

/** Makes a value on demand, and forgets `make` then: a stream holds the id of its last event for hours. */
function once<Made>(make: () => Made): () => Made {
  let state: { readonly make: () => Made } | { readonly made: Made } = { make };
  return () => {
    if ('make' in state) state = { made: state.make() };
    return state.made;
  };
}

/** Names a delivery in a few characters: 48 bits of a hash of its identity. */
type DeliveryMark = string;

/** The deliveries at the newest end of a list that the reader of a stream has seen. */
export interface SeenDeliveries {
  /** When the newest of them began; null where there was none. */
  readonly newest: Moment | null;
  /** The deliveries within the overlap before that, the newest first. Those that are not here are sent again. */
  readonly marks: readonly DeliveryMark[];
}

const deliveryMarkLength = 8;
const checkLength = 8;
// Behind the marks, ids of earlier versions have the sum of further deliveries. It is passed over.
const form = new RegExp(
  String.raw`^1\.(\d{14,23})?\.((?:[\w-]{${deliveryMarkLength}}){0,${deliveryMarks}})(?:\.\d{1,4}-[\da-f]{1,12})?\.([\w-]{${checkLength}})$`,
);
const eachMark = new RegExp(`.{${deliveryMarkLength}}`, 'g');

/** The mark of a delivery by its identity. */
export function deliveryMarkOf(identity: string): DeliveryMark {
  return hash('sha256', identity, 'base64url').slice(0, deliveryMarkLength);
}

/**
 * The id of an event (HTML, "Server-sent events"), with the newest `deliveryMarks` of those that were seen. Its check ties it to the
 * list: endpoint and filter. It is no secret.
 */
export function encodeEventId(list: string, { newest, marks }: SeenDeliveries): string {
  const body = `1.${newest === null ? '' : digitsOf(newest)}.${marks.slice(0, deliveryMarks).join('')}`;
  return `${body}.${check(list, body)}`;
}

/** The deliveries that the reader of an event of `list` had seen; null for any other text. */
export function decodeEventId(list: string, eventId: string): SeenDeliveries | null {
  const [, digits, marks = '', given] = form.exec(eventId) ?? [];
  if (given === undefined || given !== check(list, eventId.slice(0, -1 - checkLength))) return null;
  const newest = digits === undefined ? null : momentOfDigits(digits);
  // Anybody can make an id with a valid check and any digits.
  if (newest !== null && beginningOf({ started_at: newest }) === null) return null;
  return { newest, marks: marks.match(eachMark) ?? [] };
}

function check(list: string, body: string): string {
  return hash('sha256', `${list}\n${body}`, 'base64url').slice(0, checkLength);
}

/** A delivery as an event id remembers it. */
interface Seen {
  readonly identity: string;
  readonly moment: Moment | null;
}

function seenOf(row: WebhookDeliveryRecord): Seen {
  return { identity: deliveryIdentityOf(row), moment: beginningOf(row) };
}

/**
 * Makes the seen deliveries after each of some deliveries, which are new to a reader with this window, the oldest first; index -1
 * is before the first of them. The work is done on demand, and is bounded by the number of deliveries that are remembered.
 */
export function trailOf(
  { newest, seen }: DeliveryWindow,
  fresh: readonly WebhookDeliveryRecord[],
  overlapMs: number,
  now: Moment,
): (index: number) => SeenDeliveries {
  const sorted = once(() => {
    const before = [...seen].map(([identity, moment]) => ({ identity, moment })).sort(newestFirst);
    const after = fresh.map(seenOf);
    // Deliveries without a moment come last, behind those from the future.
    const lastPast = after.findLastIndex(({ moment }) => moment !== null && !isBefore(now, moment));
    return { before, after, lastPast };
  });
  return (index) => {
    const { before, after, lastPast } = sorted();
    const until = laterOf(newest, after[Math.min(index, lastPast)]?.moment ?? null);
    const watermark = watermarkOf({ newest: until }, overlapMs);
    const arrived = after.slice(Math.max(0, index + 1 - deliveryMarks), index + 1).toReversed();
    const known = [...before.slice(0, deliveryMarks), ...arrived].sort(newestFirst).slice(0, deliveryMarks);
    const within = known.filter(({ moment }) => !isBefore(moment, watermark));
    return { newest: until, marks: within.map(({ identity }) => deliveryMarkOf(identity)) };
  };
}

/**
 * Finds the deliveries that readers have missed among rows read since the earliest watermark, the oldest first, and the window of those
 * that each reader had seen. The rows are sorted once for all.
 */
export function missedIn(rows: DeliveryRows, overlapMs: number, now: Moment) {
  const listed = once(() => {
    const { fresh } = advance(emptyWindow, rows, overlapMs, now);
    return fresh.map((row) => ({ row, ...seenOf(row), mark: deliveryMarkOf(deliveryIdentityOf(row)) }));
  });
  return ({ newest, marks }: SeenDeliveries) => {
    const known = new Set(marks);
    const watermark = watermarkOf({ newest }, overlapMs);
    const recent = listed().filter(({ moment }) => !isBefore(moment, watermark));
    const window = recent
      .filter(({ mark }) => known.has(mark))
      .map(({ identity, moment }) => [identity, moment] as const);
    const missed = recent.filter(({ mark }) => !known.has(mark)).map(({ row }) => row);
    return { window: { newest, seen: new Map(window) }, missed };
  };
}

/** Newest first; moments that are null come before all, since those deliveries are remembered for as long as they are read. */
function newestFirst({ moment: left }: Seen, { moment: right }: Seen): number {
  if (left === null || right === null) return Number(right === null) - Number(left === null);
  return compareMoments(right, left);
}
