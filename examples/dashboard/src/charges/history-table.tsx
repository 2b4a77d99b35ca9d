import { money, month } from '../values/wording.ts';
import { Change } from './change.tsx';
import type { Month, Series } from './history-series.ts';

interface HistoryTableProps {
  readonly months: readonly NonNullable<Month>[];
  readonly series: readonly Series[];
}

/** The chart's figures, to the cent: all services, month by month, and their change in the last one. */
export function HistoryTable({ months, series }: HistoryTableProps) {
  const currency = months[0]?.currency ?? 'USD';
  return (
    <div className="table-frame" tabIndex={0} role="group" aria-label="Charges by service and month">
      <table>
        <thead>
          <tr>
            <th scope="col">Service</th>
            {months.map(({ startDate }) => (
              <th key={startDate} scope="col" className="number">
                {month(startDate)}
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
                  {money(amount, currency)}
                </td>
              ))}
              <td className="number">
                <Change now={amounts.at(-1) ?? '0'} before={amounts.at(-2) ?? null} currency={currency} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
