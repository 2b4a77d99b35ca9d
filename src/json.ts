// A number that JSON.parse might not return digit for digit: sixteen digits and more, a fraction, an exponent, minus zero.
// Every number of a body follows one of these three signs. A text that looks like one takes the slow path in vain.
const unsafeNumber = /(?:"\s*:|[[,])\s*-?(?:\d{16}|\d+[.eE]|0(?<=-0))/;

/** Whether JSON.parse might not return every number of a text digit for digit. */
export function hasUnsafeNumber(text: string): boolean {
  return unsafeNumber.test(text);
}

const longInteger = /[:[,]\s*-?\d{16}/;
// Hardly any body has so many digits in a row. Written out, V8 looks at every sixteenth character only: that takes a thirtieth of the time.
const sixteenDigits = new RegExp(String.raw`\d`.repeat(16));

/** Whether JSON.parse might not return every integer of a text digit for digit: identifiers may be integers. */
export function hasLongInteger(text: string): boolean {
  return sixteenDigits.test(text) && longInteger.test(text);
}

/** The number of these digits; an integer that a double might not hold as a raw JSON number. */
export function exactNumber(digits: string): unknown {
  const number = Number(digits);
  return Number.isSafeInteger(number) || !isInteger.test(digits) ? number : json.rawJSON(digits);
}

const isInteger = /^-?\d+$/;

/** Values by name, as they were sent. */
export type JsonObject = Readonly<Record<string, unknown>>;

interface RawJson {
  rawJSON(text: string): unknown;
  isRawJSON(value: unknown): value is { readonly rawJSON: string };
}
// TypeScript's library does not know this part of ECMAScript 2026 yet.
const json = JSON as typeof JSON & RawJson;

/** A text without the byte order mark that it may begin with, which JSON.parse refuses. */
export function withoutByteOrderMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

/** A JSON text without the characters that some readers of lines take for the end of one: their escapes stand for them. */
export function withinOneLine(text: string): string {
  return text.replaceAll(/[\u0085\u2028\u2029]/g, (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Stands for a value that every field refuses: a text in which half of a character is missing, or a free-form object that is too deep. */
export const illFormedText: object = Object.freeze(Object.create({}) as object);

/**
 * As JSON.parse, behind a byte order mark as well, but `illFormedText` stands for texts with half of a surrogate pair, also as a member
 * under each such name. Throws SyntaxError.
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(withoutByteOrderMark(text));
  // Most bodies hold no half, which is seen at once.
  const mayHoldHalf = text.includes(String.raw`\ud`) || text.includes(String.raw`\uD`) || !text.isWellFormed();
  return mayHoldHalf ? withoutHalves(value) : value;
}

function withoutHalves(body: unknown): unknown {
  const root = { body };
  const open: object[] = [root];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    const members = value as Record<string, unknown>;
    for (const name of Object.keys(members)) {
      const member = members[name];
      if ((typeof member === 'string' && !member.isWellFormed()) || !name.isWellFormed())
        define(members, name, illFormedText);
      else if (typeof member === 'object' && member !== null) open.push(member);
    }
  }
  return root.body;
}

/** Sets a member, of whatever name, as JSON.parse does. */
export function define(target: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') target[name] = value;
  else Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
}

/**
 * Parses a body so that JSON.stringify prints every number digit for digit. A number that a double cannot hold becomes a raw
 * JSON number (ECMAScript, JSON.rawJSON). Throws SyntaxError, also for a body with such a number that is nested thousands of levels deep.
 */
export function parseExactly(text: string): unknown {
  if (!hasUnsafeNumber(text)) return JSON.parse(text);
  try {
    return JSON.parse(text, withRawNumbers as Reviver);
  } catch (error) {
    if (error instanceof RangeError) throw new SyntaxError('This is nested too deeply.', { cause: error });
    throw error;
  }
}

type Reviver = (name: string, value: unknown) => unknown;

// An integer beyond 2^53 is raw even where a double holds it: it may be an identifier.
function withRawNumbers(_name: string, value: unknown, { source }: { readonly source: string }): unknown {
  if (typeof value !== 'number') return value;
  const isSame = String(value) === source && (Number.isSafeInteger(value) || !Number.isInteger(value));
  return isSame ? value : json.rawJSON(source);
}

/**
 * A free-form object as JSON text, as it came but for blanks and needless escapes: that takes a fraction of the memory and time of the
 * object itself.
 */
export class FreeFormText {
  /** In UTF-8. */
  readonly pieces: readonly Buffer[];
  /** Whether no text in it, and no name, has half of a character. */
  readonly isWellFormed: boolean;

  constructor(pieces: readonly Buffer[], isWellFormed: boolean) {
    this.pieces = pieces;
    this.isWellFormed = isWellFormed;
  }

  /** In bytes. */
  get length(): number {
    return this.pieces.reduce((sum, { length }) => sum + length, 0);
  }

  /** The value of one member; undefined where there is none. It reads the whole text. */
  member(name: string): unknown {
    return (this.toJSON() as JsonObject)[name];
  }

  /** For whoever writes it otherwise. */
  toJSON(): unknown {
    return parseExactly(Buffer.concat(this.pieces).toString('utf8'));
  }
}

/** Returns the number of a parsed value, which may be a raw JSON number; undefined for anything else. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return json.isRawJSON(value) ? Number(value.rawJSON) : undefined;
}

/** The digits of a parsed number as they were sent, or as a double prints where that is the same; undefined for any other value. */
export function digitsOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return json.isRawJSON(value) ? value.rawJSON : undefined;
}

/** The count that a parsed value is: a whole number from 0 to `most`, or its digits as a text; null for anything else. */
export function countOf(value: unknown, most: number): number | null {
  const count = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : numberOf(value);
  return count !== undefined && Number.isInteger(count) && count >= 0 && count <= most ? count : null;
}

/**
 * Returns a parsed value as a record; undefined where it is no JSON object. A member `then` is removed, since Yoga's executor would take
 * the record for a promise. The contract has no such name.
 */
export function recordIn(value: unknown): JsonObject | undefined {
  if (!isJsonObject(value)) return undefined;
  if (Object.hasOwn(value, 'then')) Reflect.deleteProperty(value, 'then');
  return value;
}

/**
 * The identifier that a parsed value is: a text, or an integer digit for digit, however it is spelt; undefined for anything else, the
 * empty text included, which names no row. A double stands for an integer as long as it holds each one exactly.
 */
export function identifierOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  const number = numberOf(value);
  if (Number.isSafeInteger(number)) return String(number);
  return json.isRawJSON(value) && isInteger.test(value.rawJSON) ? value.rawJSON : undefined;
}

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** An identifier as it is compared: in a UUID the case of letters does not count. */
export function comparableId(id: string): string {
  return uuid.test(id) ? id.toLowerCase() : id;
}

/** Whether a parsed value is a JSON object: not null, not a list, and not a raw number, which has no prototype. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
