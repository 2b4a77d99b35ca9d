import { Section } from '../parts/section.tsx';
import { History } from './history.tsx';
import { Month } from './month.tsx';

/** The account's charges: over the months, and one month in full. */
export function Charges() {
  return (
    <Section id="charges" title="Charges" lead="By service, over the months and in one of them.">
      <History />
      <Month />
    </Section>
  );
}
