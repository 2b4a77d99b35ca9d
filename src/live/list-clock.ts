import { compareMoments, momentOf, type Moment } from '../paging/moment.ts';
import { listWebhookDeliveries } from '../resources/webhook-delivery.ts';
import { beginningOf, isBefore, millisecondsOf, type DeliveryRows } from './delivery-window.ts';

/** The clock by which the deliveries of a list are dated. */
export interface ListClock {
  now(): Moment;
  /** Sets the clock by rows where it is certainly wrong: where they fill a page and all are from the future. */
  check(rows: DeliveryRows): void;
}

/** A clock that begins as the machine's, in milliseconds since 1970. */
export function createListClock(readClock: () => number = Date.now): ListClock {
  let behindMs = 0;
  const now = (): Moment => momentAt(readClock() + behindMs);
  return {
    now,
    check(rows) {
      if (rows.length < listWebhookDeliveries.pageLimit) return;
      const moments = rows.map(beginningOf).filter((moment) => moment !== null);
      const present = now();
      if (moments.length === 0 || !moments.every((moment) => isBefore(present, moment))) return;
      // The median, because single rows may have any date.
      const middle = moments.toSorted(compareMoments)[Math.floor(moments.length / 2)] ?? present;
      behindMs = millisecondsOf(middle) - readClock();
    },
  };
}

/** The moment of a time in milliseconds since 1970. */
function momentAt(milliseconds: number): Moment {
  return momentOf(new Date(milliseconds).toISOString()) ?? '';
}
