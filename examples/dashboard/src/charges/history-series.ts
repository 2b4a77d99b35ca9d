import type { ChargesHistoryQuery } from '../generated/documents.ts';
import { sum, type Decimal } from '../values/decimal.ts';
import { amountsByService } from './service-lines.ts';

/** A month of the history; null stands for one that could not be read. */
export type Month = NonNullable<ChargesHistoryQuery['chargesHistory']>[number];

/** A service over the months. */
export interface Series {
  readonly alias: string;
  readonly name: string;
  /** One a month, "0" where the service was not charged. */
  readonly amounts: readonly Decimal[];
}

/** How many services the chart tells apart; eyes follow no more colours than that. */
const most = 6;

/** All services of the months that could be read, the dearest first. */
export function seriesOf(months: readonly NonNullable<Month>[]): readonly Series[] {
  const names = new Map<string, string>();
  for (const { summary } of months)
    for (const line of summary.lines) if (line !== null) names.set(line.alias, line.name);
  const byMonth = months.map(({ summary }) => amountsByService(summary.lines));
  const all = [...names].map(([alias, name]) => ({
    alias,
    name,
    amounts: byMonth.map((amounts) => amounts.get(alias) ?? '0'),
  }));
  return all.sort((a, b) => Number(sum(b.amounts)) - Number(sum(a.amounts)));
}

/** The series for the chart: the dearest ones, and the sum of all others as one more. */
export function foldedSeries(all: readonly Series[]): readonly Series[] {
  if (all.length <= most + 1) return all;
  const rest = all.slice(most);
  const amounts = (rest[0]?.amounts ?? []).map((_, at) => sum(rest.map((series) => series.amounts[at] ?? '0')));
  return [...all.slice(0, most), { alias: 'other', name: `${rest.length} other services`, amounts }];
}

/** The colour of a folded series, by its place. */
export function colourOf(alias: string, at: number): string {
  return `var(--series-${alias === 'other' ? 'other' : at + 1})`;
}
