import type { ReactNode } from 'react';

interface DataRowProps {
  /** The label of the button that opens the row. */
  readonly opener: string;
  readonly isOpen: boolean;
  readonly isNew: boolean;
  /** How many columns there are. */
  readonly width: number;
  readonly onToggle: () => void;
  readonly details: () => ReactNode;
  readonly children: ReactNode;
}

/** A row with the button that opens it, and what it opens to. */
export function DataRow({ opener, isOpen, isNew, width, onToggle, details, children }: DataRowProps) {
  return (
    <>
      <tr className={[isNew ? 'new' : '', isOpen ? 'open' : ''].join(' ').trim() || undefined}>
        <td className="opener">
          <button type="button" className="toggle" aria-expanded={isOpen} aria-label={opener} onClick={onToggle}>
            <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span>
          </button>
          {isNew && <span className="tag">new</span>}
        </td>
        {children}
      </tr>
      {isOpen && (
        <tr className="below">
          <td colSpan={width}>{details()}</td>
        </tr>
      )}
    </>
  );
}
