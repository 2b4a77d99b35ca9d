import { GatewayError } from '../errors.ts';
import { boundsOfPage, coverOf, uncovered, type Page, type PageSizes } from './page-cover.ts';
import { boundsOf, type Bounds, type Window } from './window.ts';

/** One page as the upstream sent it; null where it did not say. */
export interface PageRows<Row> {
  readonly rows: readonly Row[];
  readonly totalResults: number | null;
  readonly pageSize: number | null;
}

export type FetchPage<Row> = (page: Page) => Promise<PageRows<Row>>;

/** What has been read of a list. */
export interface Reading<Row> {
  /** The rows of the window, in order. */
  readonly rows: readonly Row[];
  /** Where in the list the row at this index of `rows` stands, from 0. */
  readonly positionAt: (index: number) => number;
  /** Where the window stands after all that was learned. */
  readonly bounds: Bounds;
  /** The length of the list; null where it cannot be known. */
  readonly total: number | null;
}

// One round finds the end of the list, one learns the upstream's true page size, one reads what those left open.
const mostRounds = 4;

/** The stretch of a list that one page brought. */
interface Part<Row> extends Bounds {
  readonly rows: readonly Row[];
}

/**
 * Reads a window in as few calls as the page limits allow, side by side. Where the upstream used another page size than
 * it was asked for, the size it names is believed and what is still missing is read again by that size. Throws what
 * `fetchPage` throws, or UPSTREAM_BAD_RESPONSE where the page sizes never come to rest.
 */
export async function readWindow<Row>(
  window: Window,
  pageLimit: number,
  fetchPage: FetchPage<Row>,
): Promise<Reading<Row>> {
  const parts: Part<Row>[] = [];
  let sizes: PageSizes = { least: 1, most: pageLimit };
  let total: number | null = null;

  for (let round = 0; round < mostRounds; round++) {
    const pages: readonly Page[] = missingPages(window, total, parts, sizes);
    if (pages.length === 0) return reading(window, parts, total);
    const answers = await Promise.all(pages.map(async (page) => ({ page, answer: await fetchPage(page) })));
    for (const { page, answer } of answers) {
      const size = usedSize(page, answer);
      if (size !== page.size) sizes = size < page.size ? { least: 1, most: size } : { least: size, most: size };
      parts.push(partOf({ number: page.number, size }, answer.rows));
      total = totalOf(answer, { number: page.number, size }) ?? total;
    }
  }
  throw new GatewayError('UPSTREAM_BAD_RESPONSE', {
    message: 'The upstream keeps answering with other page sizes than it was asked for.',
  });
}

/** The length of a list, found with a page of one row. */
export async function readTotal<Row>(fetchPage: FetchPage<Row>): Promise<number | null> {
  const page = { number: 1, size: 1 };
  const answer = await fetchPage(page);
  return totalOf(answer, { ...page, size: usedSize(page, answer) });
}

/** The window of a list that is here already. */
export function sliceWindow<Row>(window: Window, rows: readonly Row[]): Reading<Row> {
  return reading(window, [{ from: 0, to: rows.length, rows }], rows.length);
}

function missingPages<Row>(
  window: Window,
  total: number | null,
  parts: readonly Part<Row>[],
  sizes: PageSizes,
): readonly Page[] {
  const bounds = boundsOf(window, total);
  if (bounds === null) {
    // Only the total can tell. The largest page makes this the only call for a list that fits into it.
    if (parts.length === 0) return [{ number: 1, size: sizes.most }];
    throw new GatewayError('UPSTREAM_BAD_RESPONSE', {
      message: 'The upstream does not say how long this list is, so its end cannot be found.',
    });
  }
  if (bounds.from === bounds.to && parts.length === 0) return [{ number: 1, size: sizes.least }];
  return uncovered(bounds, parts).flatMap((gap) => coverOf(gap, sizes));
}

/** `meta.page_size` is believed over what was asked, unless the rows themselves contradict it. */
function usedSize({ size }: Page, { rows, pageSize }: PageRows<unknown>): number {
  return pageSize !== null && rows.length <= pageSize ? pageSize : size;
}

function partOf<Row>(page: Page, rows: readonly Row[]): Part<Row> {
  return { ...boundsOfPage(page), rows: rows.length > page.size ? rows.slice(0, page.size) : rows };
}

/** What the upstream says, but never less than what was seen; a page that is not full tells the end by itself. */
function totalOf({ rows, totalResults }: PageRows<unknown>, page: Page): number | null {
  const { from } = boundsOfPage(page);
  const seen = rows.length === 0 ? 0 : from + Math.min(rows.length, page.size);
  if (totalResults !== null) return Math.max(totalResults, seen);
  const isLast = rows.length < page.size && (rows.length > 0 || page.number === 1);
  return isLast ? seen : null;
}

function reading<Row>(window: Window, parts: readonly Part<Row>[], total: number | null): Reading<Row> {
  const bounds = boundsOf(window, total) ?? { from: window.lower, to: window.lower };
  const used = stretchesOf(bounds, parts);
  const rows = used.length === 1 && used[0] !== undefined ? used[0].rows : used.flatMap((part) => part.rows);
  return { rows, positionAt: (index) => positionIn(used, index), bounds, total };
}

/** The parts cut to the window, in order, without overlap. */
function stretchesOf<Row>(bounds: Bounds, parts: readonly Part<Row>[]): readonly Part<Row>[] {
  const sorted = [...parts].sort((a, b) => a.from - b.from);
  const stretches: Part<Row>[] = [];
  let position = bounds.from;
  for (const { from, to, rows } of sorted) {
    const end = Math.min(to, bounds.to);
    if (from > position || end <= position) continue;
    stretches.push({ from: position, to: end, rows: rows.slice(position - from, end - from) });
    position = end;
  }
  return stretches;
}

function positionIn(parts: readonly Part<unknown>[], index: number): number {
  let rest = index;
  for (const part of parts) {
    if (rest < part.rows.length) return part.from + rest;
    rest -= part.rows.length;
  }
  throw new RangeError('There is no such row in this reading.');
}
