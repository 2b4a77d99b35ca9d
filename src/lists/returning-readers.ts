import { gatewayErrorsOf } from '../errors.ts';
import type { Moment } from '../paging/moment.ts';
import type { DeliveryQueue } from './delivery-queue.ts';
import { emptyWindow, isBefore, watermarkOf, type DeliveryRows } from './delivery-window.ts';
import type { SeenDeliveries } from './seen-deliveries.ts';

/** One who has come back to a stream, with what they had seen, and the rows in which what they have missed is found. */
export interface Returned {
  readonly queue: DeliveryQueue;
  readonly seen: SeenDeliveries;
  readonly rows: DeliveryRows;
}

/** Reads all rows of the list that began at a moment or later; the whole list where there is none. */
export type ReadSince = (moment: Moment | null) => Promise<DeliveryRows>;

/** Those who have come back and are still to be sent what they have missed. */
export interface ReturningReaders {
  readonly size: number;
  has(queue: DeliveryQueue): boolean;
  add(queue: DeliveryQueue, seen: SeenDeliveries): void;
  delete(queue: DeliveryQueue): void;
  /**
   * Reads for each what lies before `from`, which is as far back as is read for all. Who has been away for too long is told so
   * by the end of their stream, and nobody else is; a failure that may pass leaves them here for the next time.
   */
  read(from: Moment | null, readSince: ReadSince): Promise<readonly Returned[]>;
}

// A minute, in the digits of a moment: who left in the same one, as all do when a gateway is replaced, shares a reading.
const minuteLength = 12;

/** Nobody has come back yet. */
export function createReturningReaders(overlapMs: number): ReturningReaders {
  const readers = new Map<DeliveryQueue, SeenDeliveries>();

  function sinceOf({ newest }: SeenDeliveries): Moment | null {
    const watermark = watermarkOf({ ...emptyWindow, newest }, overlapMs);
    return watermark === null ? null : `${watermark.slice(0, minuteLength)}00`;
  }

  async function readFor(
    [queue, seen]: readonly [DeliveryQueue, SeenDeliveries],
    reading: Promise<DeliveryRows>,
  ): Promise<readonly Returned[]> {
    try {
      return [{ queue, seen, rows: await reading }];
    } catch (error) {
      if (gatewayErrorsOf(error).every(({ retryable }) => retryable)) return [];
      readers.delete(queue);
      queue.end(error as Error);
      return [];
    }
  }

  return {
    get size() {
      return readers.size;
    },
    has: (queue) => readers.has(queue),
    add: (queue, seen) => void readers.set(queue, seen),
    delete: (queue) => void readers.delete(queue),
    async read(from, readSince) {
      const readings = new Map<Moment | null, Promise<DeliveryRows>>();
      const returned = [...readers].map((reader) => {
        const since = sinceOf(reader[1]);
        const isFurther = from !== null && (since === null || isBefore(since, from));
        const reading = readings.get(since) ?? (isFurther ? readSince(since) : Promise.resolve([]));
        readings.set(since, reading);
        return readFor(reader, reading);
      });
      return (await Promise.all(returned)).flat();
    },
  };
}
