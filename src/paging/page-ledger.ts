import { GatewayError } from '../errors.ts';
import { looksOf } from './anchor.ts';
import { ListEnd } from './list-end.ts';
import { boundsOfPage, coverOf, uncovered, type Page } from './page-cover.ts';
import { judge, type Judgement, type Part } from './page-judgement.ts';
import { unknownSizes, type ServedSizes } from './served-sizes.ts';
import type { PageRows, Source } from './source.ts';
import type { Bounds } from './window.ts';

/** What to read, once the list's length is known, and null while it must be known first. */
export type Wanted = (total: number | null) => Bounds | null;

/** Rows around the wanted ones that are welcome as long as they cost no further call. */
export interface Margin {
  readonly before: number;
  readonly after: number;
}

/** No rows besides the wanted ones. */
export const noMargin: Margin = { before: 0, after: 0 };

// What contradicts itself may have been read while rows came or went: it is read once more.
const mostDoubts = 2;

/** What the answers to some page requests show of a list, put together, and what is to be asked for next. */
export class PageLedger<Row> {
  /** Rows whose places are certain; some may be here twice. */
  readonly parts: Part<Row>[] = [];
  /** The lengths that were told, in the order of the answers. */
  readonly totals: number[] = [];
  readonly served: ServedSizes;
  readonly #source: Source<Row>;
  readonly #end: ListEnd<Row>;
  readonly #asked = new Set<string>();
  /** The list's last page, by what it says of its pages where it does not tell its length. */
  #lastPage: Page | null = null;
  #contradiction: string | null = null;
  #isDoubted = false;
  #doubts = 0;
  #places: Map<string, number> | null = null;

  constructor(source: Source<Row>) {
    this.#source = source;
    this.#end = new ListEnd((row) => this.#nameOf(row));
    this.served = source.served ?? unknownSizes(source.pageLimit);
  }

  /** The list's length, as it was told and what was read bears out, or as the rows themselves show it; else null. */
  get total(): number | null {
    const told = this.totals.at(-1);
    const { ceiling } = this.#end;
    const shown = this.#shown;
    if (told !== undefined && told >= shown && told <= ceiling) return told;
    return ceiling === shown ? shown : null;
  }

  /** How many rows are here from the head on, without a gap. */
  get covered(): number {
    const shown = this.#shown;
    return uncovered({ from: 0, to: shown }, this.parts)[0]?.from ?? shown;
  }

  /** Up to where rows have been seen. */
  get #shown(): number {
    return this.parts.reduce((end, { to }) => Math.max(end, to), 0);
  }

  /** Which way rows have moved between the pages: 1 towards the end, -1 towards the head; 0 where none is here twice. */
  get drift(): -1 | 0 | 1 {
    let drift: 0 | 1 = 0;
    const places = new Map<string, number>();
    for (const { from, rows } of this.parts.length > 1 ? this.parts : []) {
      for (const [index, row] of rows.entries()) {
        const identity = this.#source.identityOf(row);
        const place = identity === null ? undefined : places.get(identity);
        if (identity !== null) places.set(identity, from + index);
        if (place === undefined || place === from + index) continue;
        if (place > from + index) return -1;
        drift = 1;
      }
    }
    return drift;
  }

  /** Whether rows came or went between the pages that were read. */
  get isTorn(): boolean {
    return this.parts.length > 1 && (this.totals.some((total) => total !== this.totals[0]) || this.drift !== 0);
  }

  /** Whether a page has been asked for already: another answer to it must be a fresh one. */
  hasAsked({ number, size }: Page): boolean {
    return this.#asked.has(`${number} ${size}`);
  }

  /**
   * The pages that are still missing, none depending on another's answer; none where all that is wanted is here. Throws
   * UPSTREAM_BAD_RESPONSE where the list contradicts itself so that it cannot be had, or where its end is wanted and untold.
   */
  missing(wanted: Wanted, margin: Margin = noMargin): readonly Page[] {
    const { total } = this;
    const bounds = wanted(total);
    if (this.#asked.size === 0) return this.#first(bounds, margin);
    if (bounds === null) return this.#towardsEnd();
    const to = Math.min(bounds.to, total ?? Infinity, this.#end.ceiling);
    const gaps = uncovered({ from: bounds.from, to }, this.parts);
    if (gaps.length === 0) return [];
    this.#countDoubt();
    const proof = this.#end.proof();
    if (proof !== null) return proof;
    const pages = gaps.flatMap((gap) => this.#coverOfGap(gap));
    return this.#end.isOpen ? pages.slice(0, 1) : pages;
  }

  /**
   * The next pages behind the rows that are here from the head on, as `missing` has them, so many at most. They are whole
   * pages: the last one shows whether the list is longer than it says.
   */
  next(most: number): readonly Page[] {
    const { covered, total } = this;
    const size = this.served.range.most;
    if (this.#asked.size === 0) return [{ number: 1, size }];
    const end = Math.min(total ?? Infinity, this.#end.ceiling);
    if (covered >= end) return [];
    this.#countDoubt();
    const proof = this.#end.proof();
    if (proof !== null) return proof;
    const first = Math.floor(covered / size) + 1;
    const pages = Array.from({ length: this.#end.isOpen ? 1 : most }, (_, index) => ({ number: first + index, size }));
    return pages.filter(
      (page) => boundsOfPage(page).from < end && uncovered(boundsOfPage(page), this.parts).length > 0,
    );
  }

  /** Takes note of an answer. */
  note(page: Page, given: PageRows<Row>): void {
    this.#asked.add(`${page.number} ${page.size}`);
    const answer = this.#isRepeated(page, given) ? { ...given, rows: [] } : given;
    const judgement = judge(page, answer, this.#source.pageLimit, this.served.range);
    const { part, range, total, pages, contradiction } = judgement;
    if (range !== null) this.served.range = range;
    if (answer.rows.length > 0 && answer.rows.length <= page.size) this.served.isObeyed = true;
    if (contradiction !== null) this.#noteContradiction(contradiction, judgement);
    if (total !== null) this.totals.push(total);
    if (pages !== null) this.#notePages(page, pages);
    const proved = this.#end.note(page, judgement, this.served.isObeyed);
    for (const placed of [part, proved]) if (placed !== null) this.#place(placed);
  }

  #first(bounds: Bounds | null, { before, after }: Margin): readonly Page[] {
    const { range } = this.served;
    // Only the total can tell. The largest page makes this the only call for a list that fits into it.
    if (bounds === null) return [{ number: 1, size: range.most }];
    if (bounds.from === bounds.to) return [{ number: 1, size: range.least }];
    const pages = coverOf(bounds, range);
    if (before === 0 && after === 0) return pages;
    const wider = coverOf({ from: Math.max(0, bounds.from - before), to: bounds.to + after }, range);
    return wider.length <= pages.length ? wider : pages;
  }

  /** Up to the end of the list with the place behind it, where that costs no further call: there should be no row. */
  #coverOfGap({ from, to }: Bounds): readonly Page[] {
    const pages = coverOf({ from, to }, this.served.range);
    if (to !== this.total) return pages;
    const wider = coverOf({ from, to: to + 1 }, this.served.range);
    return wider.length <= pages.length ? wider : pages;
  }

  #towardsEnd(): readonly Page[] {
    const { most } = this.served.range;
    const isDoubted = this.#countDoubt();
    const proof = this.#end.proof();
    if (proof !== null) return proof;
    if (this.#end.isOpen) return coverOf({ from: this.covered, to: this.covered + 1 }, { least: most, most });
    const isServed = this.#lastPage !== null && this.#lastPage.size <= most;
    const page = this.#lastPage !== null && isServed ? this.#lastPage : { number: 1, size: most };
    if (isDoubted || !this.hasAsked(page)) return [page];
    throw this.#contradiction === null
      ? badList('The upstream does not say how long this list is, so its end cannot be found.')
      : contradictory(this.#contradiction);
  }

  /** Whether this is to be counted against the upstream; throws where it has been too often. */
  #countDoubt(): boolean {
    const isDoubted = this.#isDoubted;
    this.#isDoubted = false;
    if (isDoubted && ++this.#doubts >= mostDoubts) throw contradictory(this.#contradiction ?? '');
    return isDoubted;
  }

  #noteContradiction(contradiction: string, { part, range }: Judgement<Row>): void {
    if (this.#contradiction === null) this.#source.noteContradiction?.();
    this.#contradiction = contradiction;
    this.#isDoubted ||= part === null && range === null;
  }

  #notePages({ number, size }: Page, pages: number): void {
    if (number === pages || size === 1) this.totals.push(pages * size);
    else this.#lastPage = { number: pages, size };
  }

  #place(part: Part<Row>): void {
    this.parts.push(part);
    if (this.#places !== null) this.#addPlaces(this.#places, part);
  }

  /** Whether a page that tells no length shows nothing but rows of other pages, as where the number asked for is ignored. */
  #isRepeated(page: Page, { rows, totalResults, totalPages = null }: PageRows<Row>): boolean {
    if (totalResults !== null || totalPages !== null || rows.length === 0 || this.parts.length === 0) return false;
    if (this.#places === null) {
      this.#places = new Map();
      for (const part of this.parts) this.#addPlaces(this.#places, part);
    }
    const { from } = boundsOfPage(page);
    const places = this.#places;
    return rows.every((row, index) => (places.get(this.#nameOf(row)) ?? from + index) !== from + index);
  }

  #addPlaces(places: Map<string, number>, { from, rows }: Part<Row>): void {
    for (const [index, row] of rows.entries()) places.set(this.#nameOf(row), from + index);
  }

  #nameOf(row: Row): string {
    return this.#source.identityOf(row) ?? looksOf(row);
  }
}

function contradictory(contradiction: string): GatewayError {
  return badList(`The upstream's list contradicts itself: ${contradiction}.`);
}

function badList(message: string): GatewayError {
  return new GatewayError('UPSTREAM_BAD_RESPONSE', { message });
}
