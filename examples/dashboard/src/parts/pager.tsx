import type { TurnsFragment } from '../generated/documents.ts';
import { range } from '../values/wording.ts';
import { head, pageAfter, pageBefore, tail, type PageArguments } from './page-arguments.ts';
import { isSamePage } from './paging.ts';

/** A page of a list, as the gateway returns it. */
interface ListPage {
  readonly nodes: readonly unknown[];
  /** How many items stand before it; null where that is not known, as with the total. */
  readonly offset: number | null;
  readonly totalCount: number | null;
  readonly pageInfo: TurnsFragment;
}

interface PagerProps {
  /** What is paged through, e.g. "connections". */
  readonly noun: string;
  readonly size: number;
  readonly list: ListPage;
  /** The arguments by which the page was asked for. */
  readonly page: PageArguments;
  readonly isLoading: boolean;
  readonly onTurn: (page: PageArguments) => void;
  /** Asks for the same page again: a turn leads to it where the list has become shorter. */
  readonly onRetry: () => void;
}

/** Turns the pages of a connection by its cursors, both ways, and says which rows are shown. */
export function Pager({ noun, size, list, page, isLoading, onTurn, onRetry }: PagerProps) {
  const { nodes, offset, totalCount, pageInfo } = list;
  const text = nodes.length === 0 ? `No ${noun}` : `${range(offset, nodes.length, totalCount)} ${noun}`;
  const turnTo = (next: PageArguments): void => (isSamePage(next, page) ? onRetry() : onTurn(next));
  // A button that is disabled, while a page loads or at the end of the list, would lose the keyboard's focus.
  const turn = (label: string, isThere: boolean, to: () => PageArguments) => (
    <button type="button" aria-disabled={!isThere} onClick={() => isThere && !isLoading && turnTo(to())}>
      {label}
    </button>
  );
  return (
    <nav className="pager" aria-label={`Pages of ${noun}`}>
      <p role="status">{isLoading ? 'Loading…' : text}</p>
      <div className="buttons">
        {turn('First', pageInfo.hasPreviousPage, () => head(size))}
        {turn('Previous', pageInfo.hasPreviousPage, () => pageBefore(pageInfo, size))}
        {turn('Next', pageInfo.hasNextPage, () => pageAfter(pageInfo, size))}
        {turn('Last', pageInfo.hasNextPage, () => tail(size))}
      </div>
    </nav>
  );
}
