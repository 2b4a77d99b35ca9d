import { difference, type Decimal } from '../values/decimal.ts';
import { growth, money, nothing } from '../values/wording.ts';

interface ChangeProps {
  readonly now: Decimal;
  /** Null where there is nothing to compare with. */
  readonly before: Decimal | null;
  readonly currency: string | null;
}

/** How an amount differs from the one before, in money and percent. */
export function Change({ now, before, currency }: ChangeProps) {
  if (before === null) return nothing;
  const more = difference(now, before);
  const percent = growth(now, before);
  return (
    <span className="change">
      {money(more, currency, 'exceptZero')}
      <small>{percent === null ? 'new' : percent}</small>
    </span>
  );
}
