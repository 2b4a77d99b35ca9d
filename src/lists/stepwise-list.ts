import { PagesRead } from '../paging/pages-read.ts';
import { BudgetSpent, type Source } from '../paging/source.ts';
import { changeOf, neverStill } from './scan.ts';

/** A list that is read from its head on, a page at a time. */
export interface StepwiseList<Row> {
  /** The rows that are here from the head on, without a gap. */
  readonly rows: readonly Row[];
  /** Whether these are all rows. */
  readonly isWhole: boolean;
  /**
   * Reads the next page, of at most so many rows; false where the source's budget is spent. Throws UPSTREAM_ERROR where the list
   * has lost rows since its first page: the reader may have missed others.
   */
  readOn(size: number): Promise<boolean>;
}

/** A list of which nothing has been read yet. */
export function createStepwiseList<Row>(source: Source<Row>): StepwiseList<Row> {
  const read = new PagesRead(source);
  return {
    get rows() {
      return read.headRows;
    },
    get isWhole() {
      return read.isWhole;
    },
    async readOn(size) {
      const to = read.covered + Math.min(size, source.sizes.most);
      const pages = read.missing(() => ({ from: 0, to })).slice(0, 1);
      try {
        await read.ask(pages, (page) => source.fetchPage(page, false));
      } catch (error) {
        if (error instanceof BudgetSpent) return false;
        throw error;
      }
      if (changeOf(read) === 'shrunk') throw neverStill();
      return true;
    },
  };
}
