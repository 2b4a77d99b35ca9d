import { setImmediate as nextTick } from 'node:timers/promises';
import type { Moment } from '../paging/moment.ts';
import type { WebhookDeliveryRecord } from '../resources/webhook-delivery.ts';
import type { Arrival, EventId } from './delivery-event.ts';
import type { DeliveryRows, DeliveryWindow } from './delivery-window.ts';
import { encodeEventId, type SeenDeliveries } from './event-id.ts';
import { missedIn, trailOf } from './seen-deliveries.ts';

/** Arrivals of one moment, the oldest first. Each is made when it is asked for, and is one for all who ask. */
export interface Arrivals {
  readonly length: number;
  at(index: number): Arrival | undefined;
}

/** Gives the deliveries of one list their ids. */
export interface ArrivalsOf {
  /** Deliveries that are new to readers with this window. */
  fresh(before: DeliveryWindow, fresh: readonly WebhookDeliveryRecord[], now: Moment): Arrivals;
  /** The rows that each reader has missed, given what the reader had seen. Readers who had seen the same share them. */
  missed<Reader>(
    readers: readonly (readonly [Reader, SeenDeliveries])[],
    rows: DeliveryRows,
    now: Moment,
  ): Promise<Missed<Reader>>;
  /** The id of all that a window knows. */
  idOfWindow(window: DeliveryWindow, now: Moment): EventId;
  /** The id of what a reader had seen. */
  idOfSeen(seen: SeenDeliveries): EventId;
}

type Missed<Reader> = readonly (readonly [Reader, Arrivals])[];

/** The arrivals of one list; `list` names it by its endpoint and filter. */
export function createArrivals(list: string, overlapMs: number): ArrivalsOf {
  function fresh(before: DeliveryWindow, deliveries: readonly WebhookDeliveryRecord[], now: Moment): Arrivals {
    const seenAfter = trailOf(before, deliveries, overlapMs, now);
    const made: (Arrival | undefined)[] = [];
    return {
      length: deliveries.length,
      at(index) {
        const delivery = deliveries[index];
        if (delivery === undefined) return undefined;
        return (made[index] ??= { delivery, eventId: once(() => encodeEventId(list, seenAfter(index))) });
      },
    };
  }

  async function missed<Reader>(
    readers: readonly (readonly [Reader, SeenDeliveries])[],
    rows: DeliveryRows,
    now: Moment,
  ): Promise<Missed<Reader>> {
    if (readers.length === 0) return [];
    const find = missedIn(rows, overlapMs, now);
    const findFor = (seen: SeenDeliveries): Arrivals => {
      const { window, missed: deliveries } = find(seen);
      return fresh(window, deliveries, now);
    };
    // When a gateway is replaced, all its readers come back, and most had seen the same.
    const found = new Map<string, Arrivals>();
    const missing: (readonly [Reader, Arrivals])[] = [];
    for (const [reader, seen] of readers) {
      const eventId = encodeEventId(list, seen);
      const known = found.get(eventId);
      // A thousand readers who had all seen something else must not hold up all other requests.
      if (known === undefined) await nextTick();
      const arrivals = known ?? findFor(seen);
      found.set(eventId, arrivals);
      missing.push([reader, arrivals]);
    }
    return missing;
  }

  return {
    fresh,
    missed,
    idOfWindow: (window, now) => once(() => encodeEventId(list, trailOf(window, [], overlapMs, now)(-1))),
    idOfSeen: (seen) => once(() => encodeEventId(list, seen)),
  };
}

/** Forgets `make` as soon as the id is made: a stream holds the id of its last event for hours. */
function once(make: EventId): EventId {
  let made: string | EventId = make;
  return () => (typeof made === 'string' ? made : (made = made()));
}
