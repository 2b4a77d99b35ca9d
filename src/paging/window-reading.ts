import { anchorSearches, cursorNeighbours } from '../bounds.ts';
import { GatewayError } from '../errors.ts';
import type { Anchor, Reference, Side } from './anchor.ts';
import { BudgetSpent, CallBudget } from './call-budget.ts';
import type { RowRange } from './page-judgement.ts';
import { cutAt, readingOf, type Reading } from './reading.ts';
import { locateAnchor, findAnchor } from './anchor-finder.ts';
import { ServedSizes } from './served-sizes.ts';
import { expectedPosition } from './anchor-search.ts';
import { markOfRow } from './row-identity.ts';
import { largestServed, type Source } from './source.ts';
import { readRange, type ReadRange } from './read-range.ts';
import { callsOfWindow } from './window-calls.ts';
import { boundsOf, type Bounds, type PositionedWindow, type Window } from './window.ts';

const nothing: Bounds = { from: 0, to: 0 };

/** The calls of one window: those that read its rows, and those that look for a cursor's row. */
interface Reader<Row> {
  readonly rows: Source<Row>;
  readonly search: Source<Row>;
}

/**
 * Reads the page that a window asks for. A cursor's own row is read again together with the page, in one call while
 * nothing has moved: the row in its old place proves that. Otherwise the row is looked for (see `seek`, which may take
 * `searchCalls` calls) and the page read from where it is now, so that rows which come and go are neither repeated nor
 * skipped over. The page itself takes a call for each of its rows at most, should the upstream serve them one by one.
 */
export async function readWindow<Row>(window: Window, source: Source<Row>, searchCalls: number): Promise<Reading<Row>> {
  const shared = { ...source, served: new ServedSizes(source.pageLimit) };
  const reader = {
    rows: within(callsOfWindow(window, source.pageLimit), shared),
    search: within(searchCalls, shared),
  };
  try {
    return await readFor(window, reader);
  } catch (error) {
    if (!(error instanceof BudgetSpent)) throw error;
    throw new GatewayError('UPSTREAM_BAD_RESPONSE', {
      message: `The upstream's pages hold so few rows, or contradict each other so often, that ${reader.rows.budget.limit} calls did not read this page.`,
    });
  }
}

/** A source that makes no more calls than these. */
function within<Row>(calls: number, source: Source<Row>): Source<Row> & { readonly budget: CallBudget } {
  const budget = new CallBudget(calls);
  return {
    ...source,
    budget,
    fetchPage: async (page, fresh, isGiven) => {
      budget.spend();
      return source.fetchPage(page, fresh, isGiven);
    },
  };
}

async function readFor<Row>(window: Window, reader: Reader<Row>): Promise<Reading<Row>> {
  const { rows: source } = reader;
  const { after, before, offset } = window;
  const isCrossed = after !== null && before !== null && placeOf(before) <= placeOf(after);
  const { first, last } = isCrossed ? { first: 0, last: null } : window;
  if (after !== null && (first !== null || before === null)) {
    const reading = await readFrom(after, 'after', spanAfter({ ...window, first, last }), reader);
    if (reading !== null) return before === null ? reading : cutAt(before, 'before', reading, source, last);
  }
  if (before !== null && first === null) {
    const reading = await readFrom(
      before,
      'before',
      (boundary) => ({ lower: 0, upper: boundary, first, last }),
      reader,
    );
    if (reading !== null) return after === null ? reading : cutAt(after, 'after', reading, source, null);
  }
  const cutLater = before === null ? last : null;
  const span = { lower: offset, upper: null, first, last: cutLater };
  const range = await readRange(source, (total) => boundsOf(span, total));
  const reading = readingOf(isCut(span, range) ? range : shown(range, span), source, null);
  if (before !== null) return cutAt(before, 'before', reading, source, last);
  return after === null ? reading : cutAt(after, 'after', reading, source, null);
}

/** The length of a list, as it tells it with a page of one row; null where it does not. */
export async function readTotal<Row>(source: Source<Row>): Promise<number | null> {
  // The caller has asked for no page, so that nothing of this one is their choice.
  const own: Source<Row> = { ...source, fetchPage: (page, fresh) => source.fetchPage(page, fresh) };
  const { total } = await readRange(own, () => ({ from: 0, to: 0 }));
  return total;
}

/** Where two cursors of one list stand towards each other: counted from the end, since lists grow at the head as a rule. */
function placeOf({ position, total }: Anchor): number {
  return position - (total ?? 0);
}

/** The page as it is without its own anchor's help. `last` beside `before` is cut from what `first` brought. */
function spanAfter({ first, last, before }: Window): (boundary: number) => PositionedWindow {
  return (boundary) => ({ lower: boundary, upper: null, first, last: before === null ? last : null });
}

/** Null where only the last rows of the list are asked for, and the cursor's own row is too far from them to be read along. */
async function readFrom<Row>(
  anchor: Anchor,
  side: Side,
  spanOf: (boundary: number) => PositionedWindow,
  { rows: source, search }: Reader<Row>,
): Promise<Reading<Row> | null> {
  const { upper, first, last } = spanOf(0);
  const isFar = (total: number | null, position: number): boolean =>
    upper === null &&
    first === null &&
    last !== null &&
    total !== null &&
    total - last - position > largestServed(source);
  if (isFar(anchor.total, anchor.position)) return null;
  let reference: Reference = { mark: anchor.mark, position: anchor.position, shift: side === 'after' ? 1 : 0 };
  for (let attempt = 0; ; attempt++) {
    // A list that moves faster than it is read is caught up with by reading further each time.
    const ahead = cursorNeighbours.after * 4 ** attempt;
    const margin = side === 'after' ? { before: 0, after: ahead } : { before: ahead, after: 0 };
    const { mark, position, shift } = reference;
    const span = spanOf(position + shift);
    const wanted = (total: number | null): Bounds | null =>
      isFar(total, position) ? nothing : withRow(boundsOf(span, total), position);
    const vouches = ({ from, rows }: RowRange<Row>): boolean => {
      const row = rows[position - from];
      return row !== undefined && markOfRow(source, row) === mark;
    };
    const range = await readRange(source, wanted, margin, attempt > 0, vouches);
    if (range.bounds === nothing) return null;
    const row = range.rowAt(position);
    const isThere = row === undefined ? mark === '' : markOfRow(source, row) === mark;
    if (isThere) return readingOf(shown(range, span), source, { anchor, side, reference });
    const known = locateAnchor(source, anchor, side, range);
    if (known !== null) {
      const page = spanOf(known.position + known.shift);
      if (holds(range, page)) return readingOf(shown(range, page), source, { anchor, side, reference: known });
    }
    if (attempt === anchorSearches) throw keepsMoving();
    const grown = attempt === 0 ? afterGrowth(anchor, reference, range.total) : null;
    reference = known ?? grown ?? (await findAnchor(search, anchor, side, range, search.budget?.limit ?? 0));
  }
}

/** The anchor where the list's growth would have put it, if it has grown or shrunk: worth a look before any search. */
function afterGrowth(anchor: Anchor, reference: Reference, total: number | null): Reference | null {
  const position = expectedPosition(anchor, total);
  return position === anchor.position ? null : { ...reference, position };
}

/** Whether all rows of a page came along with a stretch that was read for another place. */
function holds<Row>(range: ReadRange<Row>, span: PositionedWindow): boolean {
  const bounds = boundsOf(span, range.total);
  return bounds !== null && positionsOf(bounds).every((position) => range.rowAt(position) !== undefined);
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

/** Whether a stretch has the bounds of its span: `last` of `first` rows are cut out of these where nobody told the length. */
function isCut({ first, last }: PositionedWindow, { total }: ReadRange<unknown>): boolean {
  return first === null || last === null || total !== null;
}

/** The part of a stretch that is shown. */
function shown<Row>(range: ReadRange<Row>, span: PositionedWindow): ReadRange<Row> {
  const end = isCut(span, range) ? range.total : span.lower + (span.first ?? 0);
  const bounds = boundsOf(span, end) ?? { from: span.lower, to: span.lower };
  const positions = positionsOf(bounds).filter((position) => range.rowAt(position) !== undefined);
  return {
    ...range,
    bounds,
    rows: positions.map((position) => range.rowAt(position) as Row),
    positionAt: (index) => positions[index] ?? bounds.to,
  };
}

function keepsMoving(): GatewayError {
  return new GatewayError('UPSTREAM_ERROR', {
    message: 'The list kept moving while the row of a cursor was looked for.',
    retryable: true,
  });
}
