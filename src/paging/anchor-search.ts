import { candidatesOf, type Anchor, type Mark, type Reference, type Side } from './anchor.ts';
import { compareMoments, directionOf, type Direction, type Moment } from './moment.ts';
import type { ReadRange } from './read-range.ts';
import { markOfRow } from './row-identity.ts';
import type { Source } from './source.ts';

/** The positions between two others, neither included. */
export interface Gap {
  readonly low: number;
  readonly high: number;
}

// Fewer rows may run in the order of time by chance, where the list is in another order.
const leastOrdered = 10;

const everywhere: Gap = { low: -1, high: Infinity };

/**
 * What has been seen of a list while an anchor is looked for, and what follows from it. Rows are taken to keep their order, so
 * that the neighbours of a row stay around it.
 */
export class AnchorSearch<Row> {
  readonly #source: Source<Row>;
  readonly #anchor: Anchor;
  readonly #side: Side;
  readonly #rows = new Map<number, Row>();
  readonly #wanted: ReadonlySet<Mark>;
  readonly #found = new Map<Mark, number>();

  constructor(source: Source<Row>, anchor: Anchor, side: Side) {
    this.#source = source;
    this.#anchor = anchor;
    this.#side = side;
    this.#wanted = new Set([anchor.mark, ...anchor.before, ...anchor.after]);
  }

  /** Adds the rows that were read with a range. */
  add(range: ReadRange<Row>): void {
    for (const { from, to } of range.read) {
      for (let position = from; position < to; position++) {
        const row = range.rowAt(position);
        if (row === undefined) break;
        const mark = markOfRow(this.#source, row);
        this.#rows.set(position, row);
        if (this.#wanted.has(mark)) this.#found.set(mark, position);
      }
    }
  }

  /**
   * The anchor's row; or what stands in for it, once all rows between which it could stand have been seen. Null while neither
   * is known.
   */
  locate(total: number | null): Reference | null {
    const isFound = this.#found.has(this.#anchor.mark) || this.#isSeen(this.gap(total));
    return isFound ? (this.nearest() ?? this.#estimate(total)) : null;
  }

  /** What stands in for the anchor's row where no more may be read, though the row may still exist; null where nothing can. */
  standIn(total: number | null): Reference | null {
    const isOrdered = this.#rows.size >= leastOrdered && this.#gapByTime() !== null;
    return this.nearest() ?? (isOrdered ? this.#estimate(total) : null);
  }

  /** The best of the rows that were seen and can stand for the anchor; null where there is none. */
  nearest(): Reference | null {
    for (const { mark, shift } of candidatesOf(this.#anchor, this.#side)) {
      const position = this.#found.get(mark);
      if (position !== undefined) return { mark, shift, position };
    }
    return null;
  }

  /** Where the anchor's row can still be. */
  gap(total: number | null): Gap {
    const whole = { low: -1, high: total ?? Infinity };
    const isOrdered = this.#source.timeOrder !== 0 || this.#rows.size >= leastOrdered;
    const gaps = [whole, this.#gapByMarks(), (isOrdered ? this.#gapByTime() : null) ?? whole];
    const low = Math.max(...gaps.map((gap) => gap.low));
    const high = Math.min(...gaps.map((gap) => gap.high));
    return low < high ? { low, high } : whole;
  }

  #gapByMarks(): Gap {
    const positionsOf = (marks: readonly Mark[]): number[] => marks.flatMap((mark) => this.#found.get(mark) ?? []);
    const { before, after } = this.#anchor;
    return { low: Math.max(-1, ...positionsOf(before)), high: Math.min(Infinity, ...positionsOf(after)) };
  }

  /** Null where the rows do not run in time the way they did when the anchor was made. */
  #gapByTime(): Gap | null {
    const { time } = this.#anchor;
    const dated = this.#datedRows();
    const now = directionOf(dated.map(([, moment]) => moment));
    if (time === null || now === null || now * time.direction < 0) return null;
    const direction: Direction = now === 0 ? time.direction : now;
    if (direction === 0) return null;
    let { low, high } = everywhere;
    for (const [position, moment] of dated) {
      const step = moment === null ? 0 : compareMoments(moment, time.moment) * direction;
      if (step < 0) low = position;
      if (step > 0) high = Math.min(high, position);
    }
    return { low, high };
  }

  /** The moments of the rows by position, in order. */
  #datedRows(): readonly (readonly [position: number, moment: Moment | null])[] {
    const byPosition = [...this.#rows].sort(([a], [b]) => a - b);
    return byPosition.map(([position, row]) => [position, this.#source.momentOf(row)]);
  }

  #isSeen({ low, high }: Gap): boolean {
    if (high === Infinity) return false;
    for (let position = low + 1; position < high; position++) if (!this.#rows.has(position)) return false;
    return true;
  }

  /** Where to go on when all remembered rows are gone: before the row that is there now, whose mark is then verified. */
  #estimate(total: number | null): Reference {
    const { low, high } = this.#gapByTime() ?? everywhere;
    // Not `expectedPosition`, which is never before the head: where the head row is gone, the new head comes next.
    const boundary = this.#anchor.position + growthOf(this.#anchor, total) + (this.#side === 'after' ? 1 : 0);
    const position = Math.min(Math.max(boundary, low + 1), high, total ?? Infinity);
    const row = this.#rows.get(position);
    return { mark: row === undefined ? '' : markOfRow(this.#source, row), position, shift: 0 };
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
