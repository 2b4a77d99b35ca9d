import { parseTimestamp, timestamp } from './clock.ts';
import { badParameter, invalid, type ValidationFault } from './errors.ts';

/** A table whose rows are made when first read and then kept, so that a start costs nothing. */
export class Rows<Row> {
  readonly count: number;
  readonly #build: (index: number) => Row;
  readonly #idOf: (index: number) => string;
  readonly #made: (Row | undefined)[] = [];
  #byId: Map<string, number> | undefined;

  constructor(count: number, idOf: (index: number) => string, build: (index: number) => Row) {
    this.count = count;
    this.#idOf = idOf;
    this.#build = build;
  }

  /** The row at an index from 0 to count - 1. */
  at(index: number): Row {
    return (this.#made[index] ??= this.#build(index));
  }

  /** The first rows by index, all of them unless a count is given. */
  all(count = this.count): Row[] {
    return Array.from({ length: Math.min(count, this.count) }, (_, index) => this.at(index));
  }

  /** The row with this id among the first ones, or undefined; makes that row only. */
  find(id: string, count = this.count): Row | undefined {
    this.#byId ??= new Map(Array.from({ length: this.count }, (_, index) => [this.#idOf(index), index]));
    const index = this.#byId.get(id);
    return index === undefined || index >= count ? undefined : this.at(index);
  }
}

/** So many items of a list, from its whole length. */
export function everyNth<Item>(items: readonly Item[], count: number): Item[] {
  const step = Math.floor(items.length / count);
  return items.filter((_, index) => index % step === 0).slice(0, count);
}

/** An integer of any size as a bare JSON number: a JavaScript number would round one beyond 2^53 before it is written. */
export function bigNumber(digits: string): object {
  // The type library does not know JSON.rawJSON yet.
  return (JSON as unknown as { rawJSON(text: string): object }).rawJSON(digits);
}

/** The query string of a request; the platform's parser reads brackets that are literal or percent-encoded. */
export type Query = URLSearchParams;

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
  if (conditions.length === 0) return always;
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

/** The requested page: its number from 1, and its rows. */
export interface Page {
  readonly number: number;
  readonly size: number;
}

/** Pagination metadata (contract, "Pagination metadata"). */
export interface PageMeta {
  readonly total_pages: number;
  readonly total_results: number;
  readonly page_number: number;
  readonly page_size: number;
}

/** The body of a list, or of one record. */
export interface RecordBody {
  readonly data: unknown;
  readonly meta?: Partial<PageMeta>;
}

/** A JSON body, or a CSV file. */
export type Content = RecordBody | { readonly csv: string; readonly filename: string };

export const defaultSize = 20;
const numberParameter = 'page[number]';
export const sizeParameter = 'page[size]';

function wholeNumber(text: string): number | undefined {
  return /^[+-]?\d{1,15}$/.test(text) ? Number(text) : undefined;
}

function positive(query: Query, name: string, fallback: number): number {
  const text = value(query, name);
  if (text === undefined) return fallback;
  const number = wholeNumber(text);
  if (number === undefined || number < 1) throw badParameter(name, 'The value must be an integer of at least 1.');
  return number;
}

/** The requested page, its size clamped silently to the maximum; 400 naming the parameter when it is no integer from 1. */
export function clampedPage(query: Query, maximum: number): Page {
  return {
    number: positive(query, numberParameter, 1),
    size: Math.min(positive(query, sizeParameter, defaultSize), maximum),
  };
}

function faultsOf(query: Query, name: string, maximum: number): ValidationFault[] {
  const text = value(query, name);
  if (text === undefined) return [];
  const loc = ['query', name];
  const number = wholeNumber(text);
  if (number === undefined) {
    const msg = 'Input should be a valid integer, unable to parse string as an integer';
    return [{ loc, msg, type: 'int_parsing' }];
  }
  if (number < 1) return [{ loc, msg: 'Input should be greater than or equal to 1', type: 'greater_than_equal' }];
  if (number <= maximum) return [];
  return [{ loc, msg: `Input should be less than or equal to ${maximum}`, type: 'less_than_equal' }];
}

/** The requested page; 422 in the missions dialect, listing each fault, when a bound is broken. */
export function strictPage(query: Query, maximum: number): Page {
  const faults = [
    ...faultsOf(query, numberParameter, Number.MAX_SAFE_INTEGER),
    ...faultsOf(query, sizeParameter, maximum),
  ];
  if (faults.length > 0) throw invalid(faults);
  return clampedPage(query, maximum);
}

/** The rows of one page with its metadata, `data` empty past the end; `make` turns an item of the list into a record. */
export function paged<Kept, Row>(kept: readonly Kept[], { number, size }: Page, make: (item: Kept) => Row): RecordBody {
  const start = (number - 1) * size;
  return {
    data: kept.slice(start, start + size).map(make),
    meta: {
      total_pages: Math.ceil(kept.length / size),
      total_results: kept.length,
      page_number: number,
      page_size: size,
    },
  };
}
