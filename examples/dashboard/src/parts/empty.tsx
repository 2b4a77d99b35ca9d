import type { ReactNode } from 'react';

interface EmptyProps {
  /** What there is not, as a sentence. */
  readonly title: string;
  /** What to do. */
  readonly children: ReactNode;
}

/** What stands in place of a chart or table that has nothing to show: that it is empty, and what to do. */
export function Empty({ title, children }: EmptyProps) {
  return (
    <div className="empty">
      <strong>{title}</strong>
      <p>{children}</p>
    </div>
  );
}
