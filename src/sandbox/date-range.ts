import { badParameter } from './errors.ts';
import { value, type Query } from './query.ts';

/** A period of whole days: `start` included, `end` not; both YYYY-MM-DD. */
export interface DateRange {
  readonly start: string;
  readonly end: string;
  readonly days: number;
}

const millisPerDay = 86_400_000;
const mostDays = 31;

function millisOf(query: Query, name: string): number | undefined {
  const text = value(query, name);
  if (text === undefined) return undefined;
  const millis = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  // A day that does not exist parses as one in the next month, or not at all; one month after 9998 still has four digits.
  const exists = !Number.isNaN(millis) && new Date(millis).toISOString().startsWith(text) && text < '9999';
  if (!exists) throw badParameter(name, 'The value must be a date of the form YYYY-MM-DD.');
  return millis;
}

function required(name: string): never {
  throw badParameter(name, `The parameter ${name} is required.`);
}

function monthAfter(start: number): number {
  const date = new Date(start);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  // 31 January plus a month is the last day of February, not the third of March.
  const lastDay = new Date(Date.UTC(year, month + 2, 0)).getUTCDate();
  return Date.UTC(year, month + 1, Math.min(day, lastDay));
}

function dateOf(millis: number): string {
  return new Date(millis).toISOString().slice(0, 10);
}

/** The period of a billing report; 400 naming the parameter when a rule of the contract is broken. */
export function dateRange(query: Query, endDate: 'required' | 'defaults to a month'): DateRange {
  const start = millisOf(query, 'start_date') ?? required('start_date');
  const given = millisOf(query, 'end_date');
  const end = given ?? (endDate === 'required' ? required('end_date') : monthAfter(start));
  if (end <= start) throw badParameter('end_date', 'The end date must be after the start date.');
  const days = (end - start) / millisPerDay;
  if (days > mostDays) throw badParameter('end_date', 'The date range cannot exceed 31 days.');
  return { start: dateOf(start), end: dateOf(end), days };
}

/** The date that lies `days` after the start of a period. */
export function dateWithin(range: DateRange, days: number): string {
  return dateOf(Date.parse(range.start) + days * millisPerDay);
}
