import { neighbours, type Anchor, type Reference, type Side } from './anchor.ts';
import { cutAt, readingOf, type Reading } from './reading.ts';
import { locate, seek } from './seek.ts';
import { expectedPosition, markOfRow } from './sighting.ts';
import type { Source } from './source.ts';
import { readStretch, type Stretch } from './stretch.ts';
import { boundsOf, type Bounds, type Span, type Window } from './window.ts';

// Each attempt after the first means that the list moved again while the anchor was being looked for.
const mostAttempts = 4;

/**
 * Reads the page that a window asks for. A cursor's own row is read again together with the page, in one call while
 * nothing has moved: the row in its old place proves that. Otherwise the row is looked for (see `seek`) and the page read
 * from where it is now, so that rows which come and go are neither repeated nor skipped over.
 */
export async function readWindow<Row>(window: Window, source: Source<Row>, pageBudget: number): Promise<Reading<Row>> {
  const { after, before, offset } = window;
  const isCrossed = after !== null && before !== null && placeOf(before) <= placeOf(after);
  const { first, last } = isCrossed ? { first: 0, last: null } : window;
  if (after !== null && (first !== null || before === null) && !isFarBefore(after, { first, last }, source.pageLimit)) {
    const reading = await readFrom(after, 'after', spanAfter({ ...window, first, last }), source, pageBudget);
    return before === null ? reading : cutAt(before, 'before', reading, source, last);
  }
  if (before !== null && first === null) {
    const reading = await readFrom(
      before,
      'before',
      (boundary) => ({ lower: 0, upper: boundary, first, last }),
      source,
      pageBudget,
    );
    return after === null ? reading : cutAt(after, 'after', reading, source, null);
  }
  const cutLater = before === null ? last : null;
  const stretch = await readStretch(source, wantedOf({ lower: offset, upper: null, first, last: cutLater }));
  const reading = readingOf(stretch, source, null);
  if (before !== null) return cutAt(before, 'before', reading, source, last);
  return after === null ? reading : cutAt(after, 'after', reading, source, null);
}

/** Whether only the last rows of the list are asked for, and a cursor's own row is too far from them to be read along. */
function isFarBefore(after: Anchor, { first, last }: Pick<Window, 'first' | 'last'>, pageLimit: number): boolean {
  if (first !== null || last === null || after.total === null) return false;
  return after.total - last - after.position > pageLimit;
}

/** The length of a list, found with a page of one row. */
export async function readTotal<Row>(source: Source<Row>): Promise<number | null> {
  const { total } = await readStretch(source, () => ({ from: 0, to: 1 }));
  return total;
}

/** Where two cursors of one list stand towards each other: counted from the end, since lists grow at the head as a rule. */
function placeOf({ position, total }: Anchor): number {
  return position - (total ?? 0);
}

/** The page as it is without its own anchor's help. `last` beside `before` is cut from what `first` brought. */
function spanAfter({ first, last, before }: Window): (boundary: number) => Span {
  return (boundary) => ({ lower: boundary, upper: null, first, last: before === null ? last : null });
}

const wantedOf =
  (span: Span) =>
  (total: number | null): Bounds | null =>
    boundsOf(span, total);

async function readFrom<Row>(
  anchor: Anchor,
  side: Side,
  spanOf: (boundary: number) => Span,
  source: Source<Row>,
  pageBudget: number,
): Promise<Reading<Row>> {
  let reference: Reference = { mark: anchor.mark, position: anchor.position, shift: side === 'after' ? 1 : 0 };
  const margin = side === 'after' ? { before: 0, after: neighbours.after } : { before: neighbours.after, after: 0 };
  for (let attempt = 0; ; attempt++) {
    const { position, shift } = reference;
    const span = spanOf(position + shift);
    const wanted = (total: number | null): Bounds | null => withRow(boundsOf(span, total), position);
    const stretch = await readStretch(source, wanted, margin, attempt > 0);
    const row = stretch.rowAt(position);
    const isThere = row === undefined ? reference.mark === '' : markOfRow(source, row) === reference.mark;
    if (isThere || attempt === mostAttempts)
      return readingOf(within(stretch, span), source, { anchor, side, reference });
    const known = locate(source, anchor, side, stretch);
    if (known !== null) {
      const page = spanOf(known.position + known.shift);
      if (holds(stretch, page)) return readingOf(within(stretch, page), source, { anchor, side, reference: known });
    }
    const grown = attempt === 0 ? afterGrowth(anchor, reference, stretch.total) : null;
    reference = known ?? grown ?? (await seek(source, anchor, side, stretch, pageBudget));
  }
}

/** The anchor where the list's growth would have put it, if it has grown or shrunk: worth a look before any search. */
function afterGrowth(anchor: Anchor, reference: Reference, total: number | null): Reference | null {
  const position = expectedPosition(anchor, total);
  return position === anchor.position ? null : { ...reference, position };
}

/** Whether all rows of a page came along with a stretch that was read for another place. */
function holds<Row>(stretch: Stretch<Row>, span: Span): boolean {
  const bounds = boundsOf(span, stretch.total);
  return bounds !== null && positionsOf(bounds).every((position) => stretch.rowAt(position) !== undefined);
}

function positionsOf({ from, to }: Bounds): readonly number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}

/** The bounds, stretched so that they hold the row that vouches for them. */
function withRow(bounds: Bounds | null, position: number): Bounds | null {
  if (bounds === null) return null;
  if (bounds.from === bounds.to) return { from: position, to: position + 1 };
  return { from: Math.min(bounds.from, position), to: Math.max(bounds.to, position + 1) };
}

/** The part of a stretch that is shown. */
function within<Row>(stretch: Stretch<Row>, span: Span): Stretch<Row> {
  const bounds = boundsOf(span, stretch.total) ?? { from: span.lower, to: span.lower };
  const positions = positionsOf(bounds).filter((position) => stretch.rowAt(position) !== undefined);
  return {
    ...stretch,
    bounds,
    rows: positions.map((position) => stretch.rowAt(position) as Row),
    positionAt: (index) => positions[index] ?? bounds.to,
  };
}
