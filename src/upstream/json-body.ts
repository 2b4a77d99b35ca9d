// A number that JSON.parse might not give back digit for digit: sixteen digits and more, a fraction, an exponent, minus
// zero. Every number of a body stands behind one of these three signs; text that looks alike only costs the slow way.
const unsafeNumber = /[:[,]\s*-?(?:\d{16}|\d+[.eE]|0(?<=-0))/;

interface RawJson {
  rawJSON(text: string): unknown;
  isRawJSON(value: unknown): value is { readonly rawJSON: string };
}
// TypeScript's library does not know this part of ECMAScript 2026 yet.
const json = JSON as typeof JSON & RawJson;

/**
 * Parses a body so that printing it again gives every number digit for digit: one that a double cannot hold stays a raw
 * JSON number (ECMAScript, JSON.rawJSON), which JSON.stringify writes as it came. Throws SyntaxError.
 */
export function parseJson(text: string): unknown {
  if (!unsafeNumber.test(text)) return JSON.parse(text);
  const keepDigits = (_key: string, value: unknown, context?: { readonly source?: string }): unknown =>
    typeof value === 'number' && context?.source !== undefined && String(value) !== context.source
      ? json.rawJSON(context.source)
      : value;
  return JSON.parse(text, keepDigits);
}

/** The number that a parsed value stands for, a raw JSON number included; undefined for anything else. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return json.isRawJSON(value) ? Number(value.rawJSON) : undefined;
}

/** Whether a parsed value is a JSON object: not null, not a list, not a raw number. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !json.isRawJSON(value);
}
