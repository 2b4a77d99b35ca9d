import type { TurnsFragment } from '../generated/documents.ts';
import { count } from '../values/wording.ts';
import { head, pageAfter, pageBefore, rowsAt, tail, type Place } from './place.ts';

interface PagerProps {
  /** What is paged through, e.g. "connections". */
  readonly noun: string;
  readonly place: Place;
  readonly size: number;
  readonly held: number;
  readonly total: number | null | undefined;
  readonly pageInfo: TurnsFragment;
  readonly isLoading: boolean;
  readonly onTurn: (place: Place) => void;
}

/** Turns the pages of a connection by its cursors, both ways, and says which rows are shown. */
export function Pager({ noun, place, size, held, total, pageInfo, isLoading, onTurn }: PagerProps) {
  const rows = rowsAt(place, held, total);
  const shown = rows === null ? count(held) : `${count(rows.from)}–${count(rows.to)}`;
  const text = held === 0 ? `No ${noun}` : `${shown} of ${count(total)} ${noun}`;
  // A button that is disabled while a page loads would lose the keyboard's focus.
  const turn = (label: string, isThere: boolean, to: () => Place) => (
    <button type="button" disabled={!isThere} onClick={() => !isLoading && onTurn(to())}>
      {label}
    </button>
  );
  return (
    <nav className="pager" aria-label={`Pages of ${noun}`}>
      <p role="status">{isLoading ? 'Loading…' : text}</p>
      <div className="buttons">
        {turn('First', pageInfo.hasPreviousPage, () => head(size))}
        {turn('Previous', pageInfo.hasPreviousPage, () => pageBefore(pageInfo, rows, size))}
        {turn('Next', pageInfo.hasNextPage, () => pageAfter(pageInfo, rows, size))}
        {turn('Last', pageInfo.hasNextPage, () => tail(size))}
      </div>
    </nav>
  );
}
