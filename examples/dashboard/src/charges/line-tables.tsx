import { count, money, nothing } from '../values/wording.ts';
import type { Decimal } from '../values/decimal.ts';
import { Empty } from '../parts/empty.tsx';
import { Change } from './change.tsx';
import type { ComparativeLine, ServiceLine, SimpleLine } from './service-lines.ts';

interface LineTablesProps {
  readonly lines: readonly (ServiceLine | null)[];
  /** What each service came to the month before; null where that month could not be read. */
  readonly before: ReadonlyMap<string, Decimal> | null;
  readonly currency: string;
}

/** A summary's lines, a table for each of their two shapes. */
export function LineTables({ lines, before, currency }: LineTablesProps) {
  const read = lines.filter((line) => line !== null);
  const change = (line: ServiceLine) => (
    <Change now={line.amount} before={before === null ? null : (before.get(line.alias) ?? '0')} currency={currency} />
  );
  const cost = (amount: Decimal | null): string => (amount === null ? nothing : money(amount, currency));
  if (read.length === 0)
    return <Empty title="No service was charged in this period.">Choose other dates above, such as last month.</Empty>;
  return (
    <>
      <div className="table-frame stacked" tabIndex={0} role="group" aria-label="Recurring services">
        <table>
          <caption>Recurring services</caption>
          <thead>
            <tr>
              <th scope="col" rowSpan={2}>
                Service
              </th>
              <th scope="colgroup" colSpan={3} className="group">
                New this month
              </th>
              <th scope="colgroup" colSpan={2} className="group">
                Existing
              </th>
              <NumberHead rows={2}>Amount</NumberHead>
              <NumberHead rows={2}>Change</NumberHead>
            </tr>
            <tr>
              <NumberHead>Quantity</NumberHead>
              <NumberHead>Monthly</NumberHead>
              <NumberHead>One-time</NumberHead>
              <NumberHead>Quantity</NumberHead>
              <NumberHead>Monthly</NumberHead>
            </tr>
          </thead>
          <tbody>
            {read.filter(isComparative).map((line) => (
              <tr key={line.alias}>
                <th scope="row">{line.name}</th>
                <td data-label="New this month, quantity" className="number">
                  {count(line.newThisMonth.quantity)}
                </td>
                <td data-label="New this month, monthly" className="number">
                  {cost(line.newThisMonth.mrc)}
                </td>
                <td data-label="New this month, one-time" className="number">
                  {cost(line.newThisMonth.otc)}
                </td>
                <td data-label="Existing, quantity" className="number">
                  {count(line.existingThisMonth.quantity)}
                </td>
                <td data-label="Existing, monthly" className="number">
                  {cost(line.existingThisMonth.mrc)}
                </td>
                <td data-label="Amount" className="number strong">
                  {cost(line.amount)}
                </td>
                <td data-label="Change" className="number">
                  {change(line)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div className="table-frame stacked" tabIndex={0} role="group" aria-label="Usage">
        <table>
          <caption>Usage</caption>
          <thead>
            <tr>
              <th scope="col">Service</th>
              <NumberHead>Quantity</NumberHead>
              <NumberHead>Amount</NumberHead>
              <NumberHead>Change</NumberHead>
            </tr>
          </thead>
          <tbody>
            {read.filter(isSimple).map((line) => (
              <tr key={line.alias}>
                <th scope="row">{line.name}</th>
                <td data-label="Quantity" className="number">
                  {count(line.quantity)}
                </td>
                <td data-label="Amount" className="number strong">
                  {cost(line.amount)}
                </td>
                <td data-label="Change" className="number">
                  {change(line)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

const isComparative = (line: ServiceLine): line is ComparativeLine => line.__typename === 'ComparativeLine';
const isSimple = (line: ServiceLine): line is SimpleLine => line.__typename === 'SimpleLine';

function NumberHead({ children, rows = 1 }: { readonly children: string; readonly rows?: number }) {
  return (
    <th scope="col" rowSpan={rows} className="number">
      {children}
    </th>
  );
}
