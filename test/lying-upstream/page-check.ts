import { expect } from 'vitest';
import type { Page, Window } from './client.ts';
import type { LyingList } from './lying-list.ts';

/**
 * A page must be one that an honest reader of the list could have been shown: the list as it is, or, where the upstream told
 * a smaller length and nothing of what was read contradicted it, as long as it told. Returns where it stands.
 */
export function expectPage(page: Page, { first, last, offset = 0 }: Window, list: LyingList): number {
  const { ids } = list;
  const shown = page.nodes.map(({ id }) => id);
  expect(new Set(shown).size, 'a row twice in one page').toBe(shown.length);
  const lengths = [ids.length, ...list.told.filter((length) => length < ids.length)];
  const slices = lengths.map((length) => sliceOf(ids.slice(0, length), { first, last, offset }));
  const fitting = slices.find((slice) => isShown(shown, slice, list));
  expect(fitting?.ids ?? slices[0]?.ids, `rows of ${JSON.stringify({ first, last, offset, told: list.told })}`).toEqual(
    fitting === undefined ? shown : fitting.ids,
  );
  if (fitting === undefined) return NaN;
  const end = fitting.from + shown.length;
  const isFull = shown.length === (first ?? last) || end === offset + (first ?? NaN);
  expectInfo(page, fitting.from, isFull, list);
  return fitting.from;
}

interface Slice {
  readonly from: number;
  readonly ids: readonly string[];
}

interface Bounds {
  readonly first: number | undefined;
  readonly last: number | undefined;
  readonly offset: number;
}

function sliceOf(ids: readonly string[], { first, last, offset }: Bounds): Slice {
  const end = first === undefined ? ids.length : Math.min(ids.length, offset + first);
  const from = last === undefined ? offset : Math.max(offset, end - last);
  return { from: Math.min(from, ids.length), ids: ids.slice(from, end) };
}

function isShown(shown: readonly string[], { from, ids }: Slice, list: LyingList): boolean {
  return (
    shown.length === ids.length &&
    shown.every((id, index) => id === ids[index] || list.shown.get(id)?.has(from + index) === true)
  );
}

/** What a page says of the list: what is so, what the upstream says it is, or that it is not known. */
export function expectInfo(
  { totalCount, offset, pageInfo, nodes }: Page,
  from: number,
  isFull: boolean,
  list: LyingList,
): void {
  const { ids, lies } = list;
  const { length } = ids;
  const count = nodes.length;
  const told = [length, ...list.told];
  if (totalCount !== null) expect(told, 'totalCount').toContain(totalCount);
  // A row that is shown in another one's place has two; one that is left out of a page moves those behind it.
  const isOff = offset !== null && offset !== from && (lies.rows === 'none' || Math.abs(offset - from) > 1);
  if (nodes.length > 0) expect(isOff, `offset ${offset} of a page at ${from}`).toBe(false);
  const end = from + count;
  if (pageInfo.hasNextPage) expect(told.some((each) => each > end) || isFull, 'a next page').toBe(true);
  else expect(Math.min(...told) <= end, 'no next page').toBe(true);
  if (count > 0) expect(pageInfo.hasPreviousPage, 'a previous page').toBe(from > 0);
}
