import { jsonLevels } from '../../bounds.ts';
import { FreeFormText, isJsonObject, numberOf } from '../../json.ts';

/** What a leaf of the schema accepts from the wire. No type is converted: a value of another type fails its field. */
export interface Leaf {
  readonly expected: string;
  /** The value as the response has it; undefined where it is refused. */
  readonly read: (value: unknown) => unknown;
  /**
   * What it takes of JSON just as it stands, for who reads bytes: a kind of value, or texts of a form. Of anything else `read` decides; of
   * everything where this is absent.
   */
  readonly takes?: 'text' | 'integer' | 'boolean' | 'freeForm' | RegExp;
  /** A cheap test of `v` in JavaScript, for compiled operations. Where it holds, the value passes as it is. */
  readonly code?: string;
}

const [zero, hyphen] = [0x30, 0x2d];
const date = /^\d{4}-\d{2}-\d{2}$/;
const dateTime = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:Z|[+-]\d{2}(?::?\d{2})?)?$/i;
// Each digit matches one part of the pattern only. Otherwise a million digits with a letter behind would take hours.
const decimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

const asItIs =
  (accepts: (value: unknown) => boolean): Leaf['read'] =>
  (value) =>
    accepts(value) ? value : undefined;
const plainText = {
  read: asItIs((value) => typeof value === 'string'),
  code: 'typeof v === "string"',
  takes: 'text',
} as const;

/** Texts of a form: an expression that the transcoder can read as well (src/transcoder/automaton.ts). */
function textLike(form: RegExp): Pick<Leaf, 'read' | 'takes'> {
  return { read: asItIs((value) => typeof value === 'string' && form.test(value)), takes: form };
}

/** By the names of scalars. Strings, decimals and timestamps pass digit for digit (interface: "Names"). */
export const leaves: Readonly<Record<string, Leaf>> = {
  ID: { expected: 'a string', ...plainText },
  String: { expected: 'a string', ...plainText },
  Boolean: {
    expected: 'true or false',
    read: asItIs((value) => typeof value === 'boolean'),
    code: 'typeof v === "boolean"',
    takes: 'boolean',
  },
  Int: { expected: 'an integer of at most 32 bits', read: int32Of, code: '(v | 0) === v', takes: 'integer' },
  Date: { expected: 'a date (YYYY-MM-DD)', ...textLike(date) },
  DateTime: { expected: 'an ISO 8601 date-time', ...textLike(dateTime) },
  Decimal: { expected: 'a decimal string', ...textLike(decimal) },
  JSONObject: { expected: `a JSON object of at most ${jsonLevels} levels`, read: freeFormOf, takes: 'freeForm' },
};

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

function freeFormOf(value: unknown): unknown {
  if (value instanceof FreeFormText) return value.levels > jsonLevels ? undefined : value;
  if (!isJsonObject(value) || isDeeperThan(jsonLevels, value)) return undefined;
  // The executor takes any object that has a `then` for a promise. So such an object is wrapped until it is printed.
  return Object.hasOwn(value, 'then') ? { toJSON: () => value } : value;
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner));
}

/** The integer of 32 bits that a value is, however it is written (12, 12.0 and 1.2e1 are one); undefined for any other value. */
export function int32Of(value: unknown): number | undefined {
  const number = numberOf(value);
  return number !== undefined && Number.isInteger(number) && Math.abs(number + 0.5) < 2 ** 31 ? number : undefined;
}
