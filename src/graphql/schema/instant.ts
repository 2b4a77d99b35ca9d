import { isDateTime } from './leaf.ts';

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
