/**
 * The sandbox's fixed present, 2026-11-01T00:00:00Z, in microseconds since 1970: no answer depends on the real clock, but for
 * how many deliveries have come.
 */
export const NOW = Date.UTC(2026, 10, 1) * 1000;

/** One second in microseconds. */
export const SECOND = 1_000_000;
/** One hour in microseconds. */
export const HOUR = 3600 * SECOND;
/** One day in microseconds. */
export const DAY = 24 * HOUR;

/** The wire form of a moment: UTC with six decimals, e.g. 2026-10-03T14:07:11.482913Z. Equal width, so text order is time order. */
export const timestamp = (micros: number): string => {
  const millis = Math.floor(micros / 1000);
  return `${new Date(millis).toISOString().slice(0, -1)}${String(micros - millis * 1000).padStart(3, '0')}Z`;
};

const TIMESTAMP = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(Z|[+-]\d{2}:\d{2})$/;

/**
 * Microseconds of an ISO 8601 date-time that has a zone; undefined when it is not one or the day does not exist.
 * A remainder below a microsecond counts as half of one, so that the caller can round to the side it needs.
 */
export const parseTimestamp = (text: string): number | undefined => {
  const [, day, time, fraction = '', zone] = TIMESTAMP.exec(text) ?? [];
  if (day === undefined || time === undefined || zone === undefined) return undefined;
  const local = Date.parse(`${day}T${time}Z`);
  // Date.parse rolls 30 February over into March; only a day which prints as itself exists.
  if (Number.isNaN(local) || new Date(local).toISOString().slice(0, 19) !== `${day}T${time}`) return undefined;
  const seconds = Date.parse(`${day}T${time}${zone}`);
  if (Number.isNaN(seconds)) return undefined;
  const digits = fraction.padEnd(9, '0');
  return seconds * 1000 + Number(digits.slice(0, 6)) + (Number(digits.slice(6)) > 0 ? 0.5 : 0);
};
