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

const timestampPattern = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|[+-]\d{2}:\d{2})$/;

/**
 * Microseconds of an ISO 8601 date-time that has a zone, undefined where the text is none or the day does not exist; a remainder
 * below a microsecond counts as half of one, so that the caller can round to the side it needs.
 */
export function parseTimestamp(text: string): number | undefined {
  const [, day, minute, second = '00', fraction = '', zone] = timestampPattern.exec(text) ?? [];
  if (day === undefined || minute === undefined || zone === undefined) return undefined;
  const time = `${minute}:${second}`;
  const local = Date.parse(`${day}T${time}Z`);
  // Date.parse rolls 30 February over into March; only a day that prints as itself exists.
  if (Number.isNaN(local) || new Date(local).toISOString().slice(0, 19) !== `${day}T${time}`) return undefined;
  const seconds = Date.parse(`${day}T${time}${zone}`);
  if (Number.isNaN(seconds)) return undefined;
  const digits = fraction.padEnd(9, '0');
  return seconds * 1000 + Number(digits.slice(0, 6)) + (Number(digits.slice(6)) > 0 ? 0.5 : 0);
}

const yearMicros = 365 * microsPerDay;

/** A row that was made before the anchor, as it is at a present before it: some years earlier, so that none is of the future. */
export function madeBy<Row extends { created_at: string | null; updated_at: string | null }>(
  row: Row,
  now: number,
): Row {
  if (now >= anchor) return row;
  const earlier = Math.ceil((anchor - now) / yearMicros) * yearMicros;
  const moved = (text: string | null): string | null => text && timestamp((parseTimestamp(text) ?? 0) - earlier);
  return { ...row, created_at: moved(row.created_at), updated_at: moved(row.updated_at) };
}

/** The moments that a clock may be set to, in milliseconds since 1970. */
const [earliest, latest] = [Date.UTC(2000), Date.UTC(2100)];

/** The milliseconds since 1970 of a moment that the sandbox's present may be; undefined for all else. */
export function readPresent(text: unknown): number | undefined {
  const micros = typeof text === 'string' ? parseTimestamp(text) : undefined;
  const millis = Math.floor((micros ?? Number.NaN) / 1000);
  return millis >= earliest && millis < latest ? millis : undefined;
}

/** What `readPresent` takes. */
export const presentExpected = 'a moment from 2000 to 2099 in ISO 8601, such as 2026-11-01T00:00:00Z';
