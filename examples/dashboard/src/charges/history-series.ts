import type { ChargesHistoryQuery } from '../generated/documents.ts';
import { sum, type Decimal } from '../values/decimal.ts';
import { monthOrPart } from '../values/wording.ts';

type ChargesHistory = NonNullable<ChargesHistoryQuery['chargesHistoryByService']>;

/** A month of the history, whose summary is null where it could not be read. */
export type Month = ChargesHistory['months'][number];

/** A service over the months: "0" where it was not charged, null where that could not be read. */
export type Series = NonNullable<ChargesHistory['services']>[number];

/** How many services have a colour of their own; eyes follow no more. */
const most = 6;

/** The heading of a month's column. */
export function headOf(month: Month): string {
  return month.summary === null ? `${monthOrPart(month)}, not read` : monthOrPart(month);
}

/** The dearest first. */
export function byWeight(services: readonly Series[]): readonly Series[] {
  return services.toSorted((a, b) => weightOf(b) - weightOf(a));
}

function weightOf({ amounts }: Series): number {
  return Number(sum(amounts.filter((amount) => amount !== null)));
}

/** The series for the chart: the dearest ones, and the sum of all others as one more. */
export function foldedSeries(all: readonly Series[]): readonly Series[] {
  if (all.length <= most + 1) return all;
  const rest = all.slice(most);
  const amounts = rest[0]?.amounts.map((_amount, at) => wholeSum(rest.map((series) => series.amounts[at] ?? null)));
  return [...all.slice(0, most), { alias: 'other', name: `${rest.length} other services`, amounts: amounts ?? [] }];
}

/** Null where a part is missing: a sum without it would be taken for the whole. */
function wholeSum(amounts: readonly (Decimal | null)[]): Decimal | null {
  const known = amounts.filter((amount) => amount !== null);
  return known.length === amounts.length ? sum(known) : null;
}

/** The colour of a folded series, by its place. */
export function colourOf(alias: string, at: number): string {
  return `var(--series-${alias === 'other' ? 'other' : at + 1})`;
}
