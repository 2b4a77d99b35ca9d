import type { ReactNode } from 'react';
import { count, money, nothing } from '../values/wording.ts';
import type { Decimal } from '../values/decimal.ts';
import { Empty } from '../parts/empty.tsx';
import { FoldingRow } from '../parts/folding-row.tsx';
import { NumberCell } from '../parts/number-cell.tsx';
import { Change } from './change.tsx';
import type { ComparativeLine, ServiceLine, SimpleLine } from './service-lines.ts';

interface LineTablesProps {
  readonly lines: readonly (ServiceLine | null)[];
  /** The names of services that were charged in the period before alone. */
  readonly gone: readonly string[];
  readonly currency: string;
}

/** A summary's lines, a table for each of their two shapes. */
export function LineTables({ lines, gone, currency }: LineTablesProps) {
  const read = lines.filter((line) => line !== null);
  const change = (line: ServiceLine) => <Change now={line.amount} before={line.previousAmount} currency={currency} />;
  const cost = (amount: Decimal | null): string => (amount === null ? nothing : money(amount, currency));
  if (read.length === 0)
    return <Empty title="No service was charged in this period.">Choose other dates above, such as last month.</Empty>;
  return (
    <>
      <LineTable name="Recurring services">
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
            <FoldingRow key={line.alias} heading={line.name}>
              <NumberCell label="New this month, quantity" isFolded>
                {count(line.newThisMonth.quantity)}
              </NumberCell>
              <NumberCell label="New this month, monthly" isFolded>
                {cost(line.newThisMonth.mrc)}
              </NumberCell>
              <NumberCell label="New this month, one-time" isFolded>
                {cost(line.newThisMonth.otc)}
              </NumberCell>
              <NumberCell label="Existing, quantity" isFolded>
                {count(line.existingThisMonth.quantity)}
              </NumberCell>
              <NumberCell label="Existing, monthly" isFolded>
                {cost(line.existingThisMonth.mrc)}
              </NumberCell>
              <NumberCell label="Amount" isStrong>
                {cost(line.amount)}
              </NumberCell>
              <NumberCell label="Change">{change(line)}</NumberCell>
            </FoldingRow>
          ))}
        </tbody>
      </LineTable>
      <LineTable name="Usage">
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
            <FoldingRow key={line.alias} heading={line.name}>
              <NumberCell label="Quantity" isFolded>
                {count(line.quantity)}
              </NumberCell>
              <NumberCell label="Amount" isStrong>
                {cost(line.amount)}
              </NumberCell>
              <NumberCell label="Change">{change(line)}</NumberCell>
            </FoldingRow>
          ))}
        </tbody>
      </LineTable>
      {gone.length > 0 && <p className="hint">No longer charged: {gone.join(', ')}.</p>}
    </>
  );
}

function LineTable({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="table-frame stacked" tabIndex={0} role="group" aria-label={name}>
      <table>
        <caption>{name}</caption>
        {children}
      </table>
    </div>
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
