/** The query string of a request; the platform's parser reads brackets that are literal or percent-encoded. */
export type Query = URLSearchParams;

/** The body of a list, or of one record; `meta` as the contract has it ("Pagination metadata"). */
export interface RecordBody {
  readonly data: unknown;
  readonly meta?: Readonly<Record<string, number>>;
}

/** A JSON body, or a CSV file. */
export type Content = RecordBody | { readonly csv: string; readonly filename: string };

/** How much an account holds. */
export interface Account {
  readonly connections: number;
  readonly missions: number;
  readonly deliveries: number;
  readonly numbers: number;
}

/** The accounts that a key may name. A key that names none opens the large one, to which alone deliveries come by themselves. */
export const accounts = {
  large: { connections: 604, missions: 230, deliveries: 12_000, numbers: 1_800 },
  small: { connections: 24, missions: 12, deliveries: 36, numbers: 40 },
  empty: { connections: 0, missions: 0, deliveries: 0, numbers: 0 },
} satisfies Record<string, Account>;

export type AccountName = keyof typeof accounts;

/** What an answer depends on besides its request; moments are microseconds since 1970. */
export interface World {
  readonly now: number;
  /** The moment since which deliveries come live. */
  readonly since: number;
  readonly account: Account;
  /** Those that were made for the account on demand. */
  readonly made: readonly object[];
}

/** One endpoint of the API, and the one for a single row where there is one. A file that exports a `route` is served. */
export interface Route {
  readonly path: string;
  readonly read: (query: Query, world: World) => Content;
  /** The row of an identifier; undefined where there is none. */
  readonly find?: (id: string, world: World) => unknown;
}

/** The id of the one user, who owns the bill and the deliveries. */
export const userId = '5e1f3c52-0b7d-4a86-a9d4-2f6c8e0b7a11';

/**
 * 2026-11-01T00:00:00Z, in microseconds since 1970. Connections, missions and phone numbers were made before it, and deliveries are
 * numbered from it, so that a day has the same bill and the same deliveries whatever the present is.
 */
export const anchor = Date.UTC(2026, 10, 1) * 1000;

/** Durations in microseconds. */
export const microsPerSecond = 1_000_000;
export const microsPerHour = 3600 * microsPerSecond;
export const microsPerDay = 24 * microsPerHour;

/** The wire form of a moment: UTC with six decimals, as 2026-10-03T14:07:11.482913Z; of equal width, so text order is time order. */
export function timestamp(micros: number): string {
  const millis = Math.floor(micros / 1000);
  return `${new Date(millis).toISOString().slice(0, -1)}${String(micros - millis * 1000).padStart(3, '0')}Z`;
}

/**
 * Microseconds of an ISO 8601 date-time that has a zone; undefined for other texts and for days that do not exist. A remainder below a
 * microsecond counts as half of one, so that the caller can round to the side it needs.
 */
export function parseTimestamp(text: string): number | undefined {
  try {
    const { epochNanoseconds } = Temporal.Instant.from(text);
    return Number(epochNanoseconds / 1000n) + (epochNanoseconds % 1000n === 0n ? 0 : 0.5);
  } catch {
    return undefined;
  }
}

const yearMicros = 365 * microsPerDay;

/** The first rows of a list: at a present before the anchor they were made some years earlier, so that none is of the future. */
export function madeBy<Row extends { created_at: string | null; updated_at: string | null }>(
  rows: readonly Row[],
  count: number,
  now: number,
): readonly Row[] {
  const first = rows.slice(0, count);
  if (now >= anchor) return first;
  const earlier = Math.ceil((anchor - now) / yearMicros) * yearMicros;
  const moved = (text: string | null): string | null => text && timestamp((parseTimestamp(text) ?? 0) - earlier);
  return first.map((row) => ({ ...row, created_at: moved(row.created_at), updated_at: moved(row.updated_at) }));
}

/** The milliseconds since 1970 of a moment to which the clock may be set; undefined for all else. */
export function readPresent(text: unknown): number | undefined {
  const micros = typeof text === 'string' ? parseTimestamp(text) : undefined;
  const millis = Math.floor((micros ?? Number.NaN) / 1000);
  return millis >= Date.UTC(2000) && millis < Date.UTC(2100) ? millis : undefined;
}
