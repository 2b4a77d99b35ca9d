import { anchorSearches, cursorNeighbours } from '../bounds.ts';
import { GatewayError } from '../errors.ts';
import { findAnchor, locateAnchor, nearestIn } from './anchor-finder.ts';
import { expectedPosition } from './anchor-search.ts';
import type { Anchor, Reference, Side } from './anchor.ts';
import type { RowRange } from './page-judgement.ts';
import { readRange, type ReadRange } from './read-range.ts';
import { readingOf, type Reading } from './reading.ts';
import { markOfRow } from './row-identity.ts';
import { holdsWindow, shownRange } from './shown-range.ts';
import { largestServed, type Source } from './source.ts';
import { boundsOf, type Bounds, type PositionedWindow } from './window.ts';

/** The calls of one window: those that read its rows, and those that look for a cursor's row. */
export interface WindowSources<Row> {
  readonly rows: Source<Row>;
  readonly search: Source<Row>;
}

/** The window of a page whose anchor's boundary is at a position. */
export type WindowAt = (boundary: number) => PositionedWindow;

const nothing: Bounds = { from: 0, to: 0 };

/**
 * Reads the page at an anchor. Null where only the last rows of the list are asked for, and the anchor's row is too far from
 * them to be read along. Throws UPSTREAM_ERROR where the list keeps moving.
 */
export async function readFromAnchor<Row>(
  anchor: Anchor,
  side: Side,
  windowAt: WindowAt,
  { rows: source, search }: WindowSources<Row>,
): Promise<Reading<Row> | null> {
  if (isFar(windowAt, source, anchor.total, anchor.position)) return null;
  let reference: Reference = { mark: anchor.mark, position: anchor.position, shift: side === 'after' ? 1 : 0 };
  for (let attempt = 0; ; attempt++) {
    const range = await readAround(reference, side, windowAt, source, attempt);
    if (range.bounds === nothing) return null;
    const known = isAt(reference, range, source)
      ? nearestTo(reference, source, anchor, side, range)
      : locateAnchor(source, anchor, side, range);
    if (known !== null) {
      const window = windowAt(known.position + known.shift);
      if (known === reference || holdsWindow(range, window))
        return readingOf(shownRange(range, window), source, { anchor, side, reference: known });
    }
    if (attempt === anchorSearches) throw keepsMoving();
    const grown = attempt === 0 ? afterGrowth(anchor, reference, range.total) : null;
    reference = known ?? grown ?? (await findAnchor(search, anchor, side, range, search.budget?.limit ?? 0));
  }
}

/** Reads the window at a reference together with the reference's row, which shows whether the list has moved. */
function readAround<Row>(
  { mark, position, shift }: Reference,
  side: Side,
  windowAt: WindowAt,
  source: Source<Row>,
  attempt: number,
): Promise<ReadRange<Row>> {
  // To catch up with a list that moves faster than it is read, each attempt reads further.
  const ahead = cursorNeighbours.after * 4 ** attempt;
  const margin = side === 'after' ? { before: 0, after: ahead } : { before: ahead, after: 0 };
  const window = windowAt(position + shift);
  const wanted = (total: number | null): Bounds | null =>
    isFar(windowAt, source, total, position) ? nothing : withRow(boundsOf(window, total), position);
  const vouches = ({ from, rows }: RowRange<Row>): boolean => {
    const row = rows[position - from];
    return row !== undefined && markOfRow(source, row) === mark;
  };
  return readRange(source, wanted, margin, attempt > 0, vouches);
}

/** Whether a window that is bounded by the list's end alone begins more than a page behind a position. */
function isFar<Row>(windowAt: WindowAt, source: Source<Row>, total: number | null, position: number): boolean {
  const { upper, first, last } = windowAt(0);
  if (upper !== null || first !== null || last === null || total === null) return false;
  return total - last - position > largestServed(source);
}

/** Whether the row of a reference stands where it should; a reference without a mark stands where there is no row. */
function isAt<Row>({ mark, position }: Reference, range: ReadRange<Row>, source: Source<Row>): boolean {
  const row = range.rowAt(position);
  return row === undefined ? mark === '' : markOfRow(source, row) === mark;
}

/**
 * The row that stands for an anchor: a reference that stands where it should, or a row that is nearer to the anchor. The list may
 * have moved between the pages by which that row seemed to be gone.
 */
function nearestTo<Row>(
  reference: Reference,
  source: Source<Row>,
  anchor: Anchor,
  side: Side,
  range: ReadRange<Row>,
): Reference {
  if (reference.mark === anchor.mark) return reference;
  const nearest = nearestIn(source, anchor, side, range);
  return nearest === null || nearest.mark === reference.mark ? reference : nearest;
}

/** The anchor at the position where the list's growth would have put it; null where the list has kept its length. */
function afterGrowth(anchor: Anchor, reference: Reference, total: number | null): Reference | null {
  const position = expectedPosition(anchor, total);
  return position === anchor.position ? null : { ...reference, position };
}

/** The bounds, widened so that they hold the row at a position. */
function withRow(bounds: Bounds | null, position: number): Bounds | null {
  if (bounds === null) return null;
  if (bounds.from === bounds.to) return { from: position, to: position + 1 };
  return { from: Math.min(bounds.from, position), to: Math.max(bounds.to, position + 1) };
}

function keepsMoving(): GatewayError {
  return new GatewayError('UPSTREAM_ERROR', {
    message: 'The list kept moving while the row of a cursor was looked for.',
    retryable: true,
  });
}
