import { badArgument } from '../errors.ts';

const mostDays = 31;
const millisecondsPerDay = 86_400_000;

/** Days from one calendar date to another, both YYYY-MM-DD; negative where the second is the earlier one. */
export function daysBetween(startDate: string, endDate: string): number {
  return (Date.parse(`${endDate}T00:00:00Z`) - Date.parse(`${startDate}T00:00:00Z`)) / millisecondsPerDay;
}

function endBeforeStart(startDate: string): string {
  return `endDate must be later than startDate (${startDate}): it is exclusive.`;
}

/** Throws BAD_USER_INPUT unless the end (exclusive) is after the start, by at most 31 days (REST contract, "Limits"). */
export function checkDateInterval(startDate: string, endDate: string): void {
  const days = daysBetween(startDate, endDate);
  if (days <= 0) throw badArgument(['endDate'], endBeforeStart(startDate));
  if (days <= mostDays) return;
  throw badArgument(
    ['endDate'],
    `The date range cannot exceed ${mostDays} days; from ${startDate} to ${endDate} it is ${days}.`,
  );
}

/** The period of a billing report; without an end the upstream takes one month (REST contract, "GET /charges_breakdown"). */
export interface ReportDates {
  readonly startDate: string;
  readonly endDate?: string | null | undefined;
}

/** As `checkDateInterval`, where the end may be left to the upstream. */
export function checkReportDates({ startDate, endDate }: ReportDates): void {
  if (endDate != null) checkDateInterval(startDate, endDate);
}

const mostMonths = 24;

/** A stretch of days, the end exclusive. */
export interface DateInterval {
  readonly startDate: string;
  readonly endDate: string;
}

/**
 * Cuts a range at the first of each month, so that no part is longer than the upstream allows; in order, without gap or
 * overlap. Throws BAD_USER_INPUT unless the end is after the start, by at most 24 months.
 */
export function monthsOf({ startDate, endDate }: DateInterval): readonly DateInterval[] {
  if (daysBetween(startDate, endDate) <= 0) throw badArgument(['endDate'], endBeforeStart(startDate));
  if (isBeyond(startDate, endDate, mostMonths)) {
    throw badArgument(['endDate'], `endDate must be within ${mostMonths} months of startDate (${startDate}).`);
  }
  const months: DateInterval[] = [];
  for (let start = startDate; start < endDate;) {
    const next = firstOfNextMonth(start);
    const end = next !== null && next < endDate ? next : endDate;
    months.push({ startDate: start, endDate: end });
    start = end;
  }
  return months;
}

interface Day {
  /** Counted through all years. */
  readonly month: number;
  readonly day: number;
}

function dayOf(date: string): Day {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number);
  return { month: year * 12 + month - 1, day };
}

/** Whether the end lies behind the same day so many months after the start, or the last of that month if it has no such day. */
function isBeyond(startDate: string, endDate: string, months: number): boolean {
  const [start, end] = [dayOf(startDate), dayOf(endDate)];
  const distance = end.month - start.month - months;
  return distance > 0 || (distance === 0 && end.day > start.day);
}

/** Null behind the last month that a date of four digits can name. */
function firstOfNextMonth(date: string): string | null {
  const month = dayOf(date).month + 1;
  const year = Math.floor(month / 12);
  return year > 9999 ? null : `${String(year).padStart(4, '0')}-${String((month % 12) + 1).padStart(2, '0')}-01`;
}
