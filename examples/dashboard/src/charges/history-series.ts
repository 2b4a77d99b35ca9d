import type { ChargesHistoryQuery } from '../generated/documents.ts';
import { monthOrPart } from '../values/wording.ts';

type ChargesHistory = NonNullable<ChargesHistoryQuery['chargesHistoryByService']>;

/** A month of the history, whose summary is null where it could not be read. */
export type Month = ChargesHistory['months'][number];

/** A service over the months: "0" where it was not charged, null where that could not be read. */
export type Series = NonNullable<ChargesHistory['services']>[number];

/** The heading of a month's column. */
export function headOf(month: Month): string {
  return month.summary === null ? `${monthOrPart(month)}, not read` : monthOrPart(month);
}

/** The series for the chart: the dearest of so many services, and all others as one more. */
export function seriesOf(
  { services, others }: Pick<ChargesHistory, 'services' | 'others'>,
  all: number,
): readonly Series[] {
  const shown = services ?? [];
  return others === null ? shown : [...shown, { ...others, name: `${all - shown.length} other services` }];
}

/** The colour of a series, by its place: eyes follow no more than six. */
export function colourOf(alias: string, at: number): string {
  return `var(--series-${alias === 'others' ? 'other' : at + 1})`;
}
