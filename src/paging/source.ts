import type { Direction, Moment } from './moment.ts';
import { boundsOfPage, type Page } from './page-cover.ts';

/** One page as the upstream sent it; null where it did not say. */
export interface PageRows<Row> {
  readonly rows: readonly Row[];
  readonly totalResults: number | null;
  readonly pageSize: number | null;
}

/** A list that can be read by page. */
export interface Source<Row> {
  /** The largest page that the upstream serves. */
  readonly pageLimit: number;
  /** `fresh` asks the upstream again even for a page that this request has seen. */
  readonly fetchPage: (page: Page, fresh: boolean) => Promise<PageRows<Row>>;
  /** What tells a row from all others of its list; null for a row that has none. */
  readonly identityOf: (row: Row) => string | null;
  /** When a row was made, by the field that the list's usual order goes by; null where it does not say. */
  readonly momentOf: (row: Row) => Moment | null;
  /** Which way the list is promised to run in time; 0 where nothing is promised. */
  readonly timeOrder: Direction;
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
