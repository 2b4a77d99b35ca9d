import type { HttpHeaderRecord } from '../../resources/webhook-delivery.ts';

/** Headers whose values are credentials. One more name is one more word here: whatever shows headers reads this list. */
export const hiddenHeaders: readonly string[] = [
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'x-api-key',
];

/** What is shown in place of a credential. */
export const hiddenValue = '[redacted]';

const names = hiddenHeaders.map((name) => RegExp.escape(name)).join('|');
// A name ends where no character of a token follows (RFC 9110, section 5.6.2).
const sensitive = `[^\\w\\r\\n]*(${names})(?![\\w!#$%&'*+.^\`|~-])`;
const sensitiveName = new RegExp(`(?:^|[\\r\\n])${sensitive}`, 'iu');
const sensitiveLine = new RegExp(`[\\r\\n]${sensitive}`, 'iu');

/**
 * Whether the value of a header may be a credential. It may by the header's name, in any case and with anything around it; it may where
 * the name cannot be read; and it may where another line of the value looks like such a header.
 */
export function isSensitive([name, value]: HttpHeaderRecord): boolean {
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
