import { gatewayErrorsOf } from '../errors.ts';
import type { Moment } from '../paging/moment.ts';
import type { DeliveryQueue } from './delivery-queue.ts';
import { emptyWindow, isBefore, watermarkOf, type DeliveryRows } from './delivery-window.ts';
import type { SeenDeliveries } from './event-id.ts';

/** Reads all rows of the list that began at a moment or later; the whole list where there is none. */
export type ReadSince = (moment: Moment | null) => Promise<DeliveryRows>;

/** One who has come back to a stream, with what they had seen. */
export type ReturningReader = readonly [queue: DeliveryQueue, seen: SeenDeliveries];

/** What was read of a list, and for which of those who have come back it is enough. */
export interface Reading {
  readonly rows: DeliveryRows;
  readonly returned: readonly ReturningReader[];
}

/** Those who have come back and are still to be sent what they have missed. */
export interface ReturningReaders {
  readonly size: number;
  has(queue: DeliveryQueue): boolean;
  add(queue: DeliveryQueue, seen: SeenDeliveries): void;
  delete(queue: DeliveryQueue): void;
  /**
   * Reads the list from a moment on, and for those who have come back from as long ago as they need, all in one reading. Who
   * has been away for too long is told so by the end of their stream, and nobody else is; a failure that may pass leaves them
   * here for the next time.
   */
  read(from: Moment | null, readSince: ReadSince): Promise<Reading>;
}

/** Nobody has come back yet. */
export function createReturningReaders(overlapMs: number): ReturningReaders {
  const readers = new Map<DeliveryQueue, SeenDeliveries>();

  function sinceOf([, { newest }]: ReturningReader): Moment | null {
    return watermarkOf({ ...emptyWindow, newest }, overlapMs);
  }

  function endOf(failed: readonly ReturningReader[], error: unknown): void {
    if (gatewayErrorsOf(error).every(({ retryable }) => retryable)) return;
    for (const [queue] of failed) {
      readers.delete(queue);
      queue.end(error as Error);
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
      const returned = [...readers];
      const oldest = returned.map(sinceOf).reduce(earlierOf, from);
      try {
        return { rows: await readSince(oldest), returned };
      } catch (error) {
        if (oldest === from) throw error;
        endOf(
          returned.filter((reader) => sinceOf(reader) === oldest),
          error,
        );
      }
      // Those who have stayed do not wait for those who had gone.
      const near = returned.filter((reader) => earlierOf(sinceOf(reader), from) === from);
      return { rows: await readSince(from), returned: near };
    },
  };
}

/** The one from which on there is more to be read. */
function earlierOf(left: Moment | null, right: Moment | null): Moment | null {
  if (left === null || right === null) return null;
  return isBefore(left, right) ? left : right;
}
