/** A period of whole days, `YYYY-MM-DD`, with an exclusive end as everywhere in the schema. */
export interface Period {
  readonly startDate: string;
  readonly endDate: string;
}

/** A day, or a moment to the minute, as the browser's fields take it; empty for any other text, such as a 30 February. */
export function fieldValueOf(text: string): string {
  if (!/^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2})?$/.test(text)) return '';
  const moment = new Date(text.length === 10 ? text : `${text}Z`);
  return !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(text) ? text : '';
}

/** The page's today: the sandbox's fixed day, or the current day in UTC, as bills are. */
export function today(): string {
  const fixed: unknown = import.meta.env['VITE_TODAY'];
  return typeof fixed === 'string' ? fixed : new Date().toISOString().slice(0, 10);
}

/** The month of `day`, to its end. */
export function monthOf(day: string): Period {
  const { endDate } = monthsBefore(day, 1);
  const [year = 0, month = 1] = endDate.split('-').map(Number);
  return { startDate: endDate, endDate: new Date(Date.UTC(year, month)).toISOString().slice(0, 10) };
}

/** The day before another. */
export function dayBefore(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10);
}

/** The whole months before the one of `day`, as one period. */
export function monthsBefore(day: string, months: number): Period {
  const [year = 0, month = 1] = day.split('-').map(Number);
  const first = (earlier: number): string => new Date(Date.UTC(year, month - 1 - earlier)).toISOString().slice(0, 10);
  return { startDate: first(months), endDate: first(0) };
}
