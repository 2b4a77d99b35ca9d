/** A period of whole days, `YYYY-MM-DD`, with an exclusive end as everywhere in the schema. */
export interface Period {
  readonly startDate: string;
  readonly endDate: string;
}

/** The page's today: the sandbox's fixed day, or the current day in UTC, as bills are. */
export function today(): string {
  const fixed: unknown = import.meta.env['VITE_TODAY'];
  return typeof fixed === 'string' ? fixed : new Date().toISOString().slice(0, 10);
}

/** The whole months before the one of `day`, as one period. */
export function monthsBefore(day: string, months: number): Period {
  const [year = 0, month = 1] = day.split('-').map(Number);
  const first = (earlier: number): string => new Date(Date.UTC(year, month - 1 - earlier)).toISOString().slice(0, 10);
  return { startDate: first(months), endDate: first(0) };
}
