import type { ChargesHistoryQuery } from '../generated/documents.ts';
import { monthsLater } from '../values/day.ts';
import { sum, type Decimal } from '../values/decimal.ts';
import { amountsByService } from './service-lines.ts';

type Entry = NonNullable<ChargesHistoryQuery['chargesHistory']>[number];

/** A month of the history. */
export interface Month {
  readonly startDate: string;
  /** Null for a month that could not be read. */
  readonly summary: NonNullable<Entry> | null;
}

/** A service over the months. */
export interface Series {
  readonly alias: string;
  readonly name: string;
  /** One a month: "0" where the service was not charged, null where the month could not be read. */
  readonly amounts: readonly (Decimal | null)[];
}

/** How many services the chart tells apart; eyes follow no more colours than that. */
const most = 6;

/** All months with their names: an entry that failed is a null, and which month it was only its neighbours tell. */
export function monthsOf(entries: readonly Entry[]): readonly Month[] {
  const known = entries.findIndex((entry) => entry !== null);
  const anchor = entries[known];
  if (anchor == null) return [];
  const firstOfMonth = `${anchor.startDate.slice(0, 7)}-01`;
  return entries.map((summary, at) => ({
    startDate: summary?.startDate ?? monthsLater(firstOfMonth, at - known),
    summary,
  }));
}

/** All services of the months, the dearest first. */
export function seriesOf(months: readonly Month[]): readonly Series[] {
  const linesOf = ({ summary }: Month) => summary?.summary.lines ?? [];
  const lines = months.flatMap(linesOf).filter((line) => line !== null);
  const names = new Map(lines.map(({ alias, name }) => [alias, name]));
  const byMonth = months.map((month) => (month.summary === null ? null : amountsByService(linesOf(month))));
  const all = [...names].map(([alias, name]) => ({
    alias,
    name,
    amounts: byMonth.map((amounts) => (amounts === null ? null : (amounts.get(alias) ?? '0'))),
  }));
  return all.sort((a, b) => weightOf(b) - weightOf(a));
}

function weightOf({ amounts }: Series): number {
  return Number(sum(amounts.filter((amount) => amount !== null)));
}

/** The series for the chart: the dearest ones, and the sum of all others as one more. */
export function foldedSeries(all: readonly Series[]): readonly Series[] {
  if (all.length <= most + 1) return all;
  const rest = all.slice(most);
  const amounts = (rest[0]?.amounts ?? []).map((amount, at) =>
    amount === null ? null : sum(rest.map((series) => series.amounts[at] ?? '0')),
  );
  return [...all.slice(0, most), { alias: 'other', name: `${rest.length} other services`, amounts }];
}

/** The colour of a folded series, by its place. */
export function colourOf(alias: string, at: number): string {
  return `var(--series-${alias === 'other' ? 'other' : at + 1})`;
}

/** The currency of the months that could be read. */
export function currencyOf(months: readonly Month[]): string {
  return months.find(({ summary }) => summary !== null)?.summary?.currency ?? 'USD';
}
