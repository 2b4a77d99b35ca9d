import { contradictoryReadings } from '../bounds.ts';
import { GatewayError } from '../errors.ts';
import { looksOf } from './anchor.ts';
import { ListEnd } from './list-end.ts';
import { boundsOfPage, coverOf, uncovered, type Page } from './page-cover.ts';
import { judge, nothingShown, type PageJudgement, type RowRange } from './page-judgement.ts';
import { ServedSizes } from './served-sizes.ts';
import type { PageRows, Source } from './source.ts';
import type { Bounds } from './window.ts';

/** What to read, once the list's length is known, and null while it must be known first. */
export type WantedBounds = (total: number | null) => Bounds | null;

/** Rows around the wanted ones that are welcome as long as they cost no further call. */
export interface Margin {
  readonly before: number;
  readonly after: number;
}

/** Whether a row that is known to stand in its place shows that the others of a page stand in theirs. */
export type Vouches<Row> = (part: RowRange<Row>) => boolean;

/** No rows besides the wanted ones. */
export const noMargin: Margin = { before: 0, after: 0 };

/** What the answers to some page requests show of a list, put together, and what is to be asked for next. */
export class PageLedger<Row> {
  /** Rows whose places are certain; some may be here twice. */
  parts: readonly RowRange<Row>[] = [];
  /** The lengths that were told, in the order of the answers, believed or not. */
  readonly totals: number[] = [];
  readonly served: ServedSizes;
  readonly #source: Source<Row>;
  readonly #vouches: Vouches<Row>;
  readonly #end: ListEnd<Row>;
  readonly #asked = new Set<string>();
  /** The length that was told last, as far as its page bore it out. */
  #total: number | null = null;
  /** The list's last page, by what it says of its pages where it does not tell its length. */
  #lastPage: Page | null = null;
  /** The first rows, where one of them may be missing; null where that is known, or nothing is here. */
  #unsure: RowRange<Row> | null = null;
  /** So many rows the list has at least: page p is behind p - 1 pages with no fewer rows than it holds itself. */
  #least = 0;
  #contradiction: string | null = null;
  #isDoubted = false;
  #doubts = 0;

  constructor(source: Source<Row>, vouches: Vouches<Row> = () => false) {
    this.#source = source;
    this.#vouches = vouches;
    this.#end = new ListEnd((row) => this.#nameOf(row));
    this.served = source.served ?? new ServedSizes(source.pageLimit);
  }

  /** The list's length, as it was told and what was read bears out, or as the rows themselves show it; else null. */
  get total(): number | null {
    const told = this.#total;
    const { ceiling } = this.#end;
    const shown = this.#shown;
    if (told !== null && told >= Math.max(shown, this.#least) && told <= ceiling) return told;
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

  /** Whether a row is here in two places, or two rows in one. */
  get isMixed(): boolean {
    if (this.parts.length < 2) return false;
    const places = new Map<string, number>();
    const names = new Map<number, string>();
    return this.parts.some(({ from, rows }) =>
      rows.some((row, index) => {
        const identity = this.#source.identityOf(row);
        if (identity === null) return false;
        const place = from + index;
        const isElsewhere = (places.get(identity) ?? place) !== place || (names.get(place) ?? identity) !== identity;
        places.set(identity, place);
        names.set(place, identity);
        return isElsewhere;
      }),
    );
  }

  /** Whether rows came or went between the pages that were read. */
  get isTorn(): boolean {
    return this.totals.some((total) => total !== this.totals[0]) || this.isMixed;
  }

  /** Whether the first rows may be here with one of them left out; the page behind them tells. */
  get isUnsure(): boolean {
    return this.#unsure !== null;
  }

  /** Whether a page has been asked for already: another answer to it must be a fresh one. */
  hasAsked({ number, size }: Page): boolean {
    return this.#asked.has(`${number} ${size}`);
  }

  /**
   * The pages that are still missing, none depending on another's answer; none where all that is wanted is here. Throws
   * UPSTREAM_BAD_RESPONSE where the list contradicts itself so that it cannot be had, or where its end is wanted and untold.
   */
  missing(wanted: WantedBounds, margin: Margin = noMargin): readonly Page[] {
    const { total } = this;
    const bounds = wanted(total);
    if (this.#asked.size === 0) return this.#first(bounds, margin);
    if (bounds === null) return this.#towardsEnd();
    const to = Math.min(bounds.to, total ?? Infinity, this.#end.ceiling);
    const gaps = uncovered({ from: bounds.from, to }, this.parts);
    if (gaps.length === 0)
      return this.#unsure === null || bounds.from === bounds.to ? [] : [{ number: 1, size: this.#unsure.to }];
    this.#countDoubt();
    const proof = this.#end.proof();
    if (proof !== null) return proof;
    const pages = gaps.flatMap((gap) => this.#coverOfGap(gap));
    // Where a length was told that is none, all that is behind the next page may be behind the list's end.
    const isUncertain = this.#end.isOpen || (total === null && this.totals.length > 0);
    return isUncertain ? pages.slice(0, 1) : pages;
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
    const answer = this.#isRepeated(page, given) ? { ...given, rows: [] } : this.#withoutRefuted(given);
    const judgement = this.#doubted(judge(page, answer, this.#source.pageLimit, this.served), answer);
    const { part, learned, total, pages, contradiction } = judgement;
    // A page that was asked for by a size that is not served is another one, and as long as that one is.
    const isLearned = learned !== null && (page.number === 1 || page.size <= this.served.range.most);
    if (isLearned) this.served.learn(learned, page.number === 1);
    this.served.note(page, answer.rows.length);
    if (contradiction !== null) this.#noteContradiction(contradiction, judgement);
    if (given.totalResults !== null) this.totals.push(given.totalResults);
    if (total !== null) this.#total = total;
    if (pages !== null) this.#notePages(page, pages);
    this.#noteUnsure(judgement);
    const { proved, refuted } = this.#end.note(page, judgement, this.served);
    this.parts = [...this.parts, ...[part, proved].filter((placed) => placed !== null)];
    this.#least = Math.max(this.#least, page.number * answer.rows.length);
    if (this.#end.ceiling < this.#least) this.#refuteEnd();
    if (refuted !== null && refuted.rows.length < this.served.range.most)
      this.served.learn({ size: refuted.rows.length, isOwn: false }, false);
  }

  /** A page was empty, and another one shows rows behind it. */
  #refuteEnd(): void {
    this.#contradict(`an empty page shows ${this.#end.ceiling} rows at most, and another page ${this.#least} at least`);
    this.#isDoubted = true;
    this.#end.reopen();
  }

  #noteUnsure({ isUnsure, part }: PageJudgement<Row>): void {
    const unsure = this.#unsure;
    if (isUnsure) {
      // As many rows were asked for as had come, and fewer have.
      this.parts = this.parts.filter((each) => each !== unsure);
      this.#unsure = part;
    } else if (part !== null && (part.to === unsure?.to || part.from === unsure?.to)) {
      // The same rows by themselves, or those right behind them, which would begin with one of them were another left out.
      this.#unsure = null;
    }
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
    throw this.failure('The upstream does not say how long this list is, so its end cannot be found.');
  }

  /** UPSTREAM_BAD_RESPONSE that says what contradicts what, or else this. */
  failure(message: string): GatewayError {
    return badList(
      this.#contradiction === null ? message : `The upstream's list contradicts itself: ${this.#contradiction}.`,
    );
  }

  /** Whether this is to be counted against the upstream; throws where it has been too often. */
  #countDoubt(): boolean {
    const isDoubted = this.#isDoubted;
    this.#isDoubted = false;
    if (isDoubted && ++this.#doubts >= contradictoryReadings) throw this.failure('The upstream contradicts itself.');
    return isDoubted;
  }

  #noteContradiction(contradiction: string, { part, guess, learned, emptyFrom }: PageJudgement<Row>): void {
    this.#contradict(contradiction);
    this.#isDoubted ||= part === null && guess === null && learned === null && emptyFrom === null;
  }

  #contradict(contradiction: string): void {
    if (this.#contradiction === null) this.#source.noteContradiction?.();
    this.#contradiction = contradiction;
  }

  #notePages({ number, size }: Page, pages: number): void {
    if (number === pages || size === 1) this.#total = pages * size;
    else this.#lastPage = { number: pages, size };
  }

  /** An empty page shows an end of its own where it repeats a length that rows have refuted. */
  #withoutRefuted(answer: PageRows<Row>): PageRows<Row> {
    const isRefuted = answer.rows.length === 0 && answer.totalResults !== null && answer.totalResults < this.#least;
    return isRefuted ? { ...answer, totalResults: null, totalPages: null } : answer;
  }

  /** Whether a page that tells no length is the first one again, as where the number that is asked for is ignored. */
  #isRepeated(page: Page, { rows, totalResults, totalPages = null }: PageRows<Row>): boolean {
    if (totalResults !== null || totalPages !== null || page.number === 1 || rows.length === 0) return false;
    const head = this.parts.find(({ from }) => from === 0)?.rows ?? [];
    return rows.every((row, index) => {
      const first = head[index];
      return first !== undefined && this.#nameOf(first) === this.#nameOf(row);
    });
  }

  /** The judgement in the light of the rows: of a page that contradicts itself and holds a row twice none is certain. */
  #doubted(judgement: PageJudgement<Row>, { rows, pageSize }: PageRows<Row>): PageJudgement<Row> {
    const { guess, contradiction } = judgement;
    const isDoubtful = contradiction !== null || (pageSize !== null && pageSize < rows.length);
    if (isDoubtful && this.#holdsTwice(rows))
      return {
        ...nothingShown,
        contradiction: contradiction ?? `it says that a page has ${pageSize} rows, and holds ${rows.length}`,
      };
    return guess?.isOpen === false && this.#vouches(guess.part)
      ? { ...judgement, part: guess.part, guess: null }
      : judgement;
  }

  #holdsTwice(rows: readonly Row[]): boolean {
    const identities = rows.map((row) => this.#source.identityOf(row)).filter((identity) => identity !== null);
    return new Set(identities).size < identities.length;
  }

  #nameOf(row: Row): string {
    return this.#source.identityOf(row) ?? looksOf(row);
  }
}

function badList(message: string): GatewayError {
  return new GatewayError('UPSTREAM_BAD_RESPONSE', { message });
}
