import { boundsOfPage, coverOf, type Page } from './page-cover.ts';
import type { PageJudgement, RowRange } from './page-judgement.ts';
import type { ServedSizes } from './served-sizes.ts';

/** What a page shows of rows whose positions were guessed: that they stand there, or that they do not. */
export interface Proof<Row> {
  readonly proved: RowRange<Row> | null;
  readonly refuted: RowRange<Row> | null;
}

interface Guess<Row> {
  readonly page: Page;
  readonly part: RowRange<Row>;
  readonly isOpen: boolean;
}

const oneRow = { least: 1, most: 1 } as const;
const nothingProved: Proof<never> = { proved: null, refuted: null };

/** A list's end as its rows show it, and the pages that prove what only seems to be the end. */
export class ListEnd<Row> {
  readonly #nameOf: (row: Row) => string;
  #ceiling = Infinity;
  /** Rows of a page that may stand elsewhere, such as those of a seemingly last page; their positions are to be proved. */
  #guess: Guess<Row> | null = null;
  /** The position at which the list seems to end, behind a short first page. */
  #open: number | null = null;
  /** An empty page whose cause may be that the upstream has a page size of its own. */
  #unexplained: { readonly page: Page; readonly emptyFrom: number | null } | null = null;

  constructor(nameOf: (row: Row) => string) {
    this.#nameOf = nameOf;
  }

  /** The position from which on the list has no rows; Infinity where that is unknown. */
  get ceiling(): number {
    return this.#ceiling;
  }

  /** Whether the list seems to end, so that pages beyond the next one may be empty. */
  get isOpen(): boolean {
    return this.#open !== null;
  }

  /**
   * The pages that prove or refute a guess; null without one. The last row is asked for by itself, and so is the position behind
   * it where the length is unknown: a page of one row cannot be cut, and stands where it is expected.
   */
  proof(): readonly Page[] | null {
    if (this.#unexplained !== null) return [{ number: 1, size: this.#unexplained.page.size }];
    if (this.#guess === null) return null;
    const { to } = this.#guess.part;
    return coverOf({ from: to - 1, to: this.#guess.isOpen ? to + 1 : to }, oneRow);
  }

  /** Adds the judgement of a page. */
  add(page: Page, judgement: PageJudgement<Row>, served: ServedSizes): Proof<Row> {
    const { part, emptyFrom, isOpen, isUnexplained } = judgement;
    if (this.#open !== null && part !== null && part.to > this.#open) this.#open = null;
    if (isOpen && part !== null) this.#open = part.to;
    if (page.number === 1) {
      const open = this.#unexplained;
      if (open !== null && served.isBehindEnd(open.page.size)) this.#lower(open.emptyFrom);
      this.#unexplained = null;
    }
    if (isUnexplained && !served.isBehindEnd(page.size)) this.#unexplained ??= { page, emptyFrom };
    else this.#lower(emptyFrom);
    return this.#resolveGuess(page, judgement, served);
  }

  /** Forgets the ceiling: there are rows behind it. */
  reopen(): void {
    this.#ceiling = Infinity;
  }

  #lower(emptyFrom: number | null): void {
    this.#ceiling = Math.min(this.#ceiling, emptyFrom ?? Infinity);
  }

  #resolveGuess(
    page: Page,
    { part, guess, learned, isUnexplained }: PageJudgement<Row>,
    served: ServedSizes,
  ): Proof<Row> {
    const open = this.#guess;
    if (open === null) {
      this.#guess = guess && { ...guess, page };
      return nothingProved;
    }
    // The upstream has a page size of its own: the rows stand there only if that size was asked for.
    if (served.isOwn) {
      this.#guess = null;
      if (open.page.size !== served.range.most) return nothingProved;
      if (open.isOpen) this.#lower(open.part.to);
      return { proved: open.part, refuted: null };
    }
    const { from, to } = boundsOfPage(page);
    // A page of a larger size than was asked for stands elsewhere.
    const isElsewhere = learned !== null && learned.size > page.size;
    const isSilent = isElsewhere || (isUnexplained && !served.isBehindEnd(page.size));
    if (isSilent || from >= open.part.to || to < open.part.to) return nothingProved;
    this.#guess = guess && { ...guess, page };
    const there = part?.rows[open.part.to - 1 - part.from];
    const last = open.part.rows.at(-1);
    const isThere = there !== undefined && last !== undefined && this.#nameOf(there) === this.#nameOf(last);
    return isThere ? { proved: open.part, refuted: null } : { proved: null, refuted: open.part };
  }
}
