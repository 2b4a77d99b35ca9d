import type { Bounds } from './window.ts';

/** One page of the upstream: number from 1. Page p of size s holds the positions from (p-1)·s to p·s. */
export interface Page {
  readonly number: number;
  readonly size: number;
}

/** The page sizes that the upstream honours, both included. */
export interface PageSizes {
  readonly least: number;
  readonly most: number;
}

/** The positions that a page holds. */
export function boundsOfPage({ number, size }: Page): Bounds {
  return { from: (number - 1) * size, to: number * size };
}

/**
 * The fewest pages that hold all positions of `bounds`, none depending on another's answer. From the first uncovered
 * position on, the page that reaches furthest is taken each time (which no other choice can beat); where several reach
 * the end, the smallest, so that little is read for nothing.
 */
export function coverOf(bounds: Bounds, sizes: PageSizes): readonly Page[] {
  const pages: Page[] = [];
  for (let position = bounds.from; position < bounds.to;) {
    const page = furthestPage(position, bounds.to, sizes);
    pages.push(page);
    position = page.number * page.size;
  }
  return pages;
}

function furthestPage(position: number, end: number, { least, most }: PageSizes): Page {
  let best = { number: Math.floor(position / most) + 1, size: most };
  for (let size = least; size <= most; size++) {
    const page = { number: Math.floor(position / size) + 1, size };
    const reach = page.number * size;
    if (reach >= end) return page;
    if (reach > best.number * best.size) best = page;
  }
  return best;
}

/** What of `bounds` none of the sorted or unsorted `covered` stretches holds, in order. */
export function uncovered(bounds: Bounds, covered: readonly Bounds[]): readonly Bounds[] {
  let gaps: readonly Bounds[] = bounds.from < bounds.to ? [bounds] : [];
  for (const stretch of covered) gaps = gaps.flatMap((gap) => without(gap, stretch));
  return gaps;
}

function without(gap: Bounds, stretch: Bounds): readonly Bounds[] {
  const left = { from: gap.from, to: Math.min(gap.to, stretch.from) };
  const right = { from: Math.max(gap.from, stretch.to), to: gap.to };
  if (left.to >= gap.to || right.from <= gap.from) return [gap];
  return [left, right].filter(({ from, to }) => from < to);
}
