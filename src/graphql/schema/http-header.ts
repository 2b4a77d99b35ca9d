import type { HttpHeaderRecord } from '../../upstream/endpoints/webhook-delivery.ts';

const pseudoName = /^:[\w-]+:/;

/**
 * A header of an attempt, which the contract has as a pair and the API publishes as text too; undefined for anything else. Text is
 * cut at its first colon, and the spaces around both parts are dropped; without a colon it is a name without a value.
 */
export function headerIn(value: unknown): HttpHeaderRecord | undefined {
  if (typeof value === 'string') return headerOf(value.trim());
  return Array.isArray(value) && value.length === 2 ? (value as unknown as HttpHeaderRecord) : undefined;
}

function headerOf(text: string): HttpHeaderRecord {
  // The name of an HTTP/2 pseudo-header begins with a colon.
  const colon = text.indexOf(':', pseudoName.test(text) ? 1 : 0);
  return colon < 0 ? [text, null] : [text.slice(0, colon).trim(), text.slice(colon + 1).trim()];
}

const names = 'authorization|proxy-authorization|cookie|set-cookie|x-api-key';
// A name ends where no character of a token follows (RFC 9110, section 5.6.2).
const sensitive = `[^\\w\\r\\n]*(${names})(?![\\w!#$%&'*+.^\`|~-])`;
const sensitiveName = new RegExp(`(?:^|[\\r\\n])${sensitive}`, 'iu');
const sensitiveLine = new RegExp(`[\\r\\n]${sensitive}`, 'iu');

/**
 * Whether the value of a header may be a credential: by its name, in any case and with anything around it; where the name cannot be
 * read; and where another header stands on a further line of the value.
 */
export function isSensitive([name, value]: HttpHeaderRecord): boolean {
  if (typeof name !== 'string' || sensitiveName.test(name)) return true;
  // Nobody can say what an empty name stands for.
  if (name === '' || name.trim() === '') return value !== '';
  return typeof value === 'string' && /[\r\n]/.test(value) && sensitiveLine.test(value);
}

/** The name of a header without what stands behind it in the same text, where that may be a credential. */
export function withoutCredential(name: string): string {
  const found = sensitiveName.exec(name)?.[1];
  return found === undefined || name.trim().length === found.length ? name : found;
}
