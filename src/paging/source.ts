import type { CallBudget } from './call-budget.ts';
import type { Direction, Moment } from './moment.ts';
import { boundsOfPage, type Page } from './page-cover.ts';
import type { ServedSizes } from './served-sizes.ts';

/** One page as the upstream sent it, and what it reports of the list; null where that is no count. */
export interface PageRows<Row> {
  readonly rows: readonly Row[];
  readonly totalResults: number | null;
  readonly pageSize: number | null;
  readonly totalPages?: number | null;
  readonly pageNumber?: number | null;
}

/** A list that can be read by page. */
export interface Source<Row> {
  /** The largest page that the upstream serves. */
  readonly pageLimit: number;
  /**
   * `fresh` asks the upstream again even for a page that this request has read. `isGiven`: number and size follow from the
   * window alone, not from what was learned of the list. Throws BudgetSpent where the source's budget is spent.
   */
  readonly fetchPage: (page: Page, fresh: boolean, isGiven?: boolean) => Promise<PageRows<Row>>;
  /** Tells a row from all others of its list; null for a row without an identity. */
  readonly identityOf: (row: Row) => string | null;
  /** The moment of a row, in the member by which the list is usually ordered; null where it has none. */
  readonly momentOf: (row: Row) => Moment | null;
  /** The direction in time that is promised; 0 where none is. */
  readonly timeOrder: Direction;
  /** The page sizes that the upstream serves, shared by all readings of one purpose; absent: each reading learns for itself. */
  readonly served?: ServedSizes;
  /** The calls that `fetchPage` may make; absent: any number. */
  readonly budget?: CallBudget;
  /** Runs where the upstream's responses contradict themselves. */
  readonly noteContradiction?: () => void;
}

/** The largest page that the upstream is known to serve; the page limit where that is unknown. */
export function largestServed({ served, pageLimit }: Pick<Source<never>, 'served' | 'pageLimit'>): number {
  return served?.range.most ?? pageLimit;
}

/** A list in memory, read as if it came in pages. */
export function sourceOfRows<Row>(rows: readonly Row[], identityOf: Source<Row>['identityOf']): Source<Row> {
  return {
    pageLimit: Math.max(1, rows.length),
    fetchPage: async (page) => {
      const { from, to } = boundsOfPage(page);
      return { rows: rows.slice(from, to), totalResults: rows.length, pageSize: page.size };
    },
    identityOf,
    momentOf: () => null,
    timeOrder: 0,
  };
}
