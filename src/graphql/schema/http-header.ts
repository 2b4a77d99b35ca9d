import type { HttpHeaderRecord } from '../../resources/webhook-delivery.ts';

const pseudoName = /^:[\w-]+:/;

/**
 * A header of an attempt; undefined for anything else. The contract has it as a pair, and the API also sends it as text. Text is cut at
 * its first colon, and the spaces around both parts are dropped. Text without a colon is a name without a value.
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
