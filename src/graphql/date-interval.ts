import { badArgument } from '../errors.ts';

const mostDays = 31;
const millisecondsPerDay = 86_400_000;

/** Days from one calendar date to another, both YYYY-MM-DD; negative where the second is the earlier one. */
export function daysBetween(startDate: string, endDate: string): number {
  return (Date.parse(`${endDate}T00:00:00Z`) - Date.parse(`${startDate}T00:00:00Z`)) / millisecondsPerDay;
}

/** Throws BAD_USER_INPUT unless the end (exclusive) is after the start, by at most 31 days (REST contract, "Limits"). */
export function checkDateInterval(startDate: string, endDate: string): void {
  const days = daysBetween(startDate, endDate);
  if (days <= 0)
    throw badArgument(['endDate'], `endDate must be later than startDate (${startDate}): it is exclusive.`);
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
