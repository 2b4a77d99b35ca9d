import { badParameter, invalid } from './errors.ts';
import type { ValidationFault } from './errors.ts';
import { value } from './query.ts';
import type { Query } from './query.ts';

/** Which rows are asked for: 1-based number, rows per page. */
export type Page = { number: number; size: number };

/** Pagination metadata (contract, "Pagination metadata"). */
export type PageMeta = { total_pages: number; total_results: number; page_number: number; page_size: number };

const DEFAULT_SIZE = 20;
const NUMBER = 'page[number]';
const SIZE = 'page[size]';

const wholeNumber = (text: string): number | undefined => {
  const number = /^[+-]?\d{1,15}$/.test(text) ? Number(text) : undefined;
  return number;
};

const positive = (query: Query, name: string, fallback: number): number => {
  const text = value(query, name);
  if (text === undefined) return fallback;
  const number = wholeNumber(text);
  if (number === undefined || number < 1) throw badParameter(name, 'The value must be an integer of at least 1.');
  return number;
};

/** The page asked for, its size clamped silently to the maximum; 400 naming the parameter when it is no integer from 1. */
export const clampedPage = (query: Query, maximum: number): Page => ({
  number: positive(query, NUMBER, 1),
  size: Math.min(positive(query, SIZE, DEFAULT_SIZE), maximum),
});

const fault = (query: Query, name: string, maximum: number): ValidationFault[] => {
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
};

/** The page asked for; 422 in the missions dialect, listing each fault, when a bound is broken. */
export const strictPage = (query: Query, maximum: number): Page => {
  const faults = [...fault(query, NUMBER, Number.MAX_SAFE_INTEGER), ...fault(query, SIZE, maximum)];
  if (faults.length > 0) throw invalid(faults);
  return {
    number: Number(value(query, NUMBER) ?? 1),
    size: Number(value(query, SIZE) ?? DEFAULT_SIZE),
  };
};

/** The rows of one page with its metadata; past the end `data` is empty. `make` turns what was kept into records. */
export const paged = <Kept, Row>(
  kept: readonly Kept[],
  page: Page,
  make: (item: Kept) => Row,
): { data: Row[]; meta: PageMeta } => {
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
};
