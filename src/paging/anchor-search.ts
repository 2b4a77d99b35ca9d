import { candidatesOf, looksOf, markOf, type Anchor, type Mark, type Reference, type Side } from './anchor.ts';
import { compareMoments, directionOf, type Direction } from './moment.ts';
import type { Source } from './source.ts';
import type { ReadRange } from './read-range.ts';

/** What has been seen of a list while an anchor is looked for, and what follows from it. */
export interface AnchorSearch<Row> {
  note(range: ReadRange<Row>): void;
  /**
   * The anchor's row, or, once all rows between which it could stand have been seen, what stands in for it; null while
   * that cannot be told.
   */
  locate(total: number | null): Reference | null;
  /** Where the anchor's row can still be. */
  gap(total: number | null): Gap;
  /** What stands in for the anchor's row though it may be there, where no more may be read; null where nothing can. */
  standIn(total: number | null): Reference | null;
}

/** The positions between two others, neither included. */
export interface Gap {
  readonly low: number;
  readonly high: number;
}

// Fewer rows may run in the order of time by chance, where the list is in another.
const leastOrdered = 10;

/** The mark of a row; a row without an identity is known by its looks. */
export function markOfRow<Row>({ identityOf }: Source<Row>, row: Row): Mark {
  return markOf(identityOf(row) ?? looksOf(row));
}

/** Starts looking for an anchor. Rows are taken to keep their order, so that the neighbours of a row stay around it. */
export function createAnchorSearch<Row>(source: Source<Row>, anchor: Anchor, side: Side): AnchorSearch<Row> {
  const rows = new Map<number, Row>();
  const found = new Map<Mark, number>();
  const wanted = new Set([anchor.mark, ...anchor.before, ...anchor.after]);

  function references(): readonly Reference[] {
    return candidatesOf(anchor, side).flatMap(({ mark, shift }) => {
      const position = found.get(mark);
      return position === undefined ? [] : [{ mark, shift, position }];
    });
  }

  function gapByMarks(): Gap {
    const places = (marks: readonly Mark[]): number[] => marks.flatMap((mark) => found.get(mark) ?? []);
    return { low: Math.max(-1, ...places(anchor.before)), high: Math.min(Infinity, ...places(anchor.after)) };
  }

  /** Null where the rows do not run in time the way they did when the anchor was made. */
  function gapByTime(): Gap | null {
    const { time } = anchor;
    const ordered = [...rows]
      .sort(([a], [b]) => a - b)
      .map(([position, row]) => [position, source.momentOf(row)] as const);
    const now = directionOf(ordered.map(([, moment]) => moment));
    if (time === null || now === null || now * time.direction < 0) return null;
    const direction: Direction = now === 0 ? time.direction : now;
    if (direction === 0) return null;
    let [low, high] = [-1, Infinity];
    for (const [position, moment] of ordered) {
      const step = moment === null ? 0 : compareMoments(moment, time.moment) * direction;
      if (step < 0) low = position;
      if (step > 0) high = Math.min(high, position);
    }
    return { low, high };
  }

  function gap(total: number | null): Gap {
    const whole = { low: -1, high: total ?? Infinity };
    const isOrdered = source.timeOrder !== 0 || rows.size >= leastOrdered;
    const gaps = [whole, gapByMarks(), (isOrdered ? gapByTime() : null) ?? whole];
    const low = Math.max(...gaps.map((one) => one.low));
    const high = Math.min(...gaps.map((one) => one.high));
    return low < high ? { low, high } : whole;
  }

  function isSeen({ low, high }: Gap): boolean {
    if (high === Infinity) return false;
    for (let position = low + 1; position < high; position++) if (!rows.has(position)) return false;
    return true;
  }

  /** A place to go on from when all remembered rows are gone: before the row there now, which vouches for it. */
  function estimate(total: number | null): Reference {
    const { low, high } = gapByTime() ?? { low: -1, high: Infinity };
    // Not by `expectedPosition`, which is never before the head: behind a row that is gone from there, the head comes next.
    const boundary = anchor.position + growthOf(anchor, total) + (side === 'after' ? 1 : 0);
    const position = Math.min(Math.max(boundary, low + 1), high, total ?? Infinity);
    const row = rows.get(position);
    return { mark: row === undefined ? '' : markOfRow(source, row), position, shift: 0 };
  }

  const settle = (total: number | null): Reference => references()[0] ?? estimate(total);

  return {
    note(range) {
      for (const { from, to } of range.read) {
        for (let position = from; position < to; position++) {
          const row = range.rowAt(position);
          if (row === undefined) break;
          const mark = markOfRow(source, row);
          rows.set(position, row);
          if (wanted.has(mark)) found.set(mark, position);
        }
      }
    },
    locate: (total) => (found.has(anchor.mark) || isSeen(gap(total)) ? settle(total) : null),
    gap,
    standIn: (total) => references()[0] ?? (rows.size >= leastOrdered && gapByTime() !== null ? estimate(total) : null),
  };
}

/** Where a row stands if all that came or went did so before it. */
export function expectedPosition(anchor: Anchor, now: number | null): number {
  return Math.max(0, anchor.position + growthOf(anchor, now));
}

/** How much longer a list has become; 0 where nobody knows. */
function growthOf({ total }: Anchor, now: number | null): number {
  return total === null || now === null ? 0 : now - total;
}
