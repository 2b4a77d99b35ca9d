import type { Bounds } from './window.ts';

/** One page of the upstream. Numbers begin at 1: page p of size s holds the positions from (p-1)·s to p·s. */
export interface Page {
  readonly number: number;
  readonly size: number;
}

/** The positions that a page holds. */
export function boundsOfPage({ number, size }: Page): Bounds {
  return { from: (number - 1) * size, to: number * size };
}

/**
 * The fewest pages of at most `most` rows that hold all positions of `bounds`. No page depends on the response for another. At
 * the first uncovered position it takes the page that reaches furthest, which no other choice can beat. Where several pages
 * reach the end, it takes the smallest, so that few other rows are read.
 */
export function coverOf({ from, to }: Bounds, most: number): readonly Page[] {
  const pages: Page[] = [];
  for (let position = from; position < to;) {
    const page = firstPageOf({ from: position, to }, most);
    pages.push(page);
    position = page.number * page.size;
  }
  return pages;
}

/** The page that holds the first position of `bounds` and reaches furthest; the smallest of those that reach the end. */
function firstPageOf({ from, to }: Bounds, most: number): Page {
  if (from === 0) return { number: 1, size: Math.min(Math.max(to, 1), most) };
  let best = { number: Math.floor(from / most) + 1, size: most };
  for (let size = 1; size <= most; size++) {
    const page = { number: Math.floor(from / size) + 1, size };
    const reach = page.number * size;
    if (reach >= to) return page;
    if (reach > best.number * best.size) best = page;
  }
  return best;
}

/** The parts of `bounds` that no range of `covered` holds, in order; `covered` may be in any order. */
export function uncovered(bounds: Bounds, covered: readonly Bounds[]): readonly Bounds[] {
  let gaps: readonly Bounds[] = bounds.from < bounds.to ? [bounds] : [];
  for (const range of covered) gaps = gaps.flatMap((gap) => without(gap, range));
  return gaps;
}

function without(gap: Bounds, range: Bounds): readonly Bounds[] {
  const left = { from: gap.from, to: Math.min(gap.to, range.from) };
  const right = { from: Math.max(gap.from, range.to), to: gap.to };
  if (left.to >= gap.to || right.from <= gap.from) return [gap];
  return [left, right].filter(({ from, to }) => from < to);
}
