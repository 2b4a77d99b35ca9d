import { badParameter, invalid, type ValidationFault } from './errors.ts';
import { value, type Query } from './query.ts';

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

const defaultSize = 20;
const numberParameter = 'page[number]';
const sizeParameter = 'page[size]';

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
  return {
    number: Number(value(query, numberParameter) ?? 1),
    size: Number(value(query, sizeParameter) ?? defaultSize),
  };
}

/** The rows of one page with its metadata, `data` empty past the end; `make` turns an item of the list into a record. */
export function paged<Kept, Row>(
  kept: readonly Kept[],
  page: Page,
  make: (item: Kept) => Row,
): { data: Row[]; meta: PageMeta } {
  const start = (page.number - 1) * page.size;
  return {
    data: kept.slice(start, start + page.size).map((item) => make(item)),
    meta: {
      total_pages: Math.ceil(kept.length / page.size),
      total_results: kept.length,
      page_number: page.number,
      page_size: page.size,
    },
  };
}
