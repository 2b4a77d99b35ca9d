import type { Moment } from '../paging/moment.ts';
import { isBefore, watermarkOf, type DeliveryRows } from './delivery-window.ts';
import type { SeenDeliveries } from './seen-deliveries.ts';
import type { ListClock } from './delivery-reading.ts';
import { waitAfterFailure, type PaceOptions } from './poll-pace.ts';

/** Reads all rows of the list that began at a moment or later; the whole list without a moment. */
export type ReadSince = (moment: Moment | null) => Promise<DeliveryRows>;

/** What ends with a failure of its own. */
interface Reader {
  end(failure: Error): void;
}

/** A reader who has come back to a stream, with the deliveries that the reader had seen. */
export type ReturningReader<Queue extends Reader> = readonly [queue: Queue, seen: SeenDeliveries];

/** The rows that were read of a list, and the returning readers for whom they are enough. */
export interface ReturnReading<Queue extends Reader> {
  readonly rows: DeliveryRows;
  readonly returned: readonly ReturningReader<Queue>[];
}

/** The readers who have come back, until they are sent the deliveries that they have missed. */
export interface ReturningReaders<Queue extends Reader> {
  readonly size: number;
  has(queue: Queue): boolean;
  add(queue: Queue, seen: SeenDeliveries): void;
  delete(queue: Queue): void;
  /**
   * Reads the list from a moment on, and further back where returning readers need it, all in one reading. Where a reader was
   * away for too long, the stream of that reader alone ends with the failure. After a failure that may pass the reader waits
   * here, twice as long each time.
   */
  read(from: Moment | null, readSince: ReadSince): Promise<ReturnReading<Queue>>;
}

export interface ReturningOptions extends PaceOptions {
  readonly overlapMs: number;
  readonly clock: ListClock;
}

/** A reader who waits for missed deliveries. */
interface Waiting {
  readonly seen: SeenDeliveries;
  failures: number;
  /** By performance.now(), in milliseconds. */
  notBefore: number;
}

/** A reader who gets the missed deliveries with the next reading. */
interface Due<Queue extends Reader> {
  readonly queue: Queue;
  readonly waiting: Waiting;
  /** Without moments of the future. */
  readonly seen: SeenDeliveries;
  /** The moment from which the list must be read for this reader. */
  readonly since: Moment | null;
}

/** Returning readers, at first none. */
export function createReturningReaders<Queue extends Reader>(options: ReturningOptions): ReturningReaders<Queue> {
  const readers = new Map<Queue, Waiting>();

  function postpone(queue: Queue, waiting: Waiting, error: unknown): void {
    waiting.failures += 1;
    try {
      waiting.notBefore = performance.now() + waitAfterFailure(error, waiting.failures, options);
    } catch {
      readers.delete(queue);
      queue.end(error as Error);
    }
  }

  function dueOf([queue, waiting]: readonly [Queue, Waiting]): Due<Queue> {
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
      // Readers who have stayed do not wait for those who had gone.
      const near = due.filter(({ since }) => earlierOf(since, from) === from);
      return { rows: await readSince(from), returned: near.map(returnedOf) };
    },
  };
}

function returnedOf<Queue extends Reader>({ queue, seen }: Due<Queue>): ReturningReader<Queue> {
  return [queue, seen];
}

/** The moment from which there is more to read. */
function earlierOf(left: Moment | null, right: Moment | null): Moment | null {
  if (left === null || right === null) return null;
  return isBefore(left, right) ? left : right;
}

/** Replaces a moment of the future: its reader would wait until then. Clocks may differ by the overlap. */
function believed(seen: SeenDeliveries, { clock, overlapMs }: ReturningOptions): SeenDeliveries {
  const now = clock.now();
  return isBefore(now, watermarkOf(seen, overlapMs)) ? { ...seen, newest: now } : seen;
}
