import type { Moment } from '../paging/moment.ts';
import type { DeliveryQueue } from './delivery-queue.ts';
import { isBefore, watermarkOf, type DeliveryRows } from './delivery-window.ts';
import type { SeenDeliveries } from './event-id.ts';
import type { ListClock } from './list-clock.ts';
import { waitAfterFailure, type PaceOptions } from './poll-pace.ts';

/** Reads all rows of the list that began at a moment or later; the whole list where there is none. */
export type ReadSince = (moment: Moment | null) => Promise<DeliveryRows>;

/** One who has come back to a stream, with what they had seen. */
export type ReturningReader = readonly [queue: DeliveryQueue, seen: SeenDeliveries];

/** What was read of a list, and for which of those who have come back it is enough. */
export interface ReturnReading {
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
   * has been away for too long is told so by the end of their stream, and nobody else is; a failure that may pass has them
   * wait here, twice as long each time.
   */
  read(from: Moment | null, readSince: ReadSince): Promise<ReturnReading>;
}

export interface ReturningOptions extends PaceOptions {
  readonly overlapMs: number;
  readonly clock: ListClock;
}

/** One who waits for what they have missed. */
interface Waiting {
  readonly seen: SeenDeliveries;
  failures: number;
  /** By performance.now(), in milliseconds. */
  notBefore: number;
}

/** One who is to be sent what they have missed with the next reading. */
interface Due {
  readonly queue: DeliveryQueue;
  readonly waiting: Waiting;
  /** As far as it can be believed. */
  readonly seen: SeenDeliveries;
  /** From when on must be read for them. */
  readonly since: Moment | null;
}

/** Nobody has come back yet. */
export function createReturningReaders(options: ReturningOptions): ReturningReaders {
  const readers = new Map<DeliveryQueue, Waiting>();

  function postpone(queue: DeliveryQueue, waiting: Waiting, error: unknown): void {
    waiting.failures += 1;
    try {
      waiting.notBefore = performance.now() + waitAfterFailure(error, waiting.failures, options);
    } catch {
      readers.delete(queue);
      queue.end(error as Error);
    }
  }

  function dueOf([queue, waiting]: readonly [DeliveryQueue, Waiting]): Due {
    const seen = believed(waiting.seen, options);
    return { queue, waiting, seen, since: watermarkOf(seen, options.overlapMs) };
  }

  return {
    get size() {
      return readers.size;
    },
    has: (queue) => readers.has(queue),
    add(queue, seen) {
      readers.set(queue, { seen, failures: 0, notBefore: 0 });
    },
    delete: (queue) => void readers.delete(queue),
    async read(from, readSince) {
      const due = [...readers].filter(([, { notBefore }]) => notBefore <= performance.now()).map(dueOf);
      const oldest = due.map(({ since }) => since).reduce(earlierOf, from);
      if (oldest !== from) {
        try {
          return { rows: await readSince(oldest), returned: due.map(returnedOf) };
        } catch (error) {
          for (const { queue, waiting, since } of due) if (since === oldest) postpone(queue, waiting, error);
        }
      }
      // Those who have stayed do not wait for those who had gone.
      const near = due.filter(({ since }) => earlierOf(since, from) === from);
      return { rows: await readSince(from), returned: near.map(returnedOf) };
    },
  };
}

function returnedOf({ queue, seen }: Due): ReturningReader {
  return [queue, seen];
}

/** The one from which on there is more to be read. */
function earlierOf(left: Moment | null, right: Moment | null): Moment | null {
  if (left === null || right === null) return null;
  return isBefore(left, right) ? left : right;
}

/** Nobody has seen the future: an id that says so would have its reader wait until then. Clocks may differ a little. */
function believed(seen: SeenDeliveries, { clock, overlapMs }: ReturningOptions): SeenDeliveries {
  const now = clock.now();
  return isBefore(now, watermarkOf(seen, overlapMs)) ? { ...seen, newest: now } : seen;
}
