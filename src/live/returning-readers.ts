import type { Moment } from '../moment.ts';
import { presentOf, waitAfterFailure, type PaceOptions, type ReadingOptions } from './delivery-reading.ts';
import { isBefore, watermarkOf, type DeliveryRows } from './delivery-window.ts';
import type { SeenDeliveries } from './event-ids.ts';
import type { StreamReader } from './stream-reader.ts';

/** Reads all rows of the list that began at a moment or later; the whole list without a moment. */
type ReadSince = (moment: Moment | null) => Promise<DeliveryRows>;

interface ReturningOptions extends PaceOptions, ReadingOptions {
  /** Runs when a reader who had seen so much has to wait, since what was missed cannot be read. */
  readonly whenPostponed: (reader: StreamReader, error: unknown, seen: SeenDeliveries) => void;
  /** The failure that ends a reader's stream, where what was missed can never be read. */
  readonly failureFor: (reader: StreamReader, error: Error) => Error;
}

/** A reader who waits for missed deliveries. */
interface Waiting {
  readonly seen: SeenDeliveries;
  failures: number;
  /** By performance.now(), in milliseconds. */
  notBefore: number;
}

/** The readers who have come back to a stream, until they are sent the deliveries that they have missed. */
export class ReturningReaders {
  readonly #options: ReturningOptions;
  readonly #readers = new Map<StreamReader, Waiting>();

  constructor(options: ReturningOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#readers.size;
  }

  has(reader: StreamReader): boolean {
    return this.#readers.has(reader);
  }

  /** What a reader had seen; undefined for one who is not here. */
  seenBy(reader: StreamReader): SeenDeliveries | undefined {
    return this.#readers.get(reader)?.seen;
  }

  /** Adds a reader, with the deliveries that the reader had seen. */
  add(reader: StreamReader, seen: SeenDeliveries): void {
    this.#readers.set(reader, { seen, failures: 0, notBefore: 0 });
  }

  delete(reader: StreamReader): void {
    this.#readers.delete(reader);
  }

  /**
   * Reads the list from a moment on, and further back where returning readers need it, all in one reading; returns the rows, and the
   * readers for whom they are enough. Where a reader was away for too long, the stream of that reader alone ends with the failure.
   * After a failure that may pass the reader waits here, twice as long each time.
   */
  async read(
    from: Moment | null,
    readSince: ReadSince,
  ): Promise<{ readonly rows: DeliveryRows; readonly returned: ReadonlyMap<StreamReader, SeenDeliveries> }> {
    const due = this.#due();
    const oldest = due.map(({ since }) => since).reduce(earlierOf, from);
    if (oldest !== from) {
      try {
        return { rows: await readSince(oldest), returned: returnedOf(due) };
      } catch (error) {
        for (const { reader, since } of due) if (since === oldest) this.#postpone(reader, error);
      }
    }
    // Readers who have stayed do not wait for those who had gone.
    const near = due.filter(({ since }) => earlierOf(since, from) === from);
    return { rows: await readSince(from), returned: returnedOf(near) };
  }

  /** Those who get what they have missed with the next reading, and the moment from which it must be read for them. */
  #due(): readonly Due[] {
    const { overlapMs } = this.#options;
    const waiting = [...this.#readers].filter(([, { notBefore }]) => notBefore <= performance.now());
    return waiting.map(([reader, each]) => {
      const seen = this.#believed(each.seen);
      return { reader, seen, since: watermarkOf(seen, overlapMs) };
    });
  }

  /** Replaces a moment of the future: its reader would wait until then. Clocks may differ by the overlap. */
  #believed(seen: SeenDeliveries): SeenDeliveries {
    const { overlapMs } = this.#options;
    const now = presentOf(this.#options);
    return isBefore(now, watermarkOf(seen, overlapMs)) ? { ...seen, newest: now } : seen;
  }

  #postpone(reader: StreamReader, error: unknown): void {
    const waiting = this.#readers.get(reader);
    if (waiting === undefined) return;
    waiting.failures += 1;
    try {
      waiting.notBefore = performance.now() + waitAfterFailure(error, waiting.failures, this.#options);
      this.#options.whenPostponed(reader, error, waiting.seen);
    } catch {
      this.#readers.delete(reader);
      reader.end(this.#options.failureFor(reader, error as Error));
    }
  }
}

interface Due {
  readonly reader: StreamReader;
  readonly seen: SeenDeliveries;
  readonly since: Moment | null;
}

function returnedOf(due: readonly Due[]): ReadonlyMap<StreamReader, SeenDeliveries> {
  return new Map(due.map(({ reader, seen }) => [reader, seen]));
}

/** The moment from which there is more to read. */
function earlierOf(left: Moment | null, right: Moment | null): Moment | null {
  if (left === null || right === null) return null;
  return isBefore(left, right) ? left : right;
}
