/**
 * An instant as text: in UTC, with as many digits of a fraction as it needs, at most nine. Equal instants are equal texts, whatever
 * spelling they came in.
 */
export type Moment = string;

const timestamp = /^\d{4}-\d{2}-\d{2}T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?Z$/;

/** The moment that a text names in any spelling of ISO 8601 that `DateTime` has; null for any other value, and without a zone. */
export function momentOf(value: unknown): Moment | null {
  if (typeof value !== 'string') return null;
  if (timestamp.test(value)) return isCalendarDate(value.slice(0, 10)) ? withoutLastZeros(value) : null;
  const instant = instantOf(value);
  return instant?.hasZone === true ? momentAt(instant.nanoseconds) : null;
}

/** Without the zeros that end a fraction. */
function withoutLastZeros(text: Moment): Moment {
  const isShort = text.length === '2026-10-01T08:30:00Z'.length || !text.endsWith('0Z');
  return isShort ? text : text.replace(/\.?0+Z$/, 'Z');
}

/** Null outside the years of four digits. */
function momentAt(nanoseconds: bigint): Moment | null {
  const text = new Temporal.Instant(nanoseconds).toString();
  return timestamp.test(text) ? text : null;
}

/** How a bound is rounded to whole milliseconds: a lower one down and an upper one up, so that neither leaves out what is within it. */
export type BoundSide = 'gte' | 'lte';

/**
 * A bound as it is sent: in UTC with three digits, which any platform reads. One without a zone stays as it is, because only the platform
 * knows what it means; one outside the years of four digits becomes their first or last millisecond.
 */
export function boundOf(text: string, side: BoundSide): string {
  const instant = instantOf(text);
  if (instant === null || !instant.hasZone) return text;
  const roundingMode = side === 'lte' ? 'ceil' : 'floor';
  const { epochMilliseconds } = new Temporal.Instant(instant.nanoseconds).round({
    smallestUnit: 'millisecond',
    roundingMode,
  });
  return new Date(Math.min(Math.max(epochMilliseconds, firstMillisecond), lastMillisecond)).toISOString();
}

const [firstMillisecond, lastMillisecond] = ['0000-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'].map((text) =>
  Date.parse(text),
) as [number, number];

/** The moment of its digits alone, fraction included. */
export function momentOfDigits(digits: string): Moment {
  const [year, month, day, hour, minute, second] = [0, 4, 6, 8, 10, 12].map((from) =>
    digits.slice(from, from === 0 ? 4 : from + 2),
  );
  const fraction = digits.slice(14);
  return `${year}-${month}-${day}T${hour}:${minute}:${second}${fraction === '' ? '' : `.${fraction}`}Z`;
}

/** Negative where the first moment is the earlier one, 0 where both are the same. */
export function compareMoments(left: Moment, right: Moment): -1 | 0 | 1 {
  if (left === right) return 0;
  // Without its last letter a text sorts before those that go on behind it.
  const isAlike = left.length === right.length;
  return (isAlike ? left < right : left.slice(0, -1) < right.slice(0, -1)) ? -1 : 1;
}

/** How a list runs in time: newest first, oldest first, or too short for either. */
export type Direction = -1 | 0 | 1;

/** Which way moments run; null where one is missing or they run to and fro. */
export function directionOf(moments: readonly (Moment | null)[]): Direction | null {
  let direction: Direction = 0;
  let previous: Moment | undefined;
  for (const moment of moments) {
    if (moment === null) return null;
    const step = compareMoments(moment, previous ?? moment);
    previous = moment;
    if (step * direction < 0) return null;
    direction = step === 0 ? direction : step;
  }
  return direction;
}

/** The form of a calendar date on the wire. */
export const date = /^\d{4}-\d{2}-\d{2}$/;
/** The form of an ISO 8601 date-time on the wire. */
export const dateTime = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:Z|[+-]\d{2}(?::?\d{2})?)?$/i;

// The days that each month has, and the one that some years have.
const everyYear =
  /^\d{4}-(?:(?:0[13578]|1[02])-31|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8]))$/;
const leapDay = /^(?:\d\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29$/;

/** A calendar day that exists, as an argument: `2026-02-30` does not. */
export function isCalendarDate(text: string): boolean {
  return everyYear.test(text) || leapDay.test(text);
}

/** An ISO 8601 date-time that exists, as an argument. */
export function isDateTime(text: string): boolean {
  return instantOf(text) !== null;
}

/** A moment as its text tells it, with all digits down to the nanosecond. */
export interface Instant {
  /** Since 1970 in UTC; in the zone that nobody knows where `hasZone` is false. */
  readonly nanoseconds: bigint;
  readonly hasZone: boolean;
}

// The offset may lack its minutes, a minute may have a leap second, and a day may end at 24:00. `Date` accepts few of these.
const form =
  /^(\d{4}-\d{2}-\d{2})[T ]([01]\d|2[0-4]):([0-5]\d)(?::([0-5]\d|60)(?:[.,](\d+))?)?(?:(Z)|([+-](?:[01]\d|2[0-3]))(?::?([0-5]\d))?)?$/i;

/** The instant of an ISO 8601 date-time that exists; null for anything else. Digits behind the ninth of a fraction are not read. */
export function instantOf(value: unknown): Instant | null {
  const parts = typeof value === 'string' ? form.exec(value) : null;
  const [, day = '', hour, minute, second = '0', fraction = '', utc, hours, minutes = '00'] = parts ?? [];
  if (!isCalendarDate(day) || (hour === '24' && Number(minute + second + fraction) > 0)) return null;
  const zone = hours === undefined ? 'Z' : `${hours}:${minutes}`;
  // A leap second is the first one of the next minute here, and 24:00 the beginning of the next day.
  const seconds = (Number(hour) * 60 + Number(minute)) * 60 + Number(second);
  const milliseconds = Date.parse(`${day}T00:00:00${zone}`) + seconds * 1_000;
  return {
    nanoseconds: BigInt(milliseconds) * 1_000_000n + BigInt(fraction.slice(0, 9).padEnd(9, '0')),
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
