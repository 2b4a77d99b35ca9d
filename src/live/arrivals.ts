import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Moment } from '../paging/moment.ts';
import type { WebhookDeliveryRecord } from '../upstream/endpoints/webhook-delivery.ts';
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
  /** What each has missed of what was read, who had seen that much; those who had seen the same share it. */
  missed<Reader>(
    readers: readonly (readonly [Reader, SeenDeliveries])[],
    rows: DeliveryRows,
    now: Moment,
  ): Promise<Missed<Reader>>;
  /** The id of all that a window knows. */
  place(window: DeliveryWindow, now: Moment): EventId;
  /** The id of what a reader had seen. */
  seen(seen: SeenDeliveries): EventId;
}

type Missed<Reader> = readonly (readonly [Reader, Arrivals])[];

/** `list` names it: its operation and filter. */
export function createArrivals(list: string, overlapMs: number): ArrivalsOf {
  const fresh: ArrivalsOf['fresh'] = (before, deliveries, now) => {
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
  };

  async function missed<Reader>(
    readers: readonly (readonly [Reader, SeenDeliveries])[],
    rows: DeliveryRows,
    now: Moment,
  ): Promise<Missed<Reader>> {
    if (readers.length === 0) return [];
    const find = missedIn(rows, overlapMs, now);
    // All had seen the same where a gateway is replaced.
    const found = new Map<string, Arrivals>();
    const findFor = (had: SeenDeliveries): Arrivals => {
      const { window, missed: deliveries } = find(had);
      return fresh(window, deliveries, now);
    };
    const missing: (readonly [Reader, Arrivals])[] = [];
    for (const [reader, had] of readers) {
      const eventId = encodeEventId(list, had);
      const known = found.get(eventId);
      // A thousand who had all seen something else must not hold up everybody else.
      if (known === undefined) await nextTurn();
      const arrivals = known ?? findFor(had);
      found.set(eventId, arrivals);
      missing.push([reader, arrivals]);
    }
    return missing;
  }

  return {
    fresh,
    missed,
    place: (window, now) => once(() => encodeEventId(list, trailOf(window, [], overlapMs, now)(-1))),
    seen: (seen) => once(() => encodeEventId(list, seen)),
  };
}

/** Lets go of what it is made from as soon as it is made: a stream holds the id of its last event for hours. */
function once(make: EventId): EventId {
  let made: string | EventId = make;
  return () => (typeof made === 'string' ? made : (made = made()));
}
