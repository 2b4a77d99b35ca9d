import type { Moment } from '../moment.ts';
import { presentOf, type ReadingOptions } from './delivery-reading.ts';
import { isBefore, watermarkOf, type DeliveryRows } from './delivery-window.ts';
import type { SeenDeliveries } from './event-ids.ts';

/** A reader who has come back, and waits for the deliveries that were missed. */
export interface Returning {
  seen: SeenDeliveries;
  /** How often what was missed could not be read. */
  failures: number;
  /** By performance.now(), in milliseconds. */
  notBefore: number;
}

/** A reader who gets what was missed with the next reading. */
interface Due<Reader> {
  readonly reader: Reader;
  readonly seen: SeenDeliveries;
  /** From when on the list must be read for the reader; null: all of it. */
  readonly since: Moment | null;
}

/**
 * Reads a list from a moment on, and further back where returning readers need it, all in one reading. Returns the rows, and the
 * readers for whom they are enough. What must be read for one alone may fail: `whenFailed` runs then, and all others get theirs.
 */
export async function readForReturning<Reader extends { readonly returning: Returning | null }>(
  readers: Iterable<Reader>,
  from: Moment | null,
  readSince: (moment: Moment | null) => Promise<DeliveryRows>,
  options: ReadingOptions,
  whenFailed: (reader: Reader, error: unknown) => void,
): Promise<{ readonly rows: DeliveryRows; readonly returned: readonly Due<Reader>[] }> {
  const due = [...readers].flatMap((reader) => dueOf(reader, options));
  const oldest = due.map(({ since }) => since).reduce(earlierOf, from);
  if (oldest !== from) {
    try {
      return { rows: await readSince(oldest), returned: due };
    } catch (error) {
      for (const { reader, since } of due) if (since === oldest) whenFailed(reader, error);
    }
  }
  // Readers who have stayed do not wait for those who had gone.
  return { rows: await readSince(from), returned: due.filter(({ since }) => earlierOf(since, from) === from) };
}

function dueOf<Reader extends { readonly returning: Returning | null }>(
  reader: Reader,
  options: ReadingOptions,
): readonly Due<Reader>[] {
  const { returning } = reader;
  if (returning === null || returning.notBefore > performance.now()) return [];
  const seen = believed(returning.seen, options);
  return [{ reader, seen, since: watermarkOf(seen, options.overlapMs) }];
}

/** Replaces a moment of the future: its reader would wait until then. Clocks may differ by the overlap. */
function believed(seen: SeenDeliveries, options: ReadingOptions): SeenDeliveries {
  const now = presentOf(options);
  return isBefore(now, watermarkOf(seen, options.overlapMs)) ? { ...seen, newest: now } : seen;
}

/** The moment from which there is more to read. */
function earlierOf(left: Moment | null, right: Moment | null): Moment | null {
  if (left === null || right === null) return null;
  return isBefore(left, right) ? left : right;
}
