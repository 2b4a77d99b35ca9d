import { shorterPages } from '../bounds.ts';
import type { Page, PageSizes } from './page-cover.ts';

/** A page size that an upstream has been seen to serve. */
export interface LearnedSize {
  readonly size: number;
  /** Whether it does so whatever it is asked for. */
  readonly isOwn: boolean;
}

/** The page sizes that an upstream serves, as its responses show. They are learned once for all readings of one purpose. */
export class ServedSizes {
  readonly #limit: number;
  #range: PageSizes;
  #sure: PageSizes;
  #isOwn = false;
  #shorter = 0;
  #full = 0;
  #bounded = Infinity;

  /** At first every size up to the endpoint's limit is taken to be served. */
  constructor(limit: number) {
    this.#limit = limit;
    this.#range = { least: 1, most: limit };
    this.#sure = this.#range;
  }

  /** The sizes that may be asked for; never above the endpoint's limit. */
  get range(): PageSizes {
    return this.#range;
  }

  /** Whether the upstream has one page size of its own, whatever it is asked for. */
  get isOwn(): boolean {
    return this.#isOwn;
  }

  /**
   * Learns from a page that one size is served, and that larger ones are not; nor may smaller ones be. A page that is not the
   * first may also be short because the list moved.
   */
  learn({ size, isOwn }: LearnedSize, isFirst: boolean): void {
    // Pages that are always shorter than was asked for would be asked for in sizes that go down one by one.
    const next = isOwn || ++this.#shorter <= shorterPages ? size : Math.ceil(size / 2);
    this.#range = { least: next, most: next };
    this.#isOwn = isOwn;
    if (isFirst) this.#sure = this.#range;
  }

  /** Forgets sizes that may have been learned from a list that moved. */
  forget(): void {
    this.#range = this.#sure;
    this.#isOwn &&= this.#range.most !== this.#limit;
  }

  /** Counts the rows of a page. */
  count({ number, size }: Page, rows: number): void {
    if (rows === size) this.#full = Math.max(this.#full, size);
    // A first page has all rows that a page may have, or that there are.
    if (rows > 0 && rows <= size) this.#bounded = Math.min(this.#bounded, number === 1 ? rows : size);
  }

  /** Whether a shorter page of this size must be the list's last: pages of the size have come whole, and none was cut. */
  isWhole(size: number): boolean {
    return this.#range.most === this.#limit && this.#full >= size;
  }

  /** Whether an empty page of this size lies behind the list's end; it may not where the upstream has a larger size of its own. */
  isBehindEnd(size: number): boolean {
    return this.#bounded <= size;
  }
}
