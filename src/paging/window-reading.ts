import { anchorSearches } from '../bounds.ts';
import { GatewayError } from '../errors.ts';
import { compareMoments, directionOf } from '../moment.ts';
import { candidatesOf, hashOfRow, type Anchor, type Reference, type Side, type RowHash } from './anchor.ts';
import { cursorNeighbours } from './cursor.ts';
import { readRange, totalFault, type PagesRead } from './pages-read.ts';
import { BudgetSpent, keepsMoving, withBudget, type CallBudget, type Source } from './source.ts';
import { boundsOf, type Bounds, type PositionedWindow, type Window } from './window.ts';

/** A page of a list, and what was read for it. */
export interface Reading<Row> {
  readonly rows: readonly Row[];
  /** Where the page stands in the list. Its first row, if it has any, is the one at `bounds.from`. */
  readonly bounds: Bounds;
  /** The length of the list; null where it cannot be known. */
  readonly total: number | null;
  /** The rows beside the page, which its cursors need. */
  readonly pages: PagesRead<Row>;
}

/** Calls that a page may take beyond one for each of its rows: for its cursors, for the list's length, and to read again what has moved. */
const spareCalls = 30;

/** A list, for the calls that read its page, and for those that look for a cursor's row. */
interface Lists<Row> {
  readonly source: Source<Row>;
  readonly search: Source<Row> & { readonly budget: CallBudget };
}

/** A page that begins or ends at a cursor. */
interface PageAtCursor<Row> extends SoughtAnchor, Lists<Row> {
  /** The window of the page, if the cursor's boundary is at this position. */
  readonly windowAt: (boundary: number) => PositionedWindow;
}

/**
 * Reads the page that a window asks for. A cursor's own row is read again together with the page, in one call while nothing has
 * moved: the row at its old position proves that. Otherwise the row is looked for (`findAnchor`, which may take `searchCalls`
 * calls) and the page read from where the row is now, so that no row is repeated or skipped when others come and go. The page
 * itself takes at most one call for each of its rows, in case the upstream serves them one by one.
 */
export async function readWindow<Row>(window: Window, source: Source<Row>, searchCalls: number): Promise<Reading<Row>> {
  const calls = (window.first ?? window.last ?? 0) + spareCalls;
  const search = withBudget(source, searchCalls);
  try {
    return await readByCursor(window, { source: withBudget(source, calls), search });
  } catch (error) {
    if (!(error instanceof BudgetSpent)) throw error;
    throw new GatewayError('UPSTREAM_BAD_RESPONSE', {
      message: `The upstream's pages hold so few rows that ${calls} calls did not read this page.`,
    });
  }
}

/** The length of a list, as a page of one row reports it; null where it does not. */
export async function readTotal<Row>(source: Source<Row>): Promise<number | null> {
  const page = { number: 1, size: 1 };
  const response = await source.fetchPage(page, false);
  if (response.totalResults !== null && totalFault(page, response) === null) return response.totalResults;
  const { total } = await readRange(source, () => ({ from: 0, to: 0 }));
  return total;
}

/**
 * Reads the page at the cursor from which its rows are counted. If there is another one, it is looked for before, and bounds the page.
 * Throws UPSTREAM_ERROR where the list moves between the two.
 */
async function readByCursor<Row>(window: Window, lists: Lists<Row>): Promise<Reading<Row>> {
  const { after, before, offset, first, last } = window;
  const isForward = first !== null;
  const [anchor, other] = isForward ? [after, before] : [before, after];
  const [side, otherSide] = isForward ? (['after', 'before'] as const) : (['before', 'after'] as const);
  const bounding = other && (await readAtCursor({ anchor: other, side: otherSide, windowAt: noRowsAt, ...lists }));
  const bound = bounding?.bounds.from ?? null;
  const windowAt = (boundary: number | null): PositionedWindow =>
    isForward
      ? { lower: boundary ?? offset, upper: bound, first, last }
      : { lower: Math.min(bound ?? 0, boundary ?? Infinity), upper: boundary, first, last };
  const plain = windowAt(null);
  const reading =
    anchor === null
      ? shownOf(await readRange(lists.source, (total) => boundsOf(plain, total)), plain)
      : await readAtCursor({ anchor, side, windowAt, ...lists });
  // A list that does not tell its length shows it only where a page shows its end.
  const lengths = [bounding?.total ?? null, reading.total].filter((length) => length !== null);
  if (lengths[0] !== lengths.at(-1)) throw keepsMoving();
  return reading;
}

function noRowsAt(boundary: number): PositionedWindow {
  return { lower: boundary, upper: boundary, first: 0, last: null };
}

/** Reads the page at a cursor. Throws UPSTREAM_ERROR where the list keeps moving. */
async function readAtCursor<Row>(page: PageAtCursor<Row>): Promise<Reading<Row>> {
  const { anchor, side, windowAt, source, search } = page;
  let reference: Reference = { row: anchor.row, position: anchor.position, shift: side === 'after' ? 1 : 0 };
  for (let attempt = 0; ; attempt++) {
    let pages = await readAround(reference, page, attempt);
    // In a list whose length has changed, a row at its old place may be there by chance.
    const isInPlace = isThere(reference, pages) && (attempt > 0 || pages.total === anchor.total);
    if (!isInPlace && mayBeElsewhere(pages)) {
      source.sizes.isDoubted = true;
      pages = await readAround(reference, page, attempt);
    }
    const known = standsFor(page, reference, pages);
    if (known !== null) {
      const window = windowAt(known.position + known.shift);
      if (known === reference || holdsWindow(pages, window)) return shownOf(pages, window);
    }
    if (attempt === anchorSearches) throw keepsMoving();
    // Where the list's growth would have put the row.
    const position = Math.max(0, expectedPosition(anchor, pages.total));
    if (known !== null) reference = known;
    else if (attempt === 0 && position !== anchor.position) reference = { ...reference, position };
    else reference = await findAnchor(page, search, pages);
  }
}

/** Reads the window at a reference together with the reference's row, which shows whether the list has moved. */
function readAround<Row>(reference: Reference, page: PageAtCursor<Row>, attempt: number): Promise<PagesRead<Row>> {
  const { position, shift } = reference;
  // To catch up with a list that moves faster than it is read, each attempt reads further.
  const ahead = cursorNeighbours.after * 4 ** attempt;
  const wider = ({ from, to }: Bounds): Bounds =>
    page.side === 'after' ? { from, to: to + ahead } : { from: Math.max(0, from - ahead), to };
  const window = page.windowAt(position + shift);
  return readRange(page.source, (total) => withRow(boundsOf(window, total), position), { wider, fresh: attempt > 0 });
}

/**
 * What stands for an anchor, by the rows that were read; null where these do not show it: the reference if its row is where it should
 * be, unless a better row is there too. The list may have moved between the pages by which that one seemed to be gone.
 */
function standsFor<Row>(sought: SoughtAnchor, reference: Reference, pages: PagesRead<Row>): Reference | null {
  const isFound = isThere(reference, pages);
  if (isFound && reference.row === sought.anchor.row) return reference;
  const search = new AnchorSearch(sought, pages);
  if (!isFound) return search.locate();
  const nearest = search.nearest();
  return nearest === null || nearest.row === reference.row ? reference : nearest;
}

function isThere<Row>({ row, position }: Reference, pages: PagesRead<Row>): boolean {
  return row === hashOfRow(pages.source, pages.rowAt(position));
}

/** Whether the last page of a list, as it was read, may be a whole page of a smaller size, and so hold other positions. */
function mayBeElsewhere<Row>({ parts, total, source }: PagesRead<Row>): boolean {
  return parts.some(
    ({ from, to, rows }) => from > 0 && to === total && rows.length > 0 && !source.sizes.isProven(rows.length + 1),
  );
}

/** The bounds, widened so that they hold the row at a position. */
function withRow(bounds: Bounds | null, position: number): Bounds | null {
  return bounds && { from: Math.min(bounds.from, position), to: Math.max(bounds.to, position + 1) };
}

/** What a window shows of what was read. Where the list's end is unknown, all of `first` is there. */
function shownOf<Row>(pages: PagesRead<Row>, window: PositionedWindow): Reading<Row> {
  const { total } = pages;
  const bounds = boundsOf(window, total ?? window.lower + (window.first ?? Infinity)) as Bounds;
  return { rows: pages.rowsIn(bounds), bounds, total, pages };
}

/** Whether all rows of a window came along with pages that were read for another position. */
function holdsWindow<Row>(pages: PagesRead<Row>, window: PositionedWindow): boolean {
  const bounds = boundsOf(window, pages.total);
  return bounds !== null && pages.rowsIn(bounds).length === bounds.to - bounds.from;
}

/** A cursor's anchor that is to be found in a list as it is now. */
interface SoughtAnchor {
  readonly anchor: Anchor;
  readonly side: Side;
}

// Fewer rows may run in the order of time by chance, where the list is in another order.
const leastOrdered = 10;

/**
 * Finds an anchor that has moved: in the pages that have just been read, else page by page, outwards from the position where the
 * list's growth would have put it. Pages are read only where the anchor's neighbours and the order of time leave room for it.
 *
 * When all of these have been read, the row is taken to be gone, and its nearest neighbour that is left stands in for it. Where
 * none is left, the order of time shows the position; in a list without such an order, the growth of the list does. The caller
 * verifies the position by reading it. Throws QUERY_TOO_COMPLEX where the calls of the budget show none of that.
 */
async function findAnchor<Row>(
  sought: SoughtAnchor,
  source: Lists<Row>['search'],
  seen: PagesRead<Row>,
): Promise<Reference> {
  const { limit: most } = source.budget;
  const search = new AnchorSearch(sought, seen);
  try {
    for (const bounds of blocksAround(Math.max(0, search.expected), source.sizes.most, most)) {
      const known = search.locate();
      if (known !== null) return known;
      const { from, to } = search.gap();
      if (from >= bounds.to || bounds.from >= to) continue;
      search.add(await readRange(source, () => bounds, { fresh: true }));
    }
  } catch (error) {
    if (!(error instanceof BudgetSpent)) throw error;
  }
  const found = search.locate() ?? search.nearest() ?? search.byTime();
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
class AnchorSearch<Row> {
  readonly #source: Source<Row>;
  readonly #anchor: Anchor;
  readonly #side: Side;
  readonly #rows = new Map<number, Row>();
  readonly #found = new Map<RowHash, number>();
  #total: number | null = null;

  constructor({ anchor, side }: SoughtAnchor, seen: PagesRead<Row>) {
    this.#source = seen.source;
    this.#anchor = anchor;
    this.#side = side;
    this.add(seen);
  }

  /** Adds the rows of some pages, and the list's end if they show it. */
  add({ parts, end }: PagesRead<Row>): void {
    if (end < Infinity) this.#total = end;
    for (const { from, rows } of parts) {
      for (const [index, row] of rows.entries()) {
        this.#rows.set(from + index, row);
        this.#found.set(hashOfRow(this.#source, row), from + index);
      }
    }
  }

  /** Where the list's growth would have put the anchor's row. */
  get expected(): number {
    return expectedPosition(this.#anchor, this.#total);
  }

  /**
   * The anchor's row; or what stands in for it, once all rows between which it could stand have been seen. Null while neither
   * is known.
   */
  locate(): Reference | null {
    const isFound = this.#found.has(this.#anchor.row) || this.#isSeen(this.gap());
    return isFound ? (this.nearest() ?? this.#estimate()) : null;
  }

  /** Where the order of time would have the anchor's row; null where too few rows show that order. */
  byTime(): Reference | null {
    return this.#gapByTime() && this.#estimate();
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
  gap(): Bounds {
    const byTime = this.#gapByTime() ?? this.#whole;
    const positionsOf = (rows: readonly RowHash[]): number[] => rows.flatMap((row) => this.#found.get(row) ?? []);
    const from = Math.max(byTime.from, ...positionsOf(this.#anchor.before).map((position) => position + 1));
    const to = Math.min(byTime.to, ...positionsOf(this.#anchor.after));
    return from <= to ? { from, to } : this.#whole;
  }

  get #whole(): Bounds {
    return { from: 0, to: this.#total ?? Infinity };
  }

  /** Null where too few rows have been seen, or they do not run in time the way they did when the anchor was made. */
  #gapByTime(): Bounds | null {
    const { time } = this.#anchor;
    let { from, to } = this.#whole;
    if (time === null || this.#rows.size < Math.min(leastOrdered, to)) return null;
    const byPosition = [...this.#rows].sort(([a], [b]) => a - b);
    const dated = byPosition.map(([position, row]) => [position, this.#source.momentOf(row)] as const);
    const now = directionOf(dated.map(([, moment]) => moment));
    if (now === null || now * time.direction < 0) return null;
    const direction = now === 0 ? time.direction : now;
    if (direction === 0) return null;
    for (const [position, moment] of dated) {
      const step = moment === null ? 0 : compareMoments(moment, time.moment) * direction;
      if (step < 0) from = position + 1;
      if (step > 0) to = Math.min(to, position);
    }
    return { from, to };
  }

  #isSeen({ from, to }: Bounds): boolean {
    // It ends where nothing has been seen, although nobody may know where the list does.
    for (let position = from; position < to; position++) if (!this.#rows.has(position)) return false;
    return true;
  }

  /** Where to go on when all remembered rows are gone: before the row that is there now, which is then verified. */
  #estimate(): Reference {
    const { from, to } = this.#gapByTime() ?? this.#whole;
    const boundary = this.expected + (this.#side === 'after' ? 1 : 0);
    const position = Math.min(Math.max(boundary, from), to);
    return { row: hashOfRow(this.#source, this.#rows.get(position)), position, shift: 0 };
  }
}

/** The position of a row if all rows that came or went since did so before it; before the head if more have gone. */
function expectedPosition(anchor: Anchor, total: number | null): number {
  const before = anchor.total ?? total ?? 0;
  return anchor.position + (total ?? before) - before;
}
