import { candidatesOf, type Anchor, type Mark, type Reference, type Side } from './anchor.ts';
import type { Direction } from './moment.ts';
import { markOfRow } from './row-identity.ts';
import type { Source } from './source.ts';
import type { ReadRange } from './read-range.ts';
import type { Bounds } from './window.ts';

/** A page of a list, and the rows around it that its cursors need. */
export interface Reading<Row> {
  readonly rows: readonly Row[];
  /** Where the row at this index stands in the list, from 0. */
  readonly positionAt: (index: number) => number;
  /** Where the page stands in the list. */
  readonly bounds: Bounds;
  /** The length of the list; null where it cannot be known. */
  readonly total: number | null;
  /** The mark of the row at a position: read, or remembered by the cursor that led here. */
  readonly markAt: (position: number) => Mark | undefined;
  /** The row at a position, also one beside the page; undefined where none was read. */
  readonly rowAt: (position: number) => Row | undefined;
  /** The list's direction in time when the cursor that led here was made, else the promised one; 0 where neither is known. */
  readonly direction: Direction;
}

/** The cursor that led to a page, and the row that was found to stand for it. */
export interface Origin {
  readonly anchor: Anchor;
  readonly side: Side;
  readonly reference: Reference;
}

/**
 * The rows behind the reader that the cursor remembers, by position: those beyond the row that was found. Remembered rows ahead
 * of the reader are left out: rows may have come between them.
 */
function remembered({ anchor, side, reference: { mark, position } }: Origin): ReadonlyMap<number, Mark> {
  const passed = [anchor.mark, ...(side === 'after' ? anchor.before : anchor.after)];
  const index = passed.indexOf(mark);
  const step = side === 'after' ? -1 : 1;
  const beyond = index < 0 ? [] : passed.slice(index + 1);
  return new Map(beyond.map((name, distance) => [position + step * (distance + 1), name]));
}

/** A range as a reading: with the marks of its rows, and the marks that its origin remembers, where it has one. */
export function readingOf<Row>(range: ReadRange<Row>, source: Source<Row>, origin: Origin | null): Reading<Row> {
  const memory = origin === null ? null : remembered(origin);
  const marks = new Map<number, Mark | undefined>();
  return {
    ...range,
    direction: origin?.anchor.time?.direction || source.timeOrder,
    markAt(position) {
      if (marks.has(position)) return marks.get(position);
      const row = range.rowAt(position);
      const mark = row === undefined ? memory?.get(position) : markOfRow(source, row);
      marks.set(position, mark);
      return mark;
    },
  };
}

/**
 * Cuts a page at its other cursor: at that cursor's row, or the best neighbour of it, wherever it stands in the page now. A page
 * without any of them stays whole. `last` counts from the page's new end.
 */
export function cutAt<Row>(
  anchor: Anchor,
  side: Side,
  reading: Reading<Row>,
  source: Source<Row>,
  last: number | null,
): Reading<Row> {
  const indices = new Map(reading.rows.map((row, index) => [markOfRow(source, row), index]));
  const reference = candidatesOf(anchor, side).find(({ mark }) => indices.has(mark));
  const boundary = reference === undefined ? null : (indices.get(reference.mark) ?? 0) + reference.shift;
  const end = side === 'before' && boundary !== null ? boundary : reading.rows.length;
  const start = side === 'after' && boundary !== null ? boundary : Math.max(0, last === null ? 0 : end - last);
  if (start === 0 && end === reading.rows.length) return reading;
  const { from, to } = reading.bounds;
  return {
    ...reading,
    rows: reading.rows.slice(start, end),
    positionAt: (index) => reading.positionAt(start + index),
    bounds: {
      from: start === 0 ? from : reading.positionAt(start - 1) + 1,
      to: end === reading.rows.length ? to : reading.positionAt(end),
    },
  };
}
