import { anchorSearches } from '../bounds.ts';
import { defaultSize, type Window } from './window.ts';

/**
 * The calls that the page of a window may take: those of an upstream that serves pages of the largest size, as
 * limits/field-calls.ts estimates them, and one more for each of its rows.
 */
export function callsOfWindow({ first, last, offset, after, before }: Window, pageLimit: number): number {
  const rows = first ?? last ?? defaultSize;
  const pages = Math.max(1, Math.ceil(rows / pageLimit));
  if (after !== null || before !== null) return rows + (anchorSearches + 1) * (Math.ceil((rows + 1) / pageLimit) + 3);
  if (first === null) return rows + pages + 2;
  return rows + pages + (offset > 0 ? 1 : 0);
}
