import type { ReadRange } from './read-range.ts';
import { boundsOf, type Bounds, type PositionedWindow } from './window.ts';

/** The part of a range that a window shows. */
export function shownRange<Row>(range: ReadRange<Row>, window: PositionedWindow): ReadRange<Row> {
  const end = isShown(range, window) ? range.total : window.lower + (window.first ?? 0);
  const bounds = boundsOf(window, end) ?? { from: window.lower, to: window.lower };
  const positions = positionsOf(bounds).filter((position) => range.rowAt(position) !== undefined);
  return {
    ...range,
    bounds,
    rows: positions.map((position) => range.rowAt(position) as Row),
    positionAt: (index) => positions[index] ?? bounds.to,
  };
}

/** Whether a range has the bounds of its window: it has more where `last` rows of `first` are shown and the length is unknown. */
export function isShown({ total }: ReadRange<unknown>, { first, last }: PositionedWindow): boolean {
  return first === null || last === null || total !== null;
}

/** Whether all rows of a window came along with a range that was read for another position. */
export function holdsWindow(range: ReadRange<unknown>, window: PositionedWindow): boolean {
  const bounds = boundsOf(window, range.total);
  return bounds !== null && positionsOf(bounds).every((position) => range.rowAt(position) !== undefined);
}

function positionsOf({ from, to }: Bounds): readonly number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}
