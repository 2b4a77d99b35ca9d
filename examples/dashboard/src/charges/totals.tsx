import type { BillFragment, ChargesMonthQuery } from '../generated/documents.ts';
import { day, money } from '../values/wording.ts';
import { Change } from './change.tsx';

type Month = NonNullable<ChargesMonthQuery['month']>;
type Total = keyof Omit<BillFragment['total'], '__typename'>;

const rows: readonly (readonly [Total, string])[] = [
  ['newMrc', 'New, monthly'],
  ['newOtc', 'New, one-time'],
  ['existingMrc', 'Existing, monthly'],
  ['other', 'Other'],
  ['credits', 'Credits'],
  ['ledgerAdjustments', 'Ledger adjustments'],
  ['grandTotal', 'Grand total'],
];

interface TotalsProps {
  readonly month: Month;
  /** Null where the month before could not be read. */
  readonly previous: BillFragment | null;
}

/** What the lines come to, beside the month before, and the corrections among it. */
export function Totals({ month, previous }: TotalsProps) {
  const { currency, total, summary } = month;
  return (
    <div className="columns">
      <div className="table-frame">
        <table>
          <caption>Totals</caption>
          <thead className="visually-hidden">
            <tr>
              <th scope="col">Total</th>
              <th scope="col">Amount</th>
              <th scope="col">Change</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(([name, label]) => (
              <tr key={name} className={name === 'grandTotal' ? 'sum' : ''}>
                <th scope="row">{label}</th>
                <td className="number strong">{money(total[name], currency)}</td>
                <td className="number">
                  <Change now={total[name]} before={previous?.total[name] ?? null} currency={currency} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div className="table-frame">
        <table>
          <caption>Adjustments</caption>
          <thead className="visually-hidden">
            <tr>
              <th scope="col">Day</th>
              <th scope="col">Reason</th>
              <th scope="col">Amount</th>
            </tr>
          </thead>
          <tbody>
            {summary.adjustments
              .filter((adjustment) => adjustment !== null)
              .map(({ amount, description, eventDate }) => (
                <tr key={eventDate + description}>
                  <td>{day(eventDate)}</td>
                  <td>{description}</td>
                  <td className="number strong">{money(amount, currency)}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}
