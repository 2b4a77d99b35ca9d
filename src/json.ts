import { randomUUID } from 'node:crypto';

// A number that JSON.parse might not give back digit for digit: sixteen digits and more, a fraction, an exponent, minus
// zero. Every number of a body stands behind one of these three signs; text that looks alike only costs the slow way.
const unsafeNumber = /(?:"\s*:|[[,])\s*-?(?:\d{16}|\d+[.eE]|0(?<=-0))/;

/** Values by name, as they were sent. */
export type JsonObject = Readonly<Record<string, unknown>>;

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
export function parseExactly(text: string): unknown {
  if (!unsafeNumber.test(text)) return JSON.parse(text);
  // JSON.parse has a reviver for this, but it is slower, and it calls itself: a value that is nested deep enough would fail
  // the whole body, and every other row with it.
  return withRawNumbers(JSON.parse(withMarkedNumbers(text)));
}

// What no upstream can guess cannot be mistaken for a text of its own.
const mark = `number ${randomUUID()} `;
// Begun nowhere within a number: what is no JSON may have a million digits that nothing ends, and is to be refused as soon.
const number = /(?<!\d)-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?=\s*[,\]}])/g;

/** Puts each number that a double would not print the same way into quotes, behind the mark. */
function withMarkedNumbers(text: string): string {
  let marked = '';
  let position = 0;
  while (position < text.length) {
    const open = text.indexOf('"', position);
    if (open < 0) break;
    const close = endOfText(text, open);
    marked += markNumbers(text.slice(position, open)) + text.slice(open, close);
    position = close;
  }
  return marked + markNumbers(text.slice(position));
}

function markNumbers(betweenTexts: string): string {
  return betweenTexts.replace(number, (digits) => (String(Number(digits)) === digits ? digits : `"${mark}${digits}"`));
}

/** The position behind the quotation mark that ends the text begun at `open`. */
function endOfText(text: string, open: number): number {
  for (let position = open + 1; ; position++) {
    position = text.indexOf('"', position);
    if (position < 0) throw new SyntaxError('A text of this body has no end.');
    let backslashes = 0;
    while (text[position - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return position + 1;
  }
}

function withRawNumbers(body: unknown): unknown {
  const open: unknown[] = [body];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    const members = value as Record<string, unknown>;
    for (const name of Object.keys(members)) {
      const member = members[name];
      if (typeof member === 'string' && member.startsWith(mark))
        members[name] = json.rawJSON(member.slice(mark.length));
      else if (typeof member === 'object') open.push(member);
    }
  }
  return body;
}

/** The number that a parsed value stands for, a raw JSON number included; undefined for anything else. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return json.isRawJSON(value) ? Number(value.rawJSON) : undefined;
}

/**
 * The record that a parsed value is; undefined where it is none. It has no `then`, a name that the contract does not know:
 * the executor takes whatever has one for a promise.
 */
export function recordIn(value: unknown): JsonObject | undefined {
  if (!isJsonObject(value)) return undefined;
  // oxlint-disable-next-line unicorn/no-thenable
  return Object.hasOwn(value, 'then') ? { ...value, then: undefined } : value;
}

/** Whether a parsed value is a JSON object: not null, not a list, not a raw number, which has no prototype. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
