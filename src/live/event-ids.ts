import { hash } from 'node:crypto';
import { compareMoments, digitsOf, momentOf, momentOfDigits, type Moment } from '../moment.ts';
import type { WebhookDeliveryRecord } from '../generated/records.ts';
import {
  advance,
  beginningOf,
  emptyWindow,
  deliveryIdentityOf,
  isBefore,
  laterOf,
  watermarkOf,
  type Deliveries,
  type DeliveryWindow,
} from './delivery-window.ts';
import type { Arrivals } from './shared-stream.ts';
import type { Reading } from './stream-room.ts';
import type { ArrivedEvent, EventId } from './stream.ts';

/** Deliveries that the id of an event remembers: so many make an id of two kilobytes, which fits into a header. */
export const deliveryMarks = 250;

/** What a returning reader has missed. */
export interface MissedArrivals {
  readonly deliveries: Deliveries;
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
  arrivals(before: DeliveryWindow, deliveries: Deliveries, now: Moment, reading: Reading): Arrivals {
    const seenAfter = trailOf(before, deliveries, this.#overlapMs, now);
    const made: (ArrivedEvent | undefined)[] = [];
    return {
      length: deliveries.length,
      reading,
      at: (index) => {
        const delivery = deliveries[index];
        if (delivery === undefined) return undefined;
        return (made[index] ??= eventOf(
          delivery,
          once(() => encodeEventId(this.#list, seenAfter(index))),
        ));
      },
    };
  }

  /**
   * Finds the rows that readers have missed, given what each had seen. Readers who had seen the same share them. `take` says how many
   * of the oldest may be taken.
   */
  missed(
    rows: Deliveries,
    now: Moment,
    reading: Reading,
    take: (missed: Deliveries) => number,
  ): (seen: SeenDeliveries) => MissedArrivals {
    const find = missedIn(rows, this.#overlapMs, now);
    const missedBy = (seen: SeenDeliveries): MissedArrivals => {
      const { window, missed } = find(seen);
      const deliveries = missed.slice(0, take(missed));
      const arrivals = this.arrivals(window, deliveries, now, reading);
      if (deliveries.length === missed.length) return { deliveries, arrivals, seen: null };
      if (deliveries.length === 0) return { deliveries, arrivals, seen };
      // All that has been seen: by as many as an id has, the next part could be the same one again.
      const seenAfter = trailOf(window, deliveries, this.#overlapMs, now);
      return { deliveries, arrivals, seen: seenAfter(deliveries.length - 1, Infinity) };
    };
    // When a gateway is replaced, all its readers come back, and most had seen the same.
    const found = new Map<string, MissedArrivals>();
    return (seen) => {
      const key = JSON.stringify(seen);
      const missed = found.get(key) ?? missedBy(seen);
      found.set(key, missed);
      return missed;
    };
  }

  ofWindow(window: DeliveryWindow, now: Moment): EventId {
    return once(() => encodeEventId(this.#list, trailOf(window, [], this.#overlapMs, now)(-1)));
  }

  ofSeen(seen: SeenDeliveries): EventId {
    return once(() => encodeEventId(this.#list, seen));
  }
}

function eventOf(delivery: WebhookDeliveryRecord, eventId: EventId): ArrivedEvent {
  return {
    delivery,
    eventId,
    get cursor() {
      return eventId();
    },
  };
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
const form = new RegExp(
  String.raw`^1\.(\d{14,23})?\.((?:[\w-]{${deliveryMarkLength}}){0,${deliveryMarks}})\.([\w-]{${checkLength}})$`,
);
const eachMark = new RegExp(`.{${deliveryMarkLength}}`, 'g');

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
  // Anybody can make an id with a valid check and any digits, those of a leap second too.
  const newest = digits === undefined ? null : momentOf(momentOfDigits(digits));
  if (digits !== undefined && newest === null) return null;
  return { newest, marks: marks.match(eachMark) ?? [] };
}

function check(list: string, body: string): string {
  return hash('sha256', `${list}\n${body}`, 'base64url').slice(0, checkLength);
}

/** A delivery as an event id has it. */
class Seen {
  readonly identity: string;
  readonly moment: Moment | null;
  #mark: DeliveryMark | undefined;

  constructor(identity: string, moment: Moment | null) {
    this.identity = identity;
    this.moment = moment;
  }

  static of(row: WebhookDeliveryRecord): Seen {
    return new Seen(deliveryIdentityOf(row), beginningOf(row));
  }

  get mark(): DeliveryMark {
    return (this.#mark ??= deliveryMarkOf(this.identity));
  }
}

/**
 * Makes the seen deliveries after each of some deliveries, which are new to a reader with this window, the oldest first; index -1
 * is before the first of them. The work is done on demand, and is bounded by `most`, the number of deliveries that are remembered.
 */
export function trailOf(
  { newest, seen }: DeliveryWindow,
  fresh: Deliveries,
  overlapMs: number,
  now: Moment,
): (index: number, most?: number) => SeenDeliveries {
  const sorted = once(() => {
    const before = [...seen].map(([identity, moment]) => new Seen(identity, moment)).sort(newestFirst);
    const after = fresh.map((row) => Seen.of(row));
    // Deliveries without a moment come last, behind those from the future.
    const lastPast = after.findLastIndex(({ moment }) => moment !== null && !isBefore(now, moment));
    return { before, after, lastPast };
  });
  return (index, most = deliveryMarks) => {
    const { before, after, lastPast } = sorted();
    const until = laterOf(newest, after[Math.min(index, lastPast)]?.moment ?? null);
    const watermark = watermarkOf({ newest: until }, overlapMs);
    const arrived = after.slice(Math.max(0, index + 1 - most), index + 1).toReversed();
    const known = [...before.slice(0, most), ...arrived].sort(newestFirst).slice(0, most);
    return { newest: until, marks: known.filter(({ moment }) => !isBefore(moment, watermark)).map(({ mark }) => mark) };
  };
}

/**
 * Finds the deliveries that readers have missed among rows read since the earliest watermark, the oldest first, and the window of those
 * that each reader had seen. The rows are sorted once for all.
 */
export function missedIn(rows: Deliveries, overlapMs: number, now: Moment) {
  const { fresh } = advance(emptyWindow, rows, overlapMs, now);
  const listed = fresh.map((row) => ({ row, seen: Seen.of(row) }));
  return ({ newest, marks }: SeenDeliveries) => {
    const known = new Set(marks);
    const watermark = watermarkOf({ newest }, overlapMs);
    const window = new Map<string, Moment | null>();
    const missed: WebhookDeliveryRecord[] = [];
    for (const { row, seen } of listed) {
      if (isBefore(seen.moment, watermark)) continue;
      if (known.has(seen.mark)) window.set(seen.identity, seen.moment);
      else missed.push(row);
    }
    return { window: { newest, seen: window }, missed };
  };
}

/** Newest first; moments that are null come before all, since those deliveries are remembered for as long as they are read. */
function newestFirst({ moment: left }: Seen, { moment: right }: Seen): number {
  if (left === null || right === null) return Number(right === null) - Number(left === null);
  return compareMoments(right, left);
}
