import type { ReactNode } from 'react';

interface FilterButtonsProps {
  readonly onClear: () => void;
  /** What stands beside them. */
  readonly children?: ReactNode;
}

/** The buttons of a filter's form: one that sends it, and one that empties it. */
export function FilterButtons({ onClear, children }: FilterButtonsProps) {
  return (
    <div className="buttons">
      <button type="submit" className="primary">
        Filter
      </button>
      <button type="button" onClick={onClear}>
        Clear
      </button>
      {children}
    </div>
  );
}
