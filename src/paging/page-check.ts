import { boundsOfPage, type Page } from './page-cover.ts';
import { contradictionIn, type PageRows, type ServedSizes, type Source } from './source.ts';
import type { Bounds } from './window.ts';

/** Rows and the positions at which they stand. */
export interface RowRange<Row> extends Bounds {
  readonly rows: readonly Row[];
}

/** What one page shows of its list. */
export interface CheckedPage<Row> {
  /** The rows at the positions of the page; where `isUnclear`, they may be the rows of other positions. */
  readonly part: RowRange<Row>;
  /** Whether the page only makes sense if the upstream serves smaller pages: the first page of its size will show that. */
  readonly isUnclear: boolean;
  /** The largest page that the upstream serves, where the page shows that it is smaller than was asked for. */
  readonly most: number | null;
  /** The page is the first, short, and does not tell the list's length: the page behind it shows whether this is all. */
  readonly isOpen: boolean;
  /** The position from which on the list has no rows, where a page shows it that does not tell the length. */
  readonly end: number | null;
}

/**
 * Checks a page against what it says of itself and of its list. A page that agrees with its own `meta` is believed. A list may have
 * smaller pages than were asked for: `meta.page_size` tells it, or fewer rows come than the total promises; their size is learned.
 * Any other contradiction throws UPSTREAM_BAD_RESPONSE.
 */
export function checkPage<Row>(page: Page, response: PageRows<Row>, source: Source<Row>): CheckedPage<Row> {
  const checked = shownBy(page, response, source.sizes);
  if (typeof checked === 'string') throw contradictionIn(source, checked);
  if (checked.most !== null) learnSize(checked.most, source);
  return checked;
}

/** Learns the largest page of a list; throws UPSTREAM_BAD_RESPONSE where it has shown another. */
export function learnSize(most: number, source: Pick<Source<never>, 'sizes' | 'noteContradiction'>): void {
  const { sizes } = source;
  if (!sizes.learn(most)) throw contradictionIn(source, `its pages hold now ${sizes.most} rows, now ${most}`);
}

/**
 * What contradicts a page's total, or its number, in words; null if nothing does. It looks at no size that was asked for: any is right
 * for a count.
 */
export function totalFault({ number, size }: Page, response: PageRows<unknown>): string | null {
  const { rows, totalResults: total, totalPages = null, pageSize, pageNumber = null } = response;
  const count = rows.length;
  const isBehindEnd = count === 0 && total !== null && total <= (number - 1) * Math.min(size, pageSize ?? size);
  if (pageNumber !== null && pageNumber !== number && !isBehindEnd)
    return `it says that it is page ${pageNumber}, where page ${number} was asked for`;
  if (total === null) return null;
  // Whatever size its pages have, those before it hold no fewer rows each.
  if (count * number > total)
    return `it says ${total} rows in all, but page ${number} of ${Math.min(size, pageSize ?? size)} holds ${count}`;
  // A page that is not the last holds as many rows as pages have: the size that it says may be one that nobody serves.
  const whole = Math.min(count, pageSize ?? count);
  if (totalPages === null || totalPages <= Math.max(1, number) || total > (totalPages - 1) * whole) return null;
  return `it says ${total} rows in all, but also that they take ${totalPages} pages`;
}

/** What a page shows; its contradiction in words, where it has one. */
function shownBy<Row>(page: Page, response: PageRows<Row>, sizes: ServedSizes): CheckedPage<Row> | string {
  const fault = totalFault(page, response);
  if (fault !== null) return fault;
  const { rows, totalResults: total, totalPages = null, pageSize } = response;
  const { number } = page;
  const size = Math.min(page.size, pageSize ?? page.size);
  const { from } = boundsOfPage({ number, size });
  const count = rows.length;
  const expected = total === null ? size : Math.max(0, Math.min(size, total - from));
  const isTold = size < page.size && count < (total ?? Infinity);
  const agreeing: CheckedPage<Row> = {
    part: { from, to: from + count, rows },
    isUnclear: false,
    most: isTold ? size : null,
    isOpen: false,
    end: total === null && totalPages === number && count > 0 ? from + count : null,
  };

  // It was asked for before its list was known to have smaller pages.
  if (size > sizes.most) return { ...agreeing, part: { from, to: from, rows: [] }, most: null, end: null };
  if (count > size) return `it holds ${count} rows, where ${size} were asked for`;
  if (number > 1 && !isTold && !sizes.isProven(size) && isOdd(response, page, expected, sizes))
    return { ...agreeing, isUnclear: true, end: null };
  if (count === expected) return agreeing;

  if (total === null) {
    if (count === 0 || sizes.isProven(size)) return { ...agreeing, end: from + count };
    return number === 1 ? { ...agreeing, isOpen: true, end: null } : { ...agreeing, isUnclear: true, end: null };
  }
  if (count === 0 || count > expected || isTold || sizes.isProven(size))
    return `it says ${total} rows in all, but page ${number} of ${size} holds ${count}`;
  // It is read again by its own size, to be sure that no row is missing.
  return { ...agreeing, part: { from, to: from, rows: [] }, most: count };
}

/** Whether a page behind the first can be neither the whole nor the last page of its size, or its size is doubted. */
function isOdd(response: PageRows<unknown>, page: Page, expected: number, { isDoubted }: ServedSizes): boolean {
  const { rows, totalResults, totalPages = null, pageSize } = response;
  const isLast = rows.length < page.size && rows.length > 0 && totalResults !== null;
  const hasNext = totalPages !== null && totalPages > page.number;
  const isUnproven = isLast && rows.length === expected && (hasNext || isDoubted);
  return rows.length > expected || isUnproven || (pageSize ?? 0) > page.size;
}
