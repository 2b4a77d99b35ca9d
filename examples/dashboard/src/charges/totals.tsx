import type { ChargesMonthQuery, TotalsFragment } from '../generated/documents.ts';
import { day, money } from '../values/wording.ts';
import { NumberCell } from '../parts/number-cell.tsx';
import { Change } from './change.tsx';

type Month = NonNullable<ChargesMonthQuery['chargesSummary']>;

const rows: readonly (readonly [keyof TotalsFragment, string])[] = [
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
}

/** What the lines come to, their change from the period before, and the corrections among it. */
export function Totals({ month }: TotalsProps) {
  const { currency, total, summary, previous } = month;
  return (
    <div className="columns">
      <div className="table-frame stacked">
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
                <NumberCell label="Amount" isStrong>
                  {money(total[name], currency)}
                </NumberCell>
                <NumberCell label="Change">
                  <Change now={total[name]} before={previous?.total[name] ?? null} currency={currency} />
                </NumberCell>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div className="table-frame stacked">
        {summary.adjustments.length === 0 && <p className="hint">There are no adjustments in this period.</p>}
        <table hidden={summary.adjustments.length === 0}>
          <caption>Adjustments</caption>
          <thead className="visually-hidden">
            <tr>
              <th scope="col">Reason</th>
              <th scope="col">Day</th>
              <th scope="col">Amount</th>
            </tr>
          </thead>
          <tbody>
            {summary.adjustments
              .filter((adjustment) => adjustment !== null)
              .map(({ amount, description, eventDate }) => (
                <tr key={eventDate + description}>
                  <th scope="row">{description}</th>
                  <td data-label="Day">{day(eventDate)}</td>
                  <NumberCell label="Amount" isStrong>
                    {money(amount, currency)}
                  </NumberCell>
                </tr>
              ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}
