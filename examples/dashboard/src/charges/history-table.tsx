import { money, nothing } from '../values/wording.ts';
import { Change } from './change.tsx';
import { headOf, type Month, type Series } from './history-series.ts';

interface HistoryTableProps {
  readonly months: readonly Month[];
  readonly series: readonly Series[];
  /** Null where the months have not all the same. */
  readonly currency: string | null;
}

/** The chart's figures, to the cent: all services, month by month, and their change in the last one. */
export function HistoryTable({ months, series, currency }: HistoryTableProps) {
  return (
    <div className="table-frame pinned" tabIndex={0} role="group" aria-label="Charges by service and month">
      <table>
        <thead>
          <tr>
            <th scope="col">Service</th>
            {months.map((month) => (
              <th key={month.startDate} scope="col" className="number">
                {headOf(month)}
              </th>
            ))}
            <th scope="col" className="number">
              Last change
            </th>
          </tr>
        </thead>
        <tbody>
          {series.map(({ alias, name, amounts }) => (
            <tr key={alias}>
              <th scope="row">{name}</th>
              {amounts.map((amount, at) => (
                <td key={months[at]?.startDate} className="number">
                  {amount === null ? nothing : money(amount, currency)}
                </td>
              ))}
              <td className="number">
                <LastChange amounts={amounts} currency={currency} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function LastChange({ amounts, currency }: Pick<Series, 'amounts'> & { readonly currency: string | null }) {
  const [before, now] = amounts.slice(-2);
  return now == null ? nothing : <Change now={now} before={before ?? null} currency={currency} />;
}
