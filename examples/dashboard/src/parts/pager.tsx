import type { TurnsFragment } from '../generated/documents.ts';
import { range } from '../values/wording.ts';
import { head, pageAfter, pageBefore, tail, type PageArguments } from './page-arguments.ts';

interface PagerProps {
  /** What is paged through, e.g. "connections". */
  readonly noun: string;
  readonly size: number;
  /** How many items the page holds. */
  readonly held: number;
  /** How many stand before it; null where that is not known, as with `total`. */
  readonly offset: number | null;
  readonly total: number | null;
  readonly pageInfo: TurnsFragment;
  readonly isLoading: boolean;
  readonly onTurn: (page: PageArguments) => void;
}

/** Turns the pages of a connection by its cursors, both ways, and says which rows are shown. */
export function Pager({ noun, size, held, offset, total, pageInfo, isLoading, onTurn }: PagerProps) {
  const text = held === 0 ? `No ${noun}` : `${range(offset, held, total)} ${noun}`;
  // A button that is disabled, while a page loads or at the end of the list, would lose the keyboard's focus.
  const turn = (label: string, isThere: boolean, to: () => PageArguments) => (
    <button type="button" aria-disabled={!isThere} onClick={() => isThere && !isLoading && onTurn(to())}>
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
