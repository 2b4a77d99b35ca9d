import type { Period } from './day.ts';
import type { Decimal } from './decimal.ts';

/** The text for a missing value. */
export const nothing = '–';

const locale = 'en-GB';
const counts = new Intl.NumberFormat(locale);
const percents = new Intl.NumberFormat(locale, {
  style: 'percent',
  maximumFractionDigits: 1,
  signDisplay: 'exceptZero',
});
const months = new Intl.DateTimeFormat(locale, { month: 'short', year: 'numeric', timeZone: 'UTC' });
const days = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
const moments = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' });

/**
 * An amount of money, rounded from its text and never through a double; all digits below a cent, and a plain number without a
 * currency.
 */
export function money(amount: Decimal, currency: string | null, signDisplay: 'auto' | 'exceptZero' = 'auto'): string {
  const isTiny = /^-?0*\.00/.test(amount);
  // The API's currencies are an open set: what is no code stands behind the number as it came.
  const isCode = currency !== null && /^[a-z]{3}$/i.test(currency);
  const text = new Intl.NumberFormat(locale, {
    ...(isCode
      ? { style: 'currency', currency, currencyDisplay: 'narrowSymbol' }
      : { minimumFractionDigits: 2, maximumFractionDigits: 2 }),
    signDisplay,
    ...(isTiny && { maximumFractionDigits: 6 }),
  }).format(amount as Intl.StringNumericLiteral);
  return currency === null || isCode ? text : `${text} ${currency}`;
}

/** A count; a dash where it is not known. */
export function count(number: number | null | undefined): string {
  return number == null ? nothing : counts.format(number);
}

/** The shown items of a list, e.g. "16–30 of 604"; their number where their place is not known. */
export function range(offset: number | null, held: number, total: number | null): string {
  const shown = offset === null ? count(held) : `${count(offset + 1)}–${count(offset + held)}`;
  return `${shown} of ${count(total)}`;
}

/** How much a figure grew, in percent; null where there was nothing before. Near enough by doubles. */
export function growth(now: Decimal, before: Decimal): string | null {
  const base = Number(before);
  return base === 0 ? null : percents.format((Number(now) - base) / Math.abs(base));
}

/** The month that a day lies in, e.g. "Oct 2026". */
export function month(date: string): string {
  return months.format(new Date(`${date}T00:00:00Z`));
}

/** A month by its name, e.g. "Oct 2026", and a part of one by its days, the last included: "15–31 Aug 2026". */
export function monthOrPart({ startDate, endDate }: Period): string {
  if (startDate.endsWith('-01') && endDate.endsWith('-01')) return month(startDate);
  const dayAfter = new Date(`${endDate}T00:00:00Z`);
  return days.formatRange(new Date(`${startDate}T00:00:00Z`), dayAfter.setUTCDate(dayAfter.getUTCDate() - 1));
}

/** A day, or the day of a moment. */
export function day(date: string | null | undefined): string {
  return date == null ? nothing : days.format(new Date(date.length === 10 ? `${date}T00:00:00Z` : date));
}

/** A moment to the second, in UTC. */
export function moment(date: string | null | undefined): string {
  return date == null ? nothing : moments.format(new Date(date));
}

/** How long something took, to three digits or so. */
export function duration(from: string | null | undefined, to: string | null | undefined): string {
  if (from == null || to == null) return nothing;
  const milliseconds = Date.parse(to) - Date.parse(from);
  if (milliseconds < 1000) return `${milliseconds} ms`;
  return milliseconds < 60_000 ? `${(milliseconds / 1000).toFixed(1)} s` : `${Math.round(milliseconds / 60_000)} min`;
}

/** The size of a file, e.g. "120 kB". */
export function fileSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
