import { Contradictions } from './contradictions.ts';
import { ListEnd } from './list-end.ts';
import { uncovered, type Page } from './page-cover.ts';
import { judge, nothingShown, type PageJudgement, type RowRange } from './page-judgement.ts';
import { beginsWith, holdsTwice, isMixed } from './row-check.ts';
import { nameOfRow } from './row-identity.ts';
import { ServedSizes } from './served-sizes.ts';
import type { PageRows, Source } from './source.ts';

/** Whether a row that is known to stand at its position shows that the other rows of its page stand at theirs. */
export type Vouches<Row> = (part: RowRange<Row>) => boolean;

/** What the responses to some page requests show of a list, put together. */
export class PageLedger<Row> {
  readonly served: ServedSizes;
  /** What is known of the list's end from its rows alone. */
  readonly end: ListEnd<Row>;
  readonly contradictions: Contradictions;
  /** The lengths that pages reported, in the order of the responses, believed or not. */
  readonly totals: number[] = [];
  /** Rows whose positions are certain; some may be there twice. */
  parts: readonly RowRange<Row>[] = [];
  /** The first rows, while one of them may be missing; null otherwise. */
  unsure: RowRange<Row> | null = null;
  /** The list's last page, by the number of pages that it reports where it does not report its length. */
  lastPage: Page | null = null;
  readonly #source: Source<Row>;
  readonly #vouches: Vouches<Row>;
  readonly #asked = new Set<string>();
  /** The length that was reported last, as far as the rows of its page agree with it. */
  #reportedTotal: number | null = null;
  /** The least length: before page p are p - 1 pages with no fewer rows than page p has. */
  #leastTotal = 0;

  constructor(source: Source<Row>, vouches: Vouches<Row> = () => false) {
    this.#source = source;
    this.#vouches = vouches;
    this.end = new ListEnd((row) => nameOfRow(source, row));
    this.contradictions = new Contradictions(() => source.noteContradiction?.());
    this.served = source.served ?? new ServedSizes(source.pageLimit);
  }

  /** The list's length, as it was reported and its rows agree, or as the rows themselves show it; else null. */
  get total(): number | null {
    const reported = this.#reportedTotal;
    const { ceiling } = this.end;
    const shown = this.#shown;
    if (reported !== null && reported >= Math.max(shown, this.#leastTotal) && reported <= ceiling) return reported;
    return ceiling === shown ? shown : null;
  }

  /** How many rows are there from the head on, without a gap. */
  get covered(): number {
    const shown = this.#shown;
    return uncovered({ from: 0, to: shown }, this.parts)[0]?.from ?? shown;
  }

  /** The position behind the last row that is there. */
  get #shown(): number {
    return this.parts.reduce((end, { to }) => Math.max(end, to), 0);
  }

  /** Whether a row is there at two positions, or two rows at one. */
  get isMixed(): boolean {
    return isMixed(this.parts, this.#source);
  }

  /** Whether rows came or went between the pages that were read. */
  get isTorn(): boolean {
    return this.totals.some((total) => total !== this.totals[0]) || this.isMixed;
  }

  /** Whether no page has been asked for. */
  get isEmpty(): boolean {
    return this.#asked.size === 0;
  }

  /** Whether a page has been asked for already: the next response to it must be a fresh one. */
  hasAsked({ number, size }: Page): boolean {
    return this.#asked.has(`${number} ${size}`);
  }

  /** Adds the response to the request for a page. */
  add(page: Page, response: PageRows<Row>): void {
    this.#asked.add(`${page.number} ${page.size}`);
    const believed = this.#isFirstAgain(page, response) ? { ...response, rows: [] } : this.#withoutRefuted(response);
    const judgement = this.#checked(judge(page, believed, this.#source.pageLimit, this.served), believed);
    this.#learnSize(page, judgement, believed.rows.length);
    this.#addContradiction(judgement);
    if (response.totalResults !== null) this.totals.push(response.totalResults);
    this.#addLength(page, judgement);
    this.#addRows(page, judgement, believed.rows.length);
  }

  /** Whether a page that reports no length is the first one again, as where the upstream ignores the page number. */
  #isFirstAgain(page: Page, { rows, totalResults, totalPages = null }: PageRows<Row>): boolean {
    if (totalResults !== null || totalPages !== null || page.number === 1 || rows.length === 0) return false;
    const head = this.parts.find(({ from }) => from === 0)?.rows ?? [];
    return beginsWith(head, rows, this.#source);
  }

  /** An empty page shows an end of its own where it repeats a length that rows have refuted. */
  #withoutRefuted(response: PageRows<Row>): PageRows<Row> {
    const { rows, totalResults } = response;
    const isRefuted = rows.length === 0 && totalResults !== null && totalResults < this.#leastTotal;
    return isRefuted ? { ...response, totalResults: null, totalPages: null } : response;
  }

  /** The judgement checked by the rows: where a page contradicts itself and holds a row twice, no row is certain. */
  #checked(judgement: PageJudgement<Row>, { rows, pageSize }: PageRows<Row>): PageJudgement<Row> {
    const { guess, contradiction } = judgement;
    const isDoubtful = contradiction !== null || (pageSize !== null && pageSize < rows.length);
    if (isDoubtful && holdsTwice(rows, this.#source))
      return {
        ...nothingShown,
        contradiction: contradiction ?? `it says that a page has ${pageSize} rows, and holds ${rows.length}`,
      };
    return guess?.isOpen === false && this.#vouches(guess.part)
      ? { ...judgement, part: guess.part, guess: null }
      : judgement;
  }

  #learnSize(page: Page, { learned }: PageJudgement<Row>, count: number): void {
    // A page that was asked for by a size that is not served is another page, and has that one's rows.
    const isLearned = learned !== null && (page.number === 1 || page.size <= this.served.range.most);
    if (isLearned) this.served.learn(learned, page.number === 1);
    this.served.count(page, count);
  }

  #addContradiction({ contradiction, part, guess, learned, emptyFrom }: PageJudgement<Row>): void {
    if (contradiction === null) return;
    this.contradictions.record(
      contradiction,
      part === null && guess === null && learned === null && emptyFrom === null,
    );
  }

  #addLength({ number, size }: Page, { total, pages }: PageJudgement<Row>): void {
    if (total !== null) this.#reportedTotal = total;
    if (pages === null) return;
    if (number === pages || size === 1) this.#reportedTotal = pages * size;
    else this.lastPage = { number: pages, size };
  }

  #addRows(page: Page, judgement: PageJudgement<Row>, count: number): void {
    this.#updateUnsure(judgement);
    const { proved, refuted } = this.end.add(page, judgement, this.served);
    this.parts = [...this.parts, ...[judgement.part, proved].filter((placed) => placed !== null)];
    this.#leastTotal = Math.max(this.#leastTotal, page.number * count);
    if (this.end.ceiling < this.#leastTotal) this.#refuteEnd();
    if (refuted !== null && refuted.rows.length < this.served.range.most)
      this.served.learn({ size: refuted.rows.length, isOwn: false }, false);
  }

  #updateUnsure({ isUnsure, part }: PageJudgement<Row>): void {
    const { unsure } = this;
    if (isUnsure) {
      // The page was asked for with the number of rows that had come, and fewer have come now.
      this.parts = this.parts.filter((each) => each !== unsure);
      this.unsure = part;
    } else if (part !== null && (part.to === unsure?.to || part.from === unsure?.to)) {
      // These are the same rows, or the rows right behind them; the latter would begin with one of them if one were missing.
      this.unsure = null;
    }
  }

  /** A page was empty, and another page shows rows behind it. */
  #refuteEnd(): void {
    const { ceiling } = this.end;
    this.contradictions.record(
      `an empty page shows ${ceiling} rows at most, and another page ${this.#leastTotal} at least`,
      true,
    );
    this.end.reopen();
  }
}
