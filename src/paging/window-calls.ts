import { anchorSearches, defaultPageSize } from '../bounds.ts';
import type { Window } from './window.ts';

/**
 * The calls that the page of a window may take: those of an upstream that serves pages of the largest size, as
 * limits/field-cost.ts estimates them, one more for each of its rows, and one that shows whether the first rows are whole.
 */
export function callsOfWindow({ first, last, offset, after, before }: Window, pageLimit: number): number {
  const rows = first ?? last ?? defaultPageSize;
  const pages = Math.max(1, Math.ceil(rows / pageLimit));
  const ofShorter = rows + 1;
  if (after !== null || before !== null)
    return ofShorter + (anchorSearches + 1) * (Math.ceil((rows + 1) / pageLimit) + 3);
  if (first === null) return ofShorter + pages + 2;
  return ofShorter + pages + (offset > 0 ? 1 : 0);
}
