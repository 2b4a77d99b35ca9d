import { badParameter, Refusal } from './errors.ts';
import { parseTimestamp, timestamp, type Query } from './world.ts';

/** Rows that are made when they are first read, so that a start costs nothing. */
export function rowsOf<Row>(count: number, build: (index: number) => Row): () => readonly Row[] {
  let rows: readonly Row[] | undefined;
  return () => (rows ??= Array.from({ length: count }, (_, index) => build(index)));
}

/** So many items of a list, from its whole length. */
export function everyNth<Item>(items: readonly Item[], count: number): Item[] {
  const step = Math.floor(items.length / count);
  return items.filter((_, index) => index % step === 0).slice(0, count);
}

// The type library does not know JSON.rawJSON yet.
/** An integer beyond 2^53 as a bare JSON number: a JavaScript number would round it before it is written. */
export const bigNumber = (JSON as unknown as { rawJSON(text: string): object }).rawJSON('9007199254740993');

/** The last value of a parameter, or undefined when it is absent. */
export function value(query: Query, name: string): string | undefined {
  return query.getAll(name).at(-1);
}

/** A predicate on the text of a row: true for all texts when the parameter is absent. */
type TextMatch = (text: string | null | undefined) => boolean;

const always: TextMatch = () => true;

/**
 * Exact, case-sensitive match on a parameter, or on its `[eq]`. A comma means any of several texts, or is part of one; `null` means that
 * nothing is set (field notes). `spelled` makes equal what is.
 */
export function exactly(query: Query, name: string, spelled = (text: string): string => text): TextMatch {
  const given = [value(query, name), value(query, `${name}[eq]`)].filter((text) => text !== undefined);
  const conditions = given.map((text) => new Set([text, ...text.split(',').map((one) => one.trim())].map(spelled)));
  return (text) => conditions.every((wanted) => (text == null ? wanted.has('null') : wanted.has(spelled(text))));
}

/** Substring match that ignores case; 400 when fewer than three characters are given (field notes, "Filters and sort"). */
export function containingAnyCase(query: Query, name: string): TextMatch {
  const wanted = value(query, name)?.toLowerCase();
  if (wanted === undefined) return always;
  if (Array.from(wanted).length < 3) throw badParameter(name, 'The value must have at least three characters.');
  return (text) => text?.toLowerCase().includes(wanted) ?? false;
}

function bound(query: Query, name: string, round: (micros: number) => number): string | undefined {
  const text = value(query, name);
  if (text === undefined) return undefined;
  const micros = parseTimestamp(text);
  if (micros === undefined) throw badParameter(name, 'The value must be an ISO 8601 date-time with a time zone.');
  return timestamp(round(micros));
}

/** Match of a timestamp against `name[gte]` and `name[lte]`, both included; a row without one matches no bound. */
export function between(query: Query, name: string): TextMatch {
  const from = bound(query, `${name}[gte]`, Math.ceil);
  const to = bound(query, `${name}[lte]`, Math.floor);
  if (from === undefined && to === undefined) return always;
  return (text) => typeof text === 'string' && (from ?? text) <= text && text <= (to ?? text);
}

export const defaultSize = 20;
const numberParameter = 'page[number]';
export const sizeParameter = 'page[size]';

/** What is wrong with the numbers of a page, in the words of the missions endpoint. */
function faultsOf(query: Query, largest: number) {
  return Object.entries({ [numberParameter]: Infinity, [sizeParameter]: largest }).flatMap(([name, most]) => {
    const text = value(query, name) ?? '1';
    const fault = (type: string, msg: string) => [{ loc: ['query', name] as const, msg, type }];
    if (!/^[+-]?\d{1,15}$/.test(text))
      return fault('int_parsing', 'Input should be a valid integer, unable to parse string as an integer');
    if (Number(text) < 1) return fault('greater_than_equal', 'Input should be greater than or equal to 1');
    return Number(text) > most ? fault('less_than_equal', `Input should be less than or equal to ${most}`) : [];
  });
}

/** The requested page: its number from 1, and its rows. */
function pageOf(query: Query, largest: number) {
  const size = Number(value(query, sizeParameter) ?? defaultSize);
  return { number: Number(value(query, numberParameter) ?? 1), size: Math.min(size, largest) };
}

/** The requested page, its size clamped silently to the largest; 400 naming the parameter when it is no integer from 1. */
export function clampedPage(query: Query, largest: number) {
  const [fault] = faultsOf(query, Infinity);
  if (fault !== undefined) throw badParameter(fault.loc[1], 'The value must be an integer of at least 1.');
  return pageOf(query, largest);
}

/** The requested page; 422 in the missions dialect, listing each fault, when a bound is broken. */
export function strictPage(query: Query, largest: number) {
  const faults = faultsOf(query, largest);
  if (faults.length > 0) throw new Refusal(422, { detail: faults });
  return pageOf(query, largest);
}

/** The items of one page with its metadata, `data` empty past the end. */
export function paged<Item>(all: readonly Item[], { number, size }: ReturnType<typeof pageOf>) {
  const start = (number - 1) * size;
  return {
    data: all.slice(start, start + size),
    meta: {
      total_pages: Math.ceil(all.length / size),
      total_results: all.length,
      page_number: number,
      page_size: size,
    },
  };
}
