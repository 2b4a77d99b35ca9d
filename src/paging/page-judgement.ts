import { boundsOfPage, type Page, type PageSizes } from './page-cover.ts';
import type { PageRows } from './source.ts';
import type { Bounds } from './window.ts';

/** Rows and the positions at which they stand. */
export interface Part<Row> extends Bounds {
  readonly rows: readonly Row[];
}

/** What one page shows of its list: its rows are believed, and of what it says of itself only what they bear out. */
export interface Judgement<Row> {
  /** The rows, where it is certain at which positions they stand. */
  readonly part: Part<Row> | null;
  /** The rows where they stand if the page has the size that was asked for: it may be a smaller one, and another place. */
  readonly guess: Part<Row> | null;
  /** Whether `part` seems to be the list's end, though nothing but its shortness says so. */
  readonly isOpen: boolean;
  /** The list holds nothing from here on, as nothing contradicts that; null where the page says no such thing. */
  readonly emptyFrom: number | null;
  /** Whether the page is empty although nothing says that the list ends before it. */
  readonly isUnexplained: boolean;
  /** The page sizes that the upstream serves, where the page shows that they are others than was thought. */
  readonly range: PageSizes | null;
  /** The length of the list. */
  readonly total: number | null;
  /** How many pages of this size the list has; told where the length is not. */
  readonly pages: number | null;
  /** What contradicts what; null where nothing does. */
  readonly contradiction: string | null;
}

const nothing = {
  part: null,
  guess: null,
  isOpen: false,
  emptyFrom: null,
  isUnexplained: false,
  range: null,
  total: null,
  pages: null,
  contradiction: null,
} as const;

/** Judges the answer to a request for a page. A page with as many rows as were asked for is taken to be that page. */
export function judge<Row>(page: Page, answer: PageRows<Row>, pageLimit: number, served: PageSizes): Judgement<Row> {
  const { rows, pageNumber = null, totalResults: total } = answer;
  const { from } = boundsOfPage(page);
  const isPast = rows.length === 0 && total !== null && total <= from;
  if (pageNumber !== null && pageNumber !== page.number && !isPast)
    return { ...nothing, contradiction: `it says that it is page ${pageNumber}, where page ${page.number} was asked for` };
  if (rows.length > page.size) return judgeOverfull(page, answer, pageLimit);
  return rows.length === page.size ? judgeFull(page, answer) : judgeShort(page, answer, pageLimit, served);
}

function judgeFull<Row>(page: Page, { rows, totalResults, totalPages = null }: PageRows<Row>): Judgement<Row> {
  const { from, to } = boundsOfPage(page);
  const part = { from, to, rows };
  if (totalResults !== null && totalResults < to)
    return { ...nothing, part, contradiction: `it says ${totalResults} rows in all, and shows ${to} of them` };
  const pages = totalPages !== null && totalPages >= page.number ? totalPages : null;
  if (totalResults === null) return { ...nothing, part, pages };
  if (pages === null || pages <= Math.ceil(totalResults / page.size)) return { ...nothing, part, total: totalResults };
  return { ...nothing, part, contradiction: tooManyPages(totalResults, pages, page) };
}

/** The upstream has a size of its own, whatever it is asked for: then only its first page stands where it is expected. */
function judgeOverfull<Row>(page: Page, { rows, totalResults }: PageRows<Row>, pageLimit: number): Judgement<Row> {
  const count = rows.length;
  return {
    ...nothing,
    part: page.number === 1 ? { from: 0, to: count, rows } : null,
    range: count <= pageLimit ? { least: count, most: count } : null,
    total: page.number === 1 && totalResults !== null && totalResults < count ? null : totalResults,
    contradiction: `it holds ${count} rows, where ${page.size} were asked for`,
  };
}

/** The page is the list's end, or it was cut, or the upstream serves smaller pages than it was asked for. */
function judgeShort<Row>(
  page: Page,
  answer: PageRows<Row>,
  pageLimit: number,
  served: PageSizes,
): Judgement<Row> {
  const { rows, pageSize } = answer;
  const { from } = boundsOfPage(page);
  const count = rows.length;
  const isFirst = page.number === 1;
  const placed = { from, to: from + count, rows };
  const short = {
    ...nothing,
    part: isFirst && count > 0 ? placed : null,
    range: count > 0 ? { least: 1, most: count } : null,
  };
  const { total, pages, contradiction } = lengthsOf(page, answer);
  const holds = `page ${page.number} of ${page.size} holds ${count}`;

  if (total !== null) {
    const expected = Math.max(0, Math.min(total - from, page.size));
    // It may as well be a whole page of the smaller size that it tells, which stands elsewhere.
    const isAmbiguous = !isFirst && count > 0 && pageSize === count;
    if (count === expected && !isAmbiguous) return { ...nothing, part: count > 0 ? placed : null, total };
    if (count === expected) return { ...short, total };
    const excess = `it says ${total} rows in all, but ${holds}`;
    if (count > expected) return { ...short, isOpen: isFirst, contradiction: excess };
    const own = pageSize !== null && pageSize > page.size && pageSize <= pageLimit ? pageSize : null;
    const range = short.range ?? (own === null ? null : { least: own, most: own });
    return { ...short, range, total, isUnexplained: range === null && !isFirst, contradiction: excess };
  }
  const isLast = pages === null || page.number > pages || (page.number === pages && (count > 0 || isFirst));
  if (!isLast) return { ...short, contradiction: `it says ${pages} pages in all, but ${holds} rows` };
  if (count === 0) return { ...nothing, emptyFrom: from, isUnexplained: !isFirst, contradiction };
  if (isFirst) return { ...short, isOpen: true, contradiction };
  // Where the upstream has one page size of its own, each page stands where it is expected.
  if (served.least > 1) return { ...nothing, part: placed, emptyFrom: placed.to, contradiction };
  return { ...short, guess: placed, contradiction };
}

/** The length that a short page tells; none where its two ways of telling it contradict each other. */
function lengthsOf(
  page: Page,
  { rows, pageSize, totalResults, totalPages = null }: PageRows<unknown>,
): Pick<Judgement<unknown>, 'total' | 'pages' | 'contradiction'> {
  if (totalResults === null) {
    const pages = totalPages !== null && totalPages >= page.number ? totalPages : null;
    return { total: null, pages, contradiction: null };
  }
  const smallest = Math.min(page.size, pageSize ?? Infinity, rows.length === 0 ? Infinity : rows.length);
  if (totalPages === null || totalPages <= Math.max(1, Math.ceil(totalResults / smallest)))
    return { total: totalResults, pages: null, contradiction: null };
  return { total: null, pages: null, contradiction: tooManyPages(totalResults, totalPages, page) };
}

function tooManyPages(total: number, pages: number, { size }: Page): string {
  return `it says ${total} rows in all, and ${pages} pages of ${size}`;
}
