import { largestPageSize } from '../bounds.ts';
import { GatewayError } from '../errors.ts';
import type { Moment } from '../moment.ts';
import type { Identify } from './anchor.ts';
import { boundsOfPage, type Page } from './page-cover.ts';

/** One page as the upstream sent it, and what it reports of the list; null where that is no count. */
export interface PageRows<Row> {
  readonly rows: readonly Row[];
  readonly totalResults: number | null;
  readonly pageSize: number | null;
  readonly totalPages?: number | null;
  readonly pageNumber?: number | null;
}

/** The page sizes that an upstream serves: all up to a largest one, which may be smaller than the contract says. */
export class ServedSizes {
  /** Whether the size of a last page must be proven as well: it may be a whole page of a smaller size, with rows of other positions. */
  isDoubted = false;
  #most: number;
  #proven = 0;

  constructor(limit: number) {
    this.#most = limit;
  }

  /** The largest page that may be asked for; never above the endpoint's limit. */
  get most(): number {
    return this.#most;
  }

  isProven(size: number): boolean {
    return size <= this.#proven;
  }

  prove(size: number): void {
    this.#proven = Math.max(this.#proven, size);
  }

  /** Learns the largest page that the upstream serves; false where it has shown another. */
  learn(most: number): boolean {
    if (most < this.#proven || most > this.#most) return false;
    [this.#most, this.#proven] = [most, most];
    return true;
  }
}

/** A list that can be read by page. */
export interface Source<Row> {
  /** The page sizes that the upstream serves, as far as they are known; all readings of one purpose share them. */
  readonly sizes: ServedSizes;
  /** `fresh` asks the upstream again even for a page that this request has read. Throws BudgetSpent where the source's budget is spent. */
  readonly fetchPage: (page: Page, fresh: boolean) => Promise<PageRows<Row>>;
  readonly identityOf: Identify<Row>;
  /** The moment of a row, in the member by which the list is usually ordered; null where it has none. */
  readonly momentOf: (row: Row) => Moment | null;
  /** The calls that `fetchPage` may make; absent: any number. */
  readonly budget?: CallBudget;
  /** Runs where the upstream's responses contradict themselves. */
  readonly noteContradiction?: () => void;
}

/** UPSTREAM_BAD_RESPONSE for a list that contradicts itself; counts the contradiction. */
export function contradictionIn(source: Pick<Source<never>, 'noteContradiction'>, contradiction: string): GatewayError {
  source.noteContradiction?.();
  return new GatewayError('UPSTREAM_BAD_RESPONSE', {
    message: `The upstream's list contradicts itself: ${contradiction}.`,
  });
}

/** UPSTREAM_ERROR: rows came and went while a list was read, so that what was read cannot be put together, or lacks some. */
export function keepsMoving(): GatewayError {
  return new GatewayError('UPSTREAM_ERROR', { message: 'The list kept moving while it was read.', retryable: true });
}

/** What is read of a row by itself. */
export type RowReading<Row> = Pick<Source<Row>, 'identityOf' | 'momentOf'>;

/** A list in memory, read as if it came in pages. */
export function sourceOfRows<Row>(rows: readonly Row[], reading: RowReading<Row>): Source<Row> {
  return {
    // One page holds any window. Where two overlap, a number that a report has twice would look like a row that has moved.
    sizes: new ServedSizes(rows.length + 2 * largestPageSize),
    fetchPage: async (page) => {
      const { from, to } = boundsOfPage(page);
      return { rows: rows.slice(from, to), totalResults: rows.length, pageSize: page.size };
    },
    ...reading,
  };
}

/** A source that makes at most so many calls. */
export function withBudget<Row>(source: Source<Row>, calls: number): Source<Row> & { readonly budget: CallBudget } {
  const budget = new CallBudget(calls);
  return {
    ...source,
    budget,
    async fetchPage(page, fresh) {
      budget.spend();
      return source.fetchPage(page, fresh);
    },
  };
}

/** Thrown instead of a call where the budget is spent. It never reaches a client: the code that set the budget catches it. */
export class BudgetSpent extends Error {
  constructor() {
    super('No call is left of this budget.');
    this.name = 'BudgetSpent';
  }
}

/** How many upstream calls may still be made for one purpose. */
export class CallBudget {
  /** The number of calls at first. */
  readonly limit: number;
  readonly #whole: CallBudget | null;
  #spent = 0;

  constructor(limit: number, whole: CallBudget | null = null) {
    this.limit = limit;
    this.#whole = whole;
  }

  get left(): number {
    return Math.min(this.limit - this.#spent, this.#whole?.left ?? Infinity);
  }

  /** Takes one call; throws BudgetSpent where none is left. */
  spend(): void {
    if (this.left <= 0) throw new BudgetSpent();
    this.#whole?.spend();
    this.#spent++;
  }

  /** A budget of at most so many of the calls that are left here; its calls are taken from this budget too. */
  part(most: number): CallBudget {
    return new CallBudget(most, this);
  }
}

/**
 * As Promise.all, but rejects with the first failure in order, not in time: where several promises fail, the result does not
 * depend on which fails first.
 */
export async function allInOrder<Value>(promises: readonly Promise<Value>[]): Promise<Value[]> {
  // Failures behind the first one are not reported.
  for (const promise of promises) promise.catch(() => {});
  const values: Value[] = [];
  for (const promise of promises) values.push(await promise);
  return values;
}
