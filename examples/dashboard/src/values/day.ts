/** A period of whole days, `YYYY-MM-DD`, the end exclusive as everywhere in the schema. */
export interface Period {
  readonly startDate: string;
  readonly endDate: string;
}

/** The day that the page takes for today: the sandbox's, which stands still, or the world's, by UTC as bills are. */
export function today(): string {
  const fixed: unknown = import.meta.env['VITE_TODAY'];
  return typeof fixed === 'string' ? fixed : new Date().toISOString().slice(0, 10);
}

/** The same day some months on or back; the last of that month where it has no such day. */
export function monthsLater(day: string, months: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  const lastDate = new Date(Date.UTC(year, month + months, 0)).getUTCDate();
  return new Date(Date.UTC(year, month - 1 + months, Math.min(date, lastDate))).toISOString().slice(0, 10);
}

/** The whole months before the one of `day`, as one period. */
export function monthsBefore(day: string, months: number): Period {
  const endDate = `${day.slice(0, 7)}-01`;
  return { startDate: monthsLater(endDate, -months), endDate };
}
