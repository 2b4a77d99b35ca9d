import { BudgetSpent } from '../paging/call-budget.ts';
import { PageLedger } from '../paging/page-ledger.ts';
import { missingPages } from '../paging/page-plan.ts';
import { largestServed, type Source } from '../paging/source.ts';
import { askFor, cut } from '../paging/read-range.ts';
import { changeOf, neverStill } from './scan.ts';

/** A list that is read from its head on, a page at a time. */
export interface StepwiseList<Row> {
  /** The rows that are here from the head on, without a gap. */
  readonly rows: readonly Row[];
  /** Whether these are all rows. */
  readonly isWhole: boolean;
  /** Whether one of these rows may be missing; the next page shows it. */
  readonly isUnsure: boolean;
  /**
   * Reads the next page, of at most so many rows; false where the source's budget is spent. Throws UPSTREAM_ERROR where the list
   * has lost rows since its first page: the reader may have missed others.
   */
  readOn(size: number): Promise<boolean>;
}

/** A list of which nothing has been read yet. */
export function createStepwiseList<Row>(source: Source<Row>): StepwiseList<Row> {
  const ledger = new PageLedger(source);
  return {
    get rows() {
      return cut({ from: 0, to: ledger.covered }, ledger.parts).flatMap(({ rows }) => rows);
    },
    get isWhole() {
      return ledger.total !== null && ledger.covered >= ledger.total;
    },
    get isUnsure() {
      return ledger.unsure !== null;
    },
    async readOn(size) {
      const to = ledger.covered + Math.min(size, largestServed(source));
      const pages = missingPages(ledger, () => ({ from: 0, to })).slice(0, 1);
      try {
        await askFor(pages, ledger, (page) => source.fetchPage(page, ledger.hasAsked(page)));
      } catch (error) {
        if (error instanceof BudgetSpent) return false;
        throw error;
      }
      if (changeOf(ledger) === 'shrunk') throw neverStill();
      return true;
    },
  };
}
