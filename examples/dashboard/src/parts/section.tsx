import type { ReactNode } from 'react';

interface SectionProps {
  /** Its anchor in the page. */
  readonly id: string;
  readonly title: string;
  readonly lead: ReactNode;
  readonly isLoading?: boolean;
  readonly children: ReactNode;
}

/** A part of the page with a heading of its own; screen readers list it as a region and are told while it loads. */
export function Section({ id, title, lead, isLoading = false, children }: SectionProps) {
  return (
    <section id={id} tabIndex={-1} aria-labelledby={`${id}-title`} aria-busy={isLoading}>
      <header>
        <h2 id={`${id}-title`}>{title}</h2>
        <p className="lead">{lead}</p>
      </header>
      {children}
    </section>
  );
}
