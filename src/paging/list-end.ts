import { boundsOfPage, coverOf, type Page } from './page-cover.ts';
import type { Judgement, Part } from './page-judgement.ts';

const oneRow = { least: 1, most: 1 } as const;

/** What is known of a list's end from its rows alone, and how what only seems to be the end is proved. */
export class ListEnd<Row> {
  readonly #looksOf: (row: Row) => string;
  #ceiling = Infinity;
  /** Rows of a short page that seems to be the last one; where they stand is to be proved. */
  #guess: Part<Row> | null = null;
  /** Where the list seems to end behind a short first page. */
  #open: number | null = null;
  /** An empty page, which may be so because the upstream has a page size of its own. */
  #unexplained: { readonly page: Page; readonly emptyFrom: number | null } | null = null;

  constructor(looksOf: (row: Row) => string) {
    this.#looksOf = looksOf;
  }

  /** The list holds nothing from here on; Infinity where nothing is known. */
  get ceiling(): number {
    return this.#ceiling;
  }

  /** Whether pages beyond the next one would be asked for in vain, should the list end where it seems to. */
  get isOpen(): boolean {
    return this.#open !== null;
  }

  /**
   * The pages that prove or refute what is guessed; null where nothing is. The last row and the place behind it are asked for
   * by themselves: a page of one row cannot be cut, and stands where it is expected.
   */
  proof(): readonly Page[] | null {
    if (this.#unexplained !== null) return [{ number: 1, size: this.#unexplained.page.size }];
    return this.#guess === null ? null : coverOf({ from: this.#guess.to - 1, to: this.#guess.to + 1 }, oneRow);
  }

  /** Takes note of a page; returns the rows that it proves to stand where they were guessed to, else null. `isObeyed`: see ServedSizes. */
  note(page: Page, judgement: Judgement<Row>, isObeyed: boolean): Part<Row> | null {
    const { part, emptyFrom } = judgement;
    if (this.#open !== null && part !== null && part.to > this.#open) this.#open = null;
    if (judgement.isOpen && part !== null) this.#open = part.to;
    if (page.number === 1) {
      if (isObeyed) this.#lower(this.#unexplained?.emptyFrom);
      this.#unexplained = null;
    }
    if (judgement.isUnexplained && !isObeyed) this.#unexplained ??= { page, emptyFrom };
    else this.#lower(emptyFrom);
    return this.#noteGuess(page, judgement);
  }

  #lower(emptyFrom: number | null | undefined): void {
    this.#ceiling = Math.min(this.#ceiling, emptyFrom ?? Infinity);
  }

  #noteGuess(page: Page, { part, guess }: Judgement<Row>): Part<Row> | null {
    const open = this.#guess;
    const { from, to } = boundsOfPage(page);
    if (open !== null && (from >= open.to || to < open.to)) return null;
    this.#guess = guess;
    if (open === null) return null;
    const there = part?.rows[open.to - 1 - part.from];
    const last = open.rows.at(-1);
    return there !== undefined && last !== undefined && this.#looksOf(there) === this.#looksOf(last) ? open : null;
  }
}
