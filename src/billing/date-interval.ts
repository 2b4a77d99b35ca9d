import { historyMonths } from '../bounds.ts';
import { badArgument, GatewayError } from '../errors.ts';
import { isCalendarDate } from '../moment.ts';

/** Days of one billing period (REST contract, "Limits"). */
export const billingPeriodDays = 31;

const millisecondsPerDay = 86_400_000;

/** Days from one calendar date to another, both YYYY-MM-DD; negative where the second is the earlier one. */
export function daysBetween(startDate: string, endDate: string): number {
  return (Date.parse(endDate) - Date.parse(startDate)) / millisecondsPerDay;
}

/** As `daysBetween`. Throws BAD_USER_INPUT unless the end is the later one. */
function daysWithin(startDate: string, endDate: string): number {
  const days = daysBetween(startDate, endDate);
  if (days > 0) return days;
  throw badArgument(['endDate'], `endDate must be later than startDate (${startDate}): it is exclusive.`);
}

/** The period of a billing report; without an end the upstream takes one month (REST contract, "GET /charges_breakdown"). */
export interface ReportDates {
  readonly startDate: string;
  readonly endDate?: string | null | undefined;
}

/** Throws BAD_USER_INPUT unless the end (exclusive), if there is one, is after the start, by no more than a billing period may have. */
export function checkReportDates({ startDate, endDate }: ReportDates): void {
  const days = endDate == null ? 1 : daysWithin(startDate, endDate);
  if (days <= billingPeriodDays) return;
  throw badArgument(
    ['endDate'],
    `The date range cannot exceed ${billingPeriodDays} days; from ${startDate} to ${endDate} it is ${days}.`,
  );
}

/** A range of days; the end is exclusive. */
export interface DateInterval {
  readonly startDate: string;
  readonly endDate: string;
}

/**
 * Cuts a range at the first of each month, so that no part is longer than the upstream allows; in order, without gap or
 * overlap. Throws BAD_USER_INPUT unless the end is after the start, by no more months than a history may have.
 */
export function monthsOf({ startDate, endDate }: DateInterval): readonly DateInterval[] {
  daysWithin(startDate, endDate);
  // The same day so many months on, or the last of that month if it has no such day.
  const last = Temporal.PlainDate.from(startDate).add({ months: historyMonths });
  if (Temporal.PlainDate.compare(endDate, last) > 0)
    throw badArgument(['endDate'], `endDate must be within ${historyMonths} months of startDate (${startDate}).`);
  const cuts = [startDate];
  for (let next = firstOfNextMonth(startDate); next !== null && next < endDate; next = firstOfNextMonth(next))
    cuts.push(next);
  return intervalsBetween([...cuts, endDate]);
}

function intervalsBetween(cuts: readonly string[]): readonly DateInterval[] {
  return cuts.slice(1).map((endDate, index) => ({ startDate: cuts[index] as string, endDate }));
}

/** Whether an interval is a calendar month that has ended by a day, all of them YYYY-MM-DD. */
export function isMonthOver({ startDate, endDate }: DateInterval, today: string): boolean {
  const isOver = endDate <= today && startDate.endsWith('-01') && endDate.endsWith('-01');
  return isOver && daysBetween(startDate, endDate) <= billingPeriodDays;
}

/** The calendar month of a date. Throws BAD_USER_INPUT for the last that a date of four digits can name: it has no end. */
export function monthOf(date: string): DateInterval {
  const endDate = firstOfNextMonth(date);
  if (endDate === null) throw badArgument(['month'], 'month must be before 9999-12.');
  return { startDate: firstOfMonth(date).toString(), endDate };
}

/** The last calendar months, so many at most, that had ended by a day and lie before a month; in order. */
export function monthsBefore(month: DateInterval, count: number, today: string): readonly DateInterval[] {
  const end = firstOfMonth(today < month.startDate ? today : month.startDate);
  const starts = Array.from({ length: count + 1 }, (_, index) => end.subtract({ months: count - index }).toString());
  return intervalsBetween(starts.filter(isCalendarDate));
}

/**
 * The period before one that the upstream has reported: the month before where it runs from a day of a month to the
 * same day of the next, else as many days. Null before the year 0000. Throws UPSTREAM_BAD_RESPONSE where it is no such period.
 */
export function intervalBefore({ startDate, endDate }: DateInterval): DateInterval | null {
  const days = isCalendarDate(startDate) && isCalendarDate(endDate) ? daysBetween(startDate, endDate) : 0;
  if (days < 1 || days > billingPeriodDays) {
    const period = `${startDate} to ${endDate}`;
    const message = `The upstream sent a summary for ${period}: a period of 1 to ${billingPeriodDays} days was expected.`;
    const violation = { coordinate: 'ChargesSummary.endDate', kind: 'contradiction' } as const;
    throw new GatewayError('UPSTREAM_BAD_RESPONSE', { message, violation });
  }
  const earlier = monthBefore(startDate, endDate) ?? daysBefore(startDate, days);
  return isCalendarDate(earlier) ? { startDate: earlier, endDate: startDate } : null;
}

/** Null where the interval is no whole month, or the month before lacks such a day. */
function monthBefore(startDate: string, endDate: string): string | null {
  const [start, end] = [Temporal.PlainDate.from(startDate), Temporal.PlainDate.from(endDate)];
  const earlier = start.subtract({ months: 1 });
  const isMonth = end.day === start.day && start.add({ months: 1 }).equals(end);
  return isMonth && earlier.day === start.day ? earlier.toString() : null;
}

function daysBefore(date: string, days: number): string {
  return Temporal.PlainDate.from(date).subtract({ days }).toString();
}

function firstOfMonth(date: string): Temporal.PlainDate {
  return Temporal.PlainDate.from(date).with({ day: 1 });
}

/** Null behind the last month that a date of four digits can name. */
function firstOfNextMonth(date: string): string | null {
  const next = firstOfMonth(date).add({ months: 1 }).toString();
  return isCalendarDate(next) ? next : null;
}
