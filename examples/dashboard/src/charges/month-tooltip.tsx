import { money, monthOrPart, nothing } from '../values/wording.ts';
import { colourOf, type Month, type Series } from './history-series.ts';

interface MonthTooltipProps {
  readonly month: Month | undefined;
  readonly series: readonly Series[];
  /** Which of the series' months it is. */
  readonly at: number;
}

/** The exact figures of a bar, in the order of its pieces from the top. */
export function MonthTooltip({ month, series, at }: MonthTooltipProps) {
  if (month == null) return null;
  const { summary } = month;
  if (summary === null) return <p className="tooltip">{monthOrPart(month)} could not be read.</p>;
  const { currency, total } = summary;
  return (
    <div className="tooltip">
      <table>
        <caption>{monthOrPart(month)}</caption>
        <tbody>
          {series
            .map(({ alias, name, amounts: { [at]: amount } }, place) => (
              <tr key={alias}>
                <th scope="row">
                  <span className="swatch" style={{ background: colourOf(alias, place) }} />
                  {name}
                </th>
                <td className="number">{amount == null ? nothing : money(amount, currency)}</td>
              </tr>
            ))
            .toReversed()}
          <tr className="strong">
            <th scope="row">Grand total, adjusted</th>
            <td className="number">{money(total.grandTotal, currency)}</td>
          </tr>
        </tbody>
      </table>
    </div>
  );
}
