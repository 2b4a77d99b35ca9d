import { BudgetSpent } from '../call-budget.ts';
import { GatewayError } from '../errors.ts';
import { compareMoments, directionOf } from '../moment.ts';
import { candidatesOf, hashOfRow, noRow, type Anchor, type Reference, type RowHash, type Side } from './anchor.ts';
import { readRange, type ReadRange } from './read-range.ts';
import type { Source } from './source.ts';
import type { Bounds } from './window.ts';

/** A cursor's anchor that is to be found in a list as it is now. */
export interface SoughtAnchor<Row> {
  readonly anchor: Anchor;
  readonly side: Side;
  readonly source: Source<Row>;
}

/** The positions between two others, neither included. */
interface Gap {
  readonly low: number;
  readonly high: number;
}

// Fewer rows may run in the order of time by chance, where the list is in another order.
const leastOrdered = 10;

const everywhere: Gap = { low: -1, high: Infinity };

/**
 * Finds an anchor that has moved: in the range that has just been read, else page by page, outwards from the position where the
 * list's growth would have put it. Pages are read only where the anchor's neighbours and the order of time leave room for it.
 *
 * When all of these have been read, the row is taken to be gone, and its nearest neighbour that is left stands in for it. Where
 * none is left, the order of time shows the position; in a list without such an order, the growth of the list does. The caller
 * verifies the position by reading it. Throws QUERY_TOO_COMPLEX where `most` calls show none of that.
 */
export async function findAnchor<Row>(
  sought: SoughtAnchor<Row>,
  seen: ReadRange<Row>,
  most: number,
): Promise<Reference> {
  const { anchor, source } = sought;
  const search = new AnchorSearch(sought, seen);
  let { total } = seen;
  try {
    for (const bounds of blocksAround(expectedPosition(anchor, total), source.sizes.most, most)) {
      const known = search.locate(total);
      if (known !== null) return known;
      const { low, high } = search.gap(total);
      if (low + 1 >= bounds.to || bounds.from >= high) continue;
      const range = await readRange(source, () => bounds, { fresh: true });
      search.add(range);
      // An empty page shows the length of a list that does not report it.
      total = range.total ?? (range.rows.length === 0 ? bounds.from : total);
    }
  } catch (error) {
    if (!(error instanceof BudgetSpent)) throw error;
  }
  const found = search.locate(total) ?? search.nearest() ?? search.byTime(total);
  if (found !== null) return found;
  throw new GatewayError('QUERY_TOO_COMPLEX', {
    message: `The row of the cursor has moved, and ${most} calls did not find it. Begin again without the cursor.`,
    excess: { limit: most, actual: most + 1 },
  });
}

/** Page-sized blocks of a list: the one that holds `position`, then those behind and before it, ever further out. */
function* blocksAround(position: number, size: number, most: number): Generator<Bounds> {
  const own = Math.floor(position / size);
  for (let distance = 0; distance < most; distance++)
    for (const block of distance === 0 ? [own] : [own + distance, own - distance])
      if (block >= 0) yield { from: block * size, to: (block + 1) * size };
}

/**
 * What has been seen of a list while an anchor is looked for, and what follows from it. Rows are taken to keep their order, so
 * that the neighbours of a row stay around it.
 */
export class AnchorSearch<Row> {
  readonly #source: Source<Row>;
  readonly #anchor: Anchor;
  readonly #side: Side;
  readonly #rows = new Map<number, Row>();
  readonly #wanted: ReadonlySet<RowHash>;
  readonly #found = new Map<RowHash, number>();

  constructor({ source, anchor, side }: SoughtAnchor<Row>, seen: ReadRange<Row>) {
    this.#source = source;
    this.#anchor = anchor;
    this.#side = side;
    this.#wanted = new Set([anchor.row, ...anchor.before, ...anchor.after]);
    this.add(seen);
  }

  /** Adds the rows that were read with a range. */
  add(range: ReadRange<Row>): void {
    for (const { from, rows } of range.parts) {
      for (const [index, row] of rows.entries()) {
        const hash = hashOfRow(this.#source, row);
        this.#rows.set(from + index, row);
        if (this.#wanted.has(hash)) this.#found.set(hash, from + index);
      }
    }
  }

  /**
   * The anchor's row; or what stands in for it, once all rows between which it could stand have been seen. Null while neither
   * is known.
   */
  locate(total: number | null): Reference | null {
    const isFound = this.#found.has(this.#anchor.row) || this.#isSeen(this.gap(total));
    return isFound ? (this.nearest() ?? this.#estimate(total)) : null;
  }

  /** Where the order of time would have the anchor's row; null where too few rows show that order. */
  byTime(total: number | null): Reference | null {
    return this.#rows.size >= leastOrdered && this.#gapByTime() !== null ? this.#estimate(total) : null;
  }

  /** The best of the rows that were seen and can stand for the anchor; null where there is none. */
  nearest(): Reference | null {
    for (const { row, shift } of candidatesOf(this.#anchor, this.#side)) {
      const position = this.#found.get(row);
      if (position !== undefined) return { row, shift, position };
    }
    return null;
  }

  /** Where the anchor's row can still be. */
  gap(total: number | null): Gap {
    const whole = { low: -1, high: total ?? Infinity };
    const isOrdered = this.#source.timeOrder !== 0 || this.#rows.size >= leastOrdered;
    const byTime = (isOrdered ? this.#gapByTime() : null) ?? whole;
    const positionsOf = (rows: readonly RowHash[]): number[] => rows.flatMap((row) => this.#found.get(row) ?? []);
    const low = Math.max(whole.low, byTime.low, ...positionsOf(this.#anchor.before));
    const high = Math.min(whole.high, byTime.high, ...positionsOf(this.#anchor.after));
    return low < high ? { low, high } : whole;
  }

  /** Null where the rows do not run in time the way they did when the anchor was made. */
  #gapByTime(): Gap | null {
    const { time } = this.#anchor;
    const byPosition = [...this.#rows].sort(([a], [b]) => a - b);
    const dated = byPosition.map(([position, row]) => [position, this.#source.momentOf(row)] as const);
    const now = directionOf(dated.map(([, moment]) => moment));
    if (time === null || now === null || now * time.direction < 0) return null;
    const direction = now === 0 ? time.direction : now;
    if (direction === 0) return null;
    let { low, high } = everywhere;
    for (const [position, moment] of dated) {
      const step = moment === null ? 0 : compareMoments(moment, time.moment) * direction;
      if (step < 0) low = position;
      if (step > 0) high = Math.min(high, position);
    }
    return { low, high };
  }

  #isSeen({ low, high }: Gap): boolean {
    // It ends where nothing has been seen, although nobody may know where the list does.
    for (let position = low + 1; position < high; position++) if (!this.#rows.has(position)) return false;
    return true;
  }

  /** Where to go on when all remembered rows are gone: before the row that is there now, which is then verified. */
  #estimate(total: number | null): Reference {
    const { low, high } = this.#gapByTime() ?? everywhere;
    // Not `expectedPosition`, which is never before the head: where the head row is gone, the new head comes next.
    const boundary = this.#anchor.position + growthOf(this.#anchor, total) + (this.#side === 'after' ? 1 : 0);
    const position = Math.min(Math.max(boundary, low + 1), high, total ?? Infinity);
    const row = this.#rows.get(position);
    return { row: row === undefined ? noRow : hashOfRow(this.#source, row), position, shift: 0 };
  }
}

/** The position of a row if all rows that came or went since did so before it. */
export function expectedPosition(anchor: Anchor, total: number | null): number {
  return Math.max(0, anchor.position + growthOf(anchor, total));
}

/** How much longer a list has become; 0 where nobody knows. */
function growthOf({ total: before }: Anchor, total: number | null): number {
  return before === null || total === null ? 0 : total - before;
}
