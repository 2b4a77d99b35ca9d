const [zero, hyphen] = [0x30, 0x2d];

/** The form of a calendar date on the wire. */
export const date = /^\d{4}-\d{2}-\d{2}$/;
/** The form of an ISO 8601 date-time on the wire. */
export const dateTime = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:Z|[+-]\d{2}(?::?\d{2})?)?$/i;

/** A calendar day that exists, as an argument: `2026-02-30` does not. */
export function isCalendarDate(text: string): boolean {
  if (text.length !== 10 || text.charCodeAt(4) !== hyphen || text.charCodeAt(7) !== hyphen) return false;
  const [year, month, day] = [numberAt(text, 0, 4), numberAt(text, 5, 7), numberAt(text, 8, 10)];
  return year >= 0 && month >= 1 && day >= 1 && day <= daysIn(year, month);
}

/**
 * The number that the ASCII digits from `from` to before `to` stand for; -1 where one of them is no digit. To cut them out and parse
 * them costs several times as much.
 */
export function numberAt(text: string, from: number, to: number): number {
  let value = 0;
  for (let at = from; at < to; at++) {
    const digit = text.charCodeAt(at) - zero;
    if (!(digit >= 0 && digit <= 9)) return -1;
    value = value * 10 + digit;
  }
  return value;
}

// The offset may lack its minutes, and a minute may have a leap second. `Date` accepts neither.
const clock = /^(?:[01]\d|2[0-3]):[0-5]\d(?::(?:[0-5]\d|60)(?:[.,]\d+)?)?(?:Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?$/i;

/** An ISO 8601 date-time that exists, as an argument. */
export function isDateTime(text: string): boolean {
  return dateTime.test(text) && isCalendarDate(text.slice(0, 10)) && clock.test(text.slice(11));
}

// By the number of the month.
const daysOfMonths = [0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** None in a month behind the last. */
function daysIn(year: number, month: number): number {
  const isLeap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return isLeap ? 29 : (daysOfMonths[month] ?? 0);
}

/** A moment as its text tells it, with all digits down to the nanosecond. */
export interface Instant {
  /** Since 1970 in UTC; in the zone that nobody knows where `hasZone` is false. */
  readonly nanoseconds: bigint;
  readonly hasZone: boolean;
}

const form = /^(\d{4}-\d{2}-\d{2}).(\d{2}:\d{2})(?::(\d{2})(?:[.,](\d{1,9})\d*)?)?(?:(Z)|([+-]\d{2})(?::?(\d{2}))?)?$/i;

/** The instant of an ISO 8601 date-time that exists; null for anything else. Digits behind the ninth of a fraction are not read. */
export function instantOf(value: unknown): Instant | null {
  const parts = typeof value === 'string' && isDateTime(value) ? form.exec(value) : null;
  if (parts === null) return null;
  const [, day, minute, second = '0', fraction = '', utc, hours, minutes = '00'] = parts;
  const zone = hours === undefined ? 'Z' : `${hours}:${minutes}`;
  // A leap second is the first one of the next minute here.
  const milliseconds = Date.parse(`${day}T${minute}:00${zone}`) + Number(second) * 1_000;
  return {
    nanoseconds: BigInt(milliseconds) * 1_000_000n + BigInt(fraction.padEnd(9, '0')),
    hasZone: utc !== undefined || hours !== undefined,
  };
}

const nanosecondsPerDay = 86_400_000_000_000n;

/** Whether an instant is later than another, whatever the zone is where only one of them has one. */
export function isLater(one: Instant, other: Instant): boolean {
  const unknown = one.hasZone === other.hasZone ? 0n : nanosecondsPerDay;
  return one.nanoseconds - other.nanoseconds > unknown;
}

/**
 * Nanoseconds from one instant to another, negative where the second is the earlier one. Null where only one of them has a zone:
 * then they may be anything up to a day apart.
 */
export function nanosecondsBetween(start: Instant, end: Instant): bigint | null {
  return start.hasZone === end.hasZone ? end.nanoseconds - start.nanoseconds : null;
}
