import type { HttpHeaderRecord, WebhookDeliveryAttemptRecord } from '../generated/records.ts';
import { unexpectedValue, type Site } from '../graphql/schema/checked-value.ts';
import { int32Of, type Leaf } from '../graphql/schema/scalars.ts';
import type { Form } from '../graphql/schema/wire-fields.ts';
import { illFormedText, recordIn, type JsonObject } from '../json.ts';
import { instantOf, nanosecondsBetween } from '../moment.ts';

/** Headers whose values are credentials. One more name is one more word here: whatever shows headers reads this list. */
const hiddenHeaders: readonly string[] = ['authorization', 'proxy-authorization', 'cookie', 'set-cookie', 'x-api-key'];

export const hiddenValue = '[redacted]';

/**
 * A header of an attempt. The contract has it as a pair, and the API also sends it as text. Text is cut at its first colon, and the spaces
 * around both parts are dropped. Text without a colon is a name without a value.
 */
export const headerForm: Form = {
  expected: 'a pair [name, value], or the text "name: value",',
  read(value): HttpHeaderRecord | undefined {
    if (typeof value === 'string') return headerOf(value.trim());
    if (!Array.isArray(value) || value.length !== 2) return undefined;
    const [name, text] = value as [string, string];
    return { name, value: text };
  },
  pair: { names: hiddenHeaders, cover: hiddenValue },
};

// The name of an HTTP/2 pseudo-header begins with a colon.
const pseudoName = /^:[\w-]+:/;

function headerOf(text: string): HttpHeaderRecord {
  const colon = text.indexOf(':', pseudoName.test(text) ? 1 : 0);
  if (colon < 0) return { name: text, value: null };
  return { name: text.slice(0, colon).trim(), value: text.slice(colon + 1).trim() };
}

const names = hiddenHeaders.map((name) => RegExp.escape(name)).join('|');
// A name ends where no character of a token follows (RFC 9110, section 5.6.2).
const sensitive = `[^\\w\\r\\n]*(${names})(?![\\w!#$%&'*+.^\`|~-])`;
const sensitiveName = new RegExp(`(?:^|[\\r\\n])${sensitive}`, 'iu');
const sensitiveLine = new RegExp(`[\\r\\n]${sensitive}`, 'iu');

/**
 * Whether the value of a header may be a credential. It may by the header's name, in any case and with anything around it; it may where
 * the name cannot be read; and it may where another line of the value looks like such a header.
 */
export function isSensitive({ name, value }: HttpHeaderRecord): boolean {
  if (typeof name !== 'string' || sensitiveName.test(name)) return true;
  // What an empty name stands for is not known.
  if (name === '' || name.trim() === '') return value !== '';
  return typeof value === 'string' && /[\r\n]/.test(value) && sensitiveLine.test(value);
}

/** The name of a header, without the text behind it that may be a credential. */
export function withoutCredential(name: string): string {
  const found = sensitiveName.exec(name)?.[1];
  return found === undefined || name.trim().length === found.length ? name : found;
}

const userInformation = /^((?:[a-z\d+.\-\s]*:)?[/\\]+)?[^/\\?#]*@/i;

/** An address with something else in place of its user information, of which a client makes an `Authorization` header. */
export function withoutUser(url: string, cover: string): string {
  // Clients pass over these wherever they stand.
  const plain = url.replace(/[\t\n\r]/g, '');
  return userInformation.test(plain) ? plain.replace(userInformation, (_all, before = '') => `${before}${cover}`) : url;
}

/** An address that has surely no user information, for who reads bytes. */
export const addressLeaf: Leaf = {
  expected: 'a string',
  read: (value) => (typeof value === 'string' ? withoutUser(value, `${hiddenValue}@`) : undefined),
  takes: 'bare',
};

const digits = /^\d{1,20}$/;

/** The code of an attempt's error: an integer, or the same as text. */
export const errorCodeLeaf: Leaf = {
  expected: 'an integer of at most 32 bits, or its digits,',
  read: codeOf,
  code: '(v | 0) === v',
};

/** An attempt's error as its code: an integer, as the contract has it, its digits, or an object with a code, as the API publishes it. */
export const attemptErrorLeaf: Leaf = {
  expected: 'an integer of at most 32 bits, or an object with such a code,',
  read: (value) => codeOf(value) ?? codeOf(recordIn(value)?.['code']),
  // The type is tested first: an object as an operand would be converted to text.
  code: 'typeof v === "number" && (v | 0) === v',
  takes: 'integer',
};

/**
 * An attempt's error as an object: an integer or its digits as the code alone, any other text as the title alone. What else stands there
 * costs the code, and no more.
 */
export const attemptErrorForm = {
  expected: 'an integer, an object, or a text',
  read(value: unknown): JsonObject {
    const isTitle = typeof value === 'string' ? !digits.test(value) : value === illFormedText;
    return isTitle ? { title: value } : (recordIn(value) ?? { code: value });
  },
} satisfies Form;

function codeOf(value: unknown): number | undefined {
  return int32Of(typeof value === 'string' && digits.test(value) ? Number(value) : value);
}

/**
 * The time that something took by its own timestamps, in milliseconds, rounded to the nearest one, half of one away from zero; negative
 * where it ended before it began. Null where one of the times is missing or is no instant. Throws UPSTREAM_BAD_RESPONSE where the
 * number has more than 32 bits: that is 24 days.
 */
export function durationOf(
  record: Pick<WebhookDeliveryAttemptRecord, 'started_at' | 'finished_at'>,
  site: Site,
): number | null {
  const [start, end] = [instantOf(record.started_at), instantOf(record.finished_at)];
  const nanoseconds = start && end && nanosecondsBetween(start, end);
  if (nanoseconds === null) return null;
  const exact = Number(nanoseconds) / 1_000_000;
  const milliseconds = int32Of(Math.sign(exact) * Math.round(Math.abs(exact)) || 0);
  if (milliseconds !== undefined) return milliseconds;
  throw unexpectedValue(site, 'a moment within 24 days of started_at', record.finished_at);
}
