import { useQuery } from '@apollo/client/react';
import { downloadCharges, formatDecimal, type Decimal } from '@switchboard-gateway/client';
import { useState } from 'react';
import { url } from './client.ts';
import { Failure } from './failure.tsx';
import { graphql } from './generated';

const chargesQuery = graphql(`
  query Charges($startDate: Date!, $endDate: Date!) {
    chargesSummary(startDate: $startDate, endDate: $endDate) {
      currency
      isComplete
      total {
        grandTotal
      }
      changes {
        alias
        name
        amount
        previousAmount
        change
      }
    }
  }
`);

/** The first day of the month that is so many months from a month, such as `2026-10`. */
function firstDay(month: string, later = 0): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + later)).toISOString().slice(0, 10);
}

/** The charges of a month, by default the last one that has ended, and how each service differs from the month before. */
export function Charges({ month: named = '', apiKey }: { month: string | undefined; apiKey: string }) {
  const month = /^\d{4}-\d\d$/.test(named) ? named : firstDay(new Date().toISOString(), -1).slice(0, 7);
  const variables = { startDate: firstDay(month), endDate: firstDay(month, 1) };
  const { data, error, loading, refetch } = useQuery(chargesQuery, { variables });
  const charges = data?.chargesSummary;
  const [refusal, setRefusal] = useState<unknown>(null);
  const download = (): Promise<void> =>
    downloadCharges({ url, key: apiKey, ...variables }).then(() => setRefusal(null), setRefusal);
  const shown = (amount: Decimal | null): string =>
    amount === null ? 'unknown' : formatDecimal(amount, { currency: charges?.currency ?? null });
  const show = ({ target }: { target: HTMLInputElement }): void => {
    if (target.value !== '') location.hash = `#/charges/${target.value}`;
  };
  return (
    <>
      <h1>Charges</h1>
      <label>
        Month <input type="month" value={month} onChange={show} />
      </label>
      <button onClick={() => void download()}>Download CSV</button>
      <Failure of={error} retry={refetch} />
      <Failure of={refusal} retry={download} />
      {loading && !charges && <p role="status">Loading…</p>}
      {charges && (
        <>
          <p>
            <strong>{shown(charges.total.grandTotal)}</strong>
            {!charges.isComplete && ' until now: the month has not ended'}
          </p>
          <table>
            <caption>Services, the largest change first</caption>
            <thead>
              <tr>
                <th scope="col">Service</th>
                <th scope="col">Amount</th>
                <th scope="col">Before</th>
                <th scope="col">Change</th>
              </tr>
            </thead>
            <tbody>
              {charges.changes?.map(({ alias, name, amount, previousAmount, change }) => (
                <tr key={alias}>
                  <th scope="row">{name}</th>
                  <td>{shown(amount)}</td>
                  <td>{shown(previousAmount)}</td>
                  <td>{shown(change)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </>
      )}
    </>
  );
}
