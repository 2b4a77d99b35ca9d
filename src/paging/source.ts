import type { CallBudget } from './call-budget.ts';
import type { Direction, Moment } from './moment.ts';
import { boundsOfPage, type Page } from './page-cover.ts';
import type { ServedSizes } from './served-sizes.ts';

/** One page as the upstream sent it, and what it says of the list; null where it says nothing that could be a count. */
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
   * `fresh` asks the upstream again even for a page that this request has seen. `isGiven`: number and size follow from the
   * window alone, not from what has been learned of the list. Throws BudgetSpent where the source has a budget.
   */
  readonly fetchPage: (page: Page, fresh: boolean, isGiven?: boolean) => Promise<PageRows<Row>>;
  /** What tells a row from all others of its list; null for a row that has none. */
  readonly identityOf: (row: Row) => string | null;
  /** When a row was made, by the field that the list's usual order goes by; null where it does not say. */
  readonly momentOf: (row: Row) => Moment | null;
  /** Which way the list is promised to run in time; 0 where nothing is promised. */
  readonly timeOrder: Direction;
  /** What is known of the pages that the upstream serves, shared by all readings of one purpose; absent: each learns for itself. */
  readonly served?: ServedSizes;
  /** The calls that `fetchPage` may make; absent: any number. */
  readonly budget?: CallBudget;
  /** Told each time that the upstream's answers contradict themselves. */
  readonly noteContradiction?: () => void;
}

/** The largest page that the upstream has been seen to serve, as far as anything has been. */
export function largestServed({ served, pageLimit }: Pick<Source<never>, 'served' | 'pageLimit'>): number {
  return served?.range.most ?? pageLimit;
}

/** A list that is here already, read as if it came in pages. */
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
