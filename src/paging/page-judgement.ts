import { boundsOfPage, type Page } from './page-cover.ts';
import type { LearnedSize, ServedSizes } from './served-sizes.ts';
import type { PageRows } from './source.ts';
import type { Bounds } from './window.ts';

/** Rows and the positions at which they stand. */
export interface RowRange<Row> extends Bounds {
  readonly rows: readonly Row[];
}

/** What one page shows of its list. Its rows are believed; its counts only where the rows agree with them. */
export interface PageJudgement<Row> {
  /** The rows, where it is certain at which positions they stand. */
  readonly part: RowRange<Row> | null;
  /**
   * The rows at the positions of the page that was asked for; the page may have another size, and stand elsewhere.
   * `isOpen`: if so they seem to be the last ones of the list, though nothing says so.
   */
  readonly guess: { readonly part: RowRange<Row>; readonly isOpen: boolean } | null;
  /** Whether `part` seems to be the list's end, though nothing but its shortness says so. */
  readonly isOpen: boolean;
  /** The list holds nothing from here on, as nothing contradicts that; null where the page says no such thing. */
  readonly emptyFrom: number | null;
  /** Whether the page is empty although nothing says that the list ends before it. */
  readonly isUnexplained: boolean;
  /** The page size that the upstream serves, where the page shows that it is another than was asked for. */
  readonly learned: LearnedSize | null;
  /** The length of the list. */
  readonly total: number | null;
  /** Whether the rows stand there only if they are the first ones without a gap, though the page should hold more of them. */
  readonly isUnsure: boolean;
  /** How many pages of this size the list has, where the page does not report the length. */
  readonly pages: number | null;
  /** The contradiction in the page, in words; null without one. */
  readonly contradiction: string | null;
}

/** A page that shows nothing. */
export const nothingShown = {
  part: null,
  guess: null,
  isOpen: false,
  isUnsure: false,
  emptyFrom: null,
  isUnexplained: false,
  learned: null,
  total: null,
  pages: null,
  contradiction: null,
} as const;

/** Judges the response to a request for a page. A page with as many rows as were asked for is taken to be that page. */
export function judge<Row>(
  page: Page,
  answer: PageRows<Row>,
  pageLimit: number,
  served: ServedSizes,
): PageJudgement<Row> {
  const { rows, pageNumber = null, totalResults: total } = answer;
  const { from } = boundsOfPage(page);
  const isPast = rows.length === 0 && total !== null && total <= from;
  if (pageNumber !== null && pageNumber !== page.number && !isPast)
    return {
      ...nothingShown,
      contradiction: `it says that it is page ${pageNumber}, where page ${page.number} was asked for`,
    };
  if (rows.length > page.size) return judgeOverfull(page, answer, pageLimit);
  return rows.length === page.size ? judgeFull(page, answer, served) : judgeShort(page, answer, pageLimit, served);
}

function judgeFull<Row>(page: Page, answer: PageRows<Row>, served: ServedSizes): PageJudgement<Row> {
  const { rows, totalResults: total, totalPages = null, pageSize } = answer;
  const { from, to } = boundsOfPage(page);
  const placed = { from, to, rows };
  const least = total === null ? 0 : Math.ceil(total / page.size);
  // The last page of a larger size may have just as many rows as were asked for.
  const isOther = (pageSize ?? 0) > page.size || (total !== null && totalPages !== null && totalPages < least);
  const isGuessed = isOther && page.number > 1 && !served.isOwn && !served.isBehindEnd(page.size);
  const shown = isGuessed
    ? { ...nothingShown, guess: { part: placed, isOpen: false } }
    : { ...nothingShown, part: placed };
  if (total !== null && total < to)
    return { ...shown, contradiction: `it says ${total} rows in all, and shows ${to} of them` };
  const pages = totalPages !== null && totalPages >= page.number ? totalPages : null;
  if (total === null) return { ...shown, pages };
  if (pages === null || pages <= least) return { ...shown, total };
  return { ...shown, contradiction: tooManyPages(total, pages, page) };
}

/** The upstream has a size of its own, whatever it is asked for: then only its first page stands where it is expected. */
function judgeOverfull<Row>(
  page: Page,
  { rows, totalResults, pageSize }: PageRows<Row>,
  pageLimit: number,
): PageJudgement<Row> {
  const count = rows.length;
  if (pageSize !== null && pageSize > count) {
    // By its own size there should be more of them, unless the list has no more.
    const isLast = totalResults === (page.number - 1) * pageSize + count;
    if (!isLast)
      return { ...nothingShown, contradiction: `it says that a page has ${pageSize} rows, and holds ${count}` };
    if (page.number > 1 && pageSize <= pageLimit)
      return { ...nothingShown, learned: { size: pageSize, isOwn: true }, total: totalResults };
  }
  const contradiction = `it holds ${count} rows, where ${page.size} were asked for`;
  // It may be the last page, which is shorter than the others; the first one shows their size.
  if (page.number > 1) return { ...nothingShown, isUnexplained: true, total: totalResults, contradiction };
  return {
    ...nothingShown,
    part: { from: 0, to: count, rows },
    learned: count <= pageLimit ? { size: count, isOwn: true } : null,
    total: totalResults !== null && totalResults < count ? null : totalResults,
    contradiction,
  };
}

/** The page is the list's end, or it was cut, or the upstream serves smaller pages than it was asked for. */
function judgeShort<Row>(
  page: Page,
  answer: PageRows<Row>,
  pageLimit: number,
  served: ServedSizes,
): PageJudgement<Row> {
  const { rows, pageSize } = answer;
  const { from } = boundsOfPage(page);
  const count = rows.length;
  const isFirst = page.number === 1;
  const placed = { from, to: from + count, rows };
  // Where the upstream has one page size of its own, each page stands where it is expected.
  const isPlaced = isFirst || served.isOwn || (served.isWhole(page.size) && pageSize !== count);
  const short = {
    ...nothingShown,
    part: isFirst && count > 0 ? placed : null,
    learned: count > 0 ? { size: count, isOwn: false } : null,
  };
  const { total, pages, contradiction } = lengthsOf(page, answer, served.range.most);
  const holds = `page ${page.number} of ${page.size} holds ${count}`;

  if (total !== null) {
    const expected = Math.max(0, Math.min(total - from, page.size));
    const isOwn = pageSize !== null && pageSize > page.size && pageSize <= pageLimit;
    if (count === 0 && expected === 0) return { ...nothingShown, total, isUnexplained: isOwn && !isFirst };
    if (count === expected && isPlaced) return { ...nothingShown, part: placed, total };
    if (count === expected) return { ...nothingShown, guess: { part: placed, isOpen: false }, total };
    const excess = `it says ${total} rows in all, but ${holds}`;
    if (count > expected) return { ...short, isOpen: isFirst, contradiction: excess };
    const isKnown = pageSize === served.range.most;
    const own = isOwn && !served.isBehindEnd(page.size) ? { size: pageSize, isOwn: isKnown } : null;
    const isLastOfOwn = own !== null && count > 0 && total === (page.number - 1) * own.size + count;
    const learned = isLastOfOwn ? own : (short.learned ?? own);
    const isUnsure = short.part !== null && pageSize !== count;
    return { ...short, learned, total, isUnsure, isUnexplained: learned === null && !isFirst, contradiction: excess };
  }
  const isLast = pages === null || page.number > pages || (page.number === pages && (count > 0 || isFirst));
  if (!isLast) return { ...short, contradiction: `it says ${pages} pages in all, but ${holds} rows` };
  if (count === 0) return { ...nothingShown, emptyFrom: from, isUnexplained: !isFirst, contradiction };
  if (isFirst) return { ...short, isOpen: true, contradiction };
  if (served.isOwn) return { ...nothingShown, part: placed, emptyFrom: placed.to, contradiction };
  return { ...nothingShown, guess: { part: placed, isOpen: true }, contradiction };
}

/** The length that a short page reports; none where its two counts contradict each other. */
function lengthsOf(
  page: Page,
  { rows, pageSize, totalResults, totalPages = null }: PageRows<unknown>,
  largest: number,
): Pick<PageJudgement<unknown>, 'total' | 'pages' | 'contradiction'> {
  if (totalResults === null) {
    const pages = totalPages !== null && totalPages >= page.number ? totalPages : null;
    return { total: null, pages, contradiction: null };
  }
  // Pages may be counted by any of the sizes that the upstream can have in mind.
  const smallest = Math.min(page.size, largest, pageSize ?? Infinity, rows.length === 0 ? Infinity : rows.length);
  if (totalPages === null || totalPages <= Math.max(1, Math.ceil(totalResults / smallest)))
    return { total: totalResults, pages: null, contradiction: null };
  return { total: null, pages: null, contradiction: tooManyPages(totalResults, totalPages, page) };
}

function tooManyPages(total: number, pages: number, { size }: Page): string {
  return `it says ${total} rows in all, and ${pages} pages of ${size}`;
}
