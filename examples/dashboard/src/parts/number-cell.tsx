import type { ReactNode } from 'react';

interface NumberCellProps {
  /** The head of its column, which a narrow page shows beside the figure. */
  readonly label: string;
  readonly isStrong?: boolean;
  readonly children: ReactNode;
}

/** A cell of a table that holds a figure. */
export function NumberCell({ label, isStrong = false, children }: NumberCellProps) {
  return (
    <td data-label={label} className={isStrong ? 'number strong' : 'number'}>
      {children}
    </td>
  );
}
