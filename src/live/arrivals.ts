import type { Moment } from '../paging/moment.ts';
import type { WebhookDeliveryRecord } from '../resources/webhook-delivery.ts';
import type { DeliveryRows, DeliveryWindow } from './delivery-window.ts';
import { decodeEventId, encodeEventId, type SeenDeliveries, missedIn, trailOf } from './seen-deliveries.ts';
import type { Reading } from './stream-room.ts';

/** Makes the id of an event: it says what the event's reader has seen by then. */
export type EventId = () => string;

/** A delivery of a stream. */
export interface Arrival {
  readonly delivery: WebhookDeliveryRecord;
  readonly eventId: EventId;
}

/** Arrivals of one reading, the oldest first. Each is made when it is asked for, and is one for all who ask. */
export interface Arrivals {
  readonly length: number;
  readonly reading: Reading;
  at(index: number): Arrival | undefined;
}

/** What a returning reader has missed. */
export interface MissedArrivals {
  readonly deliveries: readonly WebhookDeliveryRecord[];
  readonly arrivals: Arrivals;
  /** What the reader has seen with these, where there are more than could be taken; else null. */
  readonly seen: SeenDeliveries | null;
}

/** Gives the deliveries of one list their ids. */
export interface ArrivalsOf {
  /** Deliveries that are new to readers with this window. */
  fresh(before: DeliveryWindow, fresh: readonly WebhookDeliveryRecord[], now: Moment, reading: Reading): Arrivals;
  /**
   * Finds the rows that readers have missed, given what each had seen. Readers who had seen the same share them. `take` says how many
   * of the oldest may be taken.
   */
  missed(
    rows: DeliveryRows,
    now: Moment,
    reading: Reading,
    take: (missed: readonly WebhookDeliveryRecord[]) => number,
  ): (seen: SeenDeliveries) => MissedArrivals;
  /** The id of all that a window knows. */
  idOfWindow(window: DeliveryWindow, now: Moment): EventId;
  /** The id of what a reader had seen. */
  idOfSeen(seen: SeenDeliveries): EventId;
}

/** The arrivals of one list; `list` names it by its endpoint and filter. */
export function createArrivals(list: string, overlapMs: number): ArrivalsOf {
  function fresh(
    before: DeliveryWindow,
    deliveries: readonly WebhookDeliveryRecord[],
    now: Moment,
    reading: Reading,
  ): Arrivals {
    const seenAfter = trailOf(before, deliveries, overlapMs, now);
    const made: (Arrival | undefined)[] = [];
    return {
      length: deliveries.length,
      reading,
      at(index) {
        const delivery = deliveries[index];
        if (delivery === undefined) return undefined;
        return (made[index] ??= { delivery, eventId: once(() => encodeEventId(list, seenAfter(index))) });
      },
    };
  }

  return {
    fresh,
    missed(rows, now, reading, take) {
      const find = missedIn(rows, overlapMs, now);
      // When a gateway is replaced, all its readers come back, and most had seen the same.
      const found = new Map<string, MissedArrivals>();
      return (seen) => {
        const eventId = encodeEventId(list, seen);
        const known = found.get(eventId);
        if (known !== undefined) return known;
        const { window, missed } = find(seen);
        const taken = take(missed);
        const deliveries = missed.slice(0, taken);
        const arrivals = fresh(window, deliveries, now, reading);
        const last = taken < missed.length ? (arrivals.at(taken - 1)?.eventId() ?? eventId) : null;
        const made = { deliveries, arrivals, seen: last === null ? null : (decodeEventId(list, last) ?? seen) };
        found.set(eventId, made);
        return made;
      };
    },
    idOfWindow: (window, now) => once(() => encodeEventId(list, trailOf(window, [], overlapMs, now)(-1))),
    idOfSeen: (seen) => once(() => encodeEventId(list, seen)),
  };
}

/** Forgets `make` as soon as the id is made: a stream holds the id of its last event for hours. */
function once(make: EventId): EventId {
  let made: string | EventId = make;
  return () => (typeof made === 'string' ? made : (made = made()));
}
