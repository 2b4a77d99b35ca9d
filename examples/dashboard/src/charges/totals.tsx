import type { ChargesMonthQuery, TotalsFragment } from '../generated/documents.ts';
import { day, money } from '../values/wording.ts';
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
                <td data-label="Amount" className="number strong">
                  {money(total[name], currency)}
                </td>
                <td data-label="Change" className="number">
                  <Change now={total[name]} before={previous?.total[name] ?? null} currency={currency} />
                </td>
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
                  <td data-label="Day">{day(eventDate)}</td>
                  <td data-label="Reason">{description}</td>
                  <td data-label="Amount" className="number strong">
                    {money(amount, currency)}
                  </td>
                </tr>
              ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}
