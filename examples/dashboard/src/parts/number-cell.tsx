import type { ReactNode } from 'react';

interface NumberCellProps {
  /** The head of its column, which a narrow page shows beside the figure. */
  readonly label: string;
  readonly isStrong?: boolean;
  /** Whether a narrow page leaves it out until its row is opened. */
  readonly isFolded?: boolean;
  readonly children: ReactNode;
}

/** A cell of a table that holds a figure. */
export function NumberCell({ label, isStrong = false, isFolded = false, children }: NumberCellProps) {
  return (
    <td data-label={label} className={`number${isStrong ? ' strong' : ''}${isFolded ? ' folded' : ''}`}>
      {children}
    </td>
  );
}
