import { GatewayError } from '../errors.ts';
import { hashOfRow, type Identify } from './anchor.ts';
import { boundsOfPage, coverOf, uncovered, type Page } from './page-cover.ts';
import { allInOrder, contradictionIn, keepsMoving, type PageRows, type ServedSizes, type Source } from './source.ts';
import type { Bounds } from './window.ts';

/** Rounds of pages that may bring no more of the list's head: they show its end, a smaller page size, or what a page was. */
const idleRounds = 8;

/** Readings of a range of a list that moves meanwhile; then it is left to the caller to ask again. */
const rangeReadings = 3;

/** Rows and the positions at which they stand. */
interface RowRange<Row> extends Bounds {
  readonly rows: readonly Row[];
}

/** What one page shows of its list. */
interface CheckedPage<Row> {
  /** The rows at the positions of the page; where `isUnclear`, they may be the rows of other positions. */
  readonly part: RowRange<Row>;
  /** The largest page that the upstream serves, where the page shows that it is smaller than was asked for. */
  readonly most: number | null;
  /** The position from which on the list has no rows, where a page shows it that does not tell the length. */
  readonly end: number | null;
  /** The page only makes sense if the upstream serves smaller pages: the first page of its size will show that. */
  readonly isUnclear?: boolean;
  /** The page is the first, short, and does not tell the list's length: the page behind it shows whether this is all. */
  readonly isOpen?: boolean;
}

/** The bounds to read, given the list's length; null while the length must be known first. */
type WantedBounds = (total: number | null) => Bounds | null;

/** The bounds to read where that takes no more calls than the bounds that are wanted. */
type WiderBounds = (wanted: Bounds) => Bounds;

/** How a range is read. */
interface HowToRead {
  readonly wider?: WiderBounds;
  /** Asks again for pages that this request has read already. */
  readonly fresh?: boolean;
}

/**
 * Reads a range of a list in as few calls as the page limits allow, side by side. If pages report different lengths, or hold
 * the same row twice, rows came or went between them: the range is read again, three times at most. Throws what `fetchPage`
 * throws, UPSTREAM_BAD_RESPONSE for a list that contradicts itself, and a retryable UPSTREAM_ERROR for one that keeps changing.
 */
export async function readRange<Row>(
  source: Source<Row>,
  wanted: WantedBounds,
  { wider, fresh: isFresh = false }: HowToRead = {},
): Promise<PagesRead<Row>> {
  const totals = new Set<number>();
  for (let readings = 0; readings < rangeReadings; readings++) {
    const pages = new PagesRead(source);
    const fresh = isFresh || readings > 0;
    for (;;) {
      const missing = pages.missing(wanted, wider);
      if (pages.change !== 'none') break;
      if (missing.length === 0) return pages;
      await pages.ask(missing, (page, again) => source.fetchPage(page, fresh || again));
    }
    for (const total of pages.totals) totals.add(total);
  }
  if (totals.size !== 1) throw keepsMoving();
  const [total] = totals;
  throw contradictionIn(
    source,
    `it always says ${total} rows in all, but shows other rows in the same places each time`,
  );
}

/** The pages of a list that have been read: what they show of it together, and which pages are still missing. */
export class PagesRead<Row> {
  /** The lengths that the pages reported, in order. */
  readonly totals: number[] = [];
  /** The rows by position; some may be there twice. */
  parts: readonly RowRange<Row>[] = [];
  readonly source: Source<Row>;
  #isEmpty = true;
  /** Rounds of pages since the last one that brought more of the list's head. */
  #idle = 0;
  /** The position from which on the list has no rows, by pages that do not tell the length. */
  #end = Infinity;
  /** The rows of a short first page that does not tell the length. */
  #open: number | null = null;
  /** The last page, where the number of pages is told, and the length is not. */
  #lastPage: Page | null = null;
  /** The size of a page that the first page of this size will explain. */
  #unclear: number | null = null;

  constructor(source: Source<Row>) {
    this.source = source;
  }

  /** The list's length: as it was reported last, or as the rows themselves show it; else null. */
  get total(): number | null {
    return this.totals.at(-1) ?? (this.#end === this.#shown ? this.#shown : null);
  }

  /** The position from which on the list has no rows, by what was read; Infinity where nothing shows it. */
  get end(): number {
    return Math.min(this.total ?? Infinity, this.#end);
  }

  /** The row at a position of the list, asked for or not; undefined where none was read. */
  rowAt(position: number): Row | undefined {
    const part = this.parts.find(({ from, to }) => from <= position && position < to);
    return part?.rows[position - part.from];
  }

  /** The rows of the bounds, in order, from their start on without a gap. */
  rowsIn(bounds: Bounds): readonly Row[] {
    const found: Row[] = [];
    let position = bounds.from;
    for (const { from, to, rows } of this.parts.toSorted((a, b) => a.from - b.from)) {
      const end = Math.min(to, bounds.to);
      if (from > position || end <= position) continue;
      for (const row of rows.slice(position - from, end - from)) found.push(row);
      position = end;
    }
    return found;
  }

  /** The rows that are there from the head on, without a gap. */
  get headRows(): readonly Row[] {
    return this.rowsIn({ from: 0, to: this.covered });
  }

  get isWhole(): boolean {
    return this.total !== null && this.covered >= this.total;
  }

  /**
   * How the list has changed between the pages. New rows push others towards pages still to be read; lost rows draw others to pages
   * already read. Where a row is at two positions, or two rows are at one, although the list reports no growth, others may be on no page.
   */
  get change(): 'none' | 'grown' | 'shrunk' {
    const { totals } = this;
    if (totals.some((total, index) => total < (totals[index - 1] ?? 0))) return 'shrunk';
    if (totals.length > 0 && totals[0] !== totals.at(-1)) return 'grown';
    return isMixed(this.parts, this.source.identityOf) ? 'shrunk' : 'none';
  }

  /** The position behind the last row that is there. */
  get #shown(): number {
    return this.parts.reduce((end, { from, to }) => (from < to ? Math.max(end, to) : end), 0);
  }

  /** How many rows are there from the head on, without a gap. */
  get covered(): number {
    const shown = this.#shown;
    return uncovered({ from: 0, to: shown }, this.parts)[0]?.from ?? shown;
  }

  /**
   * Asks for pages side by side, and adds them in their order; one that contradicts itself is asked for again, once. Throws the failure
   * of the first that failed, and UPSTREAM_BAD_RESPONSE where they bring the reading no further: it would ask for the same for ever.
   */
  async ask(pages: readonly Page[], fetchPage: (page: Page, again: boolean) => Promise<PageRows<Row>>): Promise<void> {
    const responses = await allInOrder(pages.map((page) => fetchPage(page, false)));
    const { covered } = this;
    const { sizes, budget } = this.source;
    for (let [index, response] of responses.entries()) {
      const page = pages[index] as Page;
      let checked = shownBy(page, response, sizes);
      // A row may have come or gone between its count and its rows.
      if (typeof checked === 'string' && budget?.left !== 0) {
        response = await fetchPage(page, true);
        checked = shownBy(page, response, sizes);
      }
      if (typeof checked === 'string') throw contradictionIn(this.source, checked);
      this.#add(page, response, checked);
    }
    this.#idle = this.covered > covered ? 0 : this.#idle + 1;
    if (this.#idle > idleRounds) throw contradictionIn(this.source, 'its pages do not show how they belong together');
  }

  /**
   * A page that agrees with its own `meta` is believed. A list may have smaller pages than were asked for: `meta.page_size` tells it, or
   * fewer rows come than the total promises; their size is learned. Any other contradiction throws UPSTREAM_BAD_RESPONSE.
   */
  #add(page: Page, { rows, totalResults, totalPages = null }: PageRows<Row>, checked: CheckedPage<Row>): void {
    this.#isEmpty = false;
    if (checked.most !== null) learnSize(checked.most, this.source);
    // Some platforms say of each page behind the end that there are no rows at all.
    const isEmpty = page.number > 1 && rows.length === 0 && totalResults === 0;
    if (isEmpty && this.totals.length === 0) this.#unclear = page.size;
    else if (isEmpty && checked.part.from >= (this.total ?? 0)) return;
    else if (totalResults !== null) this.totals.push(totalResults);
    else if (totalPages !== null) this.#lastPage = { number: Math.max(1, totalPages), size: checked.most ?? page.size };
    if (page.number === 1) this.#unclear = null;
    if (checked.isUnclear === true) this.#unclear = Math.max(this.#unclear ?? 0, page.size);
    else this.#place(page, checked);
    if (Math.max(this.#shown, this.total ?? 0) > this.#end)
      throw contradictionIn(this.source, `it has ${this.#end} rows by one page, and more by another`);
  }

  #place(page: Page, { part, end, isOpen = false }: CheckedPage<Row>): void {
    const { sizes } = this.source;
    const count = part.rows.length;
    if (this.#open !== null && page.number === 2 && this.#isShownAgain(part.rows)) {
      this.#end = this.#open;
      this.#open = null;
      return;
    }
    if (count === page.size) sizes.prove(count);
    // Rows behind a short first page show that it was a whole page of a smaller size.
    const isBehind = this.#open !== null && count > 0 && part.to > this.#open;
    if (isBehind && this.#open !== null) learnSize(this.#open, this.source);
    if (isBehind || end !== null) this.#open = null;
    if (isOpen) this.#open = count;
    this.#end = Math.min(this.#end, end ?? Infinity);
    this.parts = [...this.parts, part];
  }

  /** Whether these are the rows of the first page once more: an API without counts may send its only page for any number. */
  #isShownAgain(rows: readonly Row[]): boolean {
    // Of a list of several pages they have been pushed here by new ones.
    if (this.#lastPage !== null && this.#lastPage.number > 1) return false;
    const namesOf = (page: readonly Row[] = []): string => page.map((row) => hashOfRow(this.source, row)).join();
    return namesOf(rows) === namesOf(this.parts[0]?.rows);
  }

  /**
   * The pages of the wanted bounds that are still missing; none where all rows are there. No page depends on the response for
   * another. Throws UPSTREAM_BAD_RESPONSE where the list's end is wanted and it does not say how long it is.
   */
  missing(wanted: WantedBounds, wider?: WiderBounds): readonly Page[] {
    const bounds = wanted(this.total);
    if (this.#isEmpty) return this.#firstPages(bounds, wider);
    const explaining = this.#explainingPage();
    if (bounds === null) return [explaining ?? this.#lastPage ?? lengthUnknown()];
    const gaps = uncovered({ from: bounds.from, to: Math.min(bounds.to, this.end) }, this.parts);
    if (explaining !== null && (gaps.length > 0 || this.#unclear !== null)) return [explaining];
    return gaps.flatMap((gap) => coverOf(gap, this.source.sizes.most));
  }

  /** The next pages behind the rows that are there from the head on, at most so many of a size. */
  next(most: number, size = this.source.sizes.most): readonly Page[] {
    if (this.#isEmpty) return [{ number: 1, size }];
    const { covered, end } = this;
    if (covered >= end) return [];
    const explaining = this.#explainingPage();
    if (explaining !== null) return [explaining];
    const first = Math.floor(covered / size) + 1;
    const pages = Array.from({ length: most }, (_, index) => ({ number: first + index, size }));
    return pages.filter(
      (page) => boundsOfPage(page).from < end && uncovered(boundsOfPage(page), this.parts).length > 0,
    );
  }

  /** The page that shows how others are to be read; null where these are clear. */
  #explainingPage(): Page | null {
    if (this.#unclear !== null) return { number: 1, size: this.#unclear };
    return this.#open === null ? null : { number: 2, size: this.#open };
  }

  #firstPages(bounds: Bounds | null, wider: WiderBounds = (same) => same): readonly Page[] {
    const { most } = this.source.sizes;
    // The length must be known first. The largest page makes this the only call for a list that fits into it.
    if (bounds === null) return [{ number: 1, size: most }];
    if (bounds.from === bounds.to) return [{ number: 1, size: 1 }];
    const pages = coverOf(bounds, most);
    const more = coverOf(wider(bounds), most);
    return more.length <= pages.length ? more : pages;
  }
}

/** Learns the largest page of a list; throws UPSTREAM_BAD_RESPONSE where it has shown another. */
function learnSize(most: number, source: Pick<Source<never>, 'sizes' | 'noteContradiction'>): void {
  const { sizes } = source;
  if (!sizes.learn(most)) throw contradictionIn(source, `its pages hold now ${sizes.most} rows, now ${most}`);
}

/**
 * What contradicts a page's total, or its number, in words; null if nothing does. It looks at no size that was asked for: any is right
 * for a count.
 */
export function totalFault({ number, size }: Page, response: PageRows<unknown>): string | null {
  const { rows, totalResults: total, totalPages = null, pageSize, pageNumber = null } = response;
  const count = rows.length;
  const isBehindEnd = count === 0 && total !== null && total <= (number - 1) * Math.min(size, pageSize ?? size);
  if (pageNumber !== null && pageNumber !== number && !isBehindEnd)
    return `it says that it is page ${pageNumber}, where page ${number} was asked for`;
  if (total === null) return null;
  // Whatever size its pages have, those before it hold no fewer rows each.
  if (count * number > total)
    return `it says ${total} rows in all, but page ${number} of ${Math.min(size, pageSize ?? size)} holds ${count}`;
  // A page that is not the last holds as many rows as pages have: the size that it says may be one that nobody serves.
  if (totalPages === null || totalPages <= number || total > (totalPages - 1) * count) return null;
  return `it says ${total} rows in all, but also that they take ${totalPages} pages`;
}

/** What a page shows; its contradiction in words, where it has one. */
function shownBy<Row>(page: Page, response: PageRows<Row>, sizes: ServedSizes): CheckedPage<Row> | string {
  const fault = totalFault(page, response);
  if (fault !== null) return fault;
  const { rows, totalResults: total, totalPages = null, pageSize } = response;
  const { number } = page;
  const size = Math.min(page.size, pageSize ?? page.size);
  const { from } = boundsOfPage({ number, size });
  const count = rows.length;
  const expected = total === null ? size : Math.max(0, Math.min(size, total - from));
  const isTold = size < page.size && count < (total ?? Infinity);
  const agreeing: CheckedPage<Row> = { part: { from, to: from + count, rows }, most: isTold ? size : null, end: null };
  const ending = { ...agreeing, end: from + count };

  // It was asked for before its list was known to have smaller pages.
  if (size > sizes.most) return { ...agreeing, part: { from, to: from, rows: [] }, most: null };
  if (count > size) return `it holds ${count} rows, where ${size} were asked for`;
  if (number > 1 && !isTold && !sizes.isProven(size) && isOdd(response, page, expected, sizes))
    return { ...agreeing, isUnclear: true };
  if (count === expected) return total === null && totalPages === number ? ending : agreeing;

  if (total === null) {
    if (count === 0 || sizes.isProven(size)) return ending;
    return number === 1 ? { ...agreeing, isOpen: true } : { ...agreeing, isUnclear: true };
  }
  if (count === 0 || count > expected || isTold || sizes.isProven(size))
    return `it says ${total} rows in all, but page ${number} of ${size} holds ${count}`;
  // It is read again by its own size, to be sure that no row is missing.
  return { ...agreeing, part: { from, to: from, rows: [] }, most: count };
}

/** Whether a page behind the first can be neither the whole nor the last page of its size, or its size is doubted. */
function isOdd(response: PageRows<unknown>, page: Page, expected: number, { isDoubted }: ServedSizes): boolean {
  const { rows, totalResults, totalPages = null, pageSize } = response;
  const isLast = rows.length < page.size && rows.length > 0 && totalResults !== null;
  const hasNext = totalPages !== null && totalPages > page.number;
  const isUnproven = isLast && rows.length === expected && (hasNext || isDoubted);
  return rows.length > expected || isUnproven || (pageSize ?? 0) > page.size;
}

/** Whether two pages hold one row at two positions, or two rows at one. A page that holds a row twice was sent so. */
function isMixed<Row>(parts: readonly RowRange<Row>[], identityOf: Identify<Row>): boolean {
  if (parts.length < 2) return false;
  const positions = new Map<string, number>();
  const identities = new Map<number, string>();
  return parts.some(({ from, rows }) => {
    const named = rows.map((row, index) => [identityOf(row), from + index] as const);
    const isMixedWithOthers = named.some(
      ([identity, position]) =>
        identity !== null &&
        ((positions.get(identity) ?? position) !== position || (identities.get(position) ?? identity) !== identity),
    );
    for (const [identity, position] of named) {
      if (identity === null) continue;
      positions.set(identity, position);
      identities.set(position, identity);
    }
    return isMixedWithOthers;
  });
}

function lengthUnknown(): never {
  throw new GatewayError('UPSTREAM_BAD_RESPONSE', {
    message: 'The upstream does not say how long this list is, so its end cannot be found.',
  });
}
