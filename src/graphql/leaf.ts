import { isJsonObject, numberOf } from '../upstream/json-body.ts';

/** What a leaf of the schema accepts from the wire: nothing is converted, a value of another type costs its field. */
interface Leaf {
  readonly expected: string;
  readonly accepts: (value: unknown) => boolean;
}

const date = /^\d{4}-\d{2}-\d{2}$/;
const dateTime = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:Z|[+-]\d{2}(?::?\d{2})?)?$/i;
const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

const isText = (value: unknown): boolean => typeof value === 'string';

/** By scalar name. Interface page, "Names": strings, decimals and timestamps pass digit for digit. */
export const leaves: Readonly<Record<string, Leaf>> = {
  ID: { expected: 'a string', accepts: isText },
  String: { expected: 'a string', accepts: isText },
  Boolean: { expected: 'true or false', accepts: (value) => typeof value === 'boolean' },
  Int: { expected: 'an integer of at most 32 bits', accepts: (value) => isInt32(numberOf(value)) },
  Date: { expected: 'a date (YYYY-MM-DD)', accepts: (value) => typeof value === 'string' && date.test(value) },
  DateTime: {
    expected: 'an ISO 8601 date-time',
    accepts: (value) => typeof value === 'string' && dateTime.test(value),
  },
  Decimal: { expected: 'a decimal string', accepts: (value) => typeof value === 'string' && decimal.test(value) },
  JSONObject: { expected: 'a JSON object', accepts: isJsonObject },
};

/** A calendar day that exists, as an argument: `2026-02-30` does not. */
export function isCalendarDate(text: string): boolean {
  return date.test(text) && toIso(`${text}T00:00:00Z`)?.startsWith(text) === true;
}

/** An ISO 8601 date-time that exists, as an argument. */
export function isDateTime(text: string): boolean {
  return dateTime.test(text) && isCalendarDate(text.slice(0, 10)) && toIso(text.replace(',', '.')) !== null;
}

function toIso(text: string): string | null {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}

function isInt32(number: number | undefined): boolean {
  return number !== undefined && Number.isInteger(number) && Math.abs(number + 0.5) < 2 ** 31;
}
