import { useState, type ReactNode } from 'react';

interface FoldingRowProps {
  readonly heading: string;
  readonly children: ReactNode;
}

/** A row with its heading. A narrow screen leaves out the cells of the class `folded`, until the button beside the heading opens them. */
export function FoldingRow({ heading, children }: FoldingRowProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <tr className={isOpen ? 'open' : undefined}>
      <th scope="row">
        {heading}
        <button
          type="button"
          className="toggle on-phones"
          aria-expanded={isOpen}
          aria-label={`All of ${heading}`}
          onClick={() => setOpen(!isOpen)}
        >
          <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span>
        </button>
      </th>
      {children}
    </tr>
  );
}
