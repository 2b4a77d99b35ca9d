import { GatewayError } from '../errors.ts';
import { allInOrder } from './all-in-order.ts';
import { boundsOfPage, coverOf, uncovered, type Page, type PageSizes } from './page-cover.ts';
import type { PageRows, Source } from './source.ts';
import type { Bounds } from './window.ts';

/** What has been read of a list, at one moment of its life as far as can be told. */
export interface Stretch<Row> {
  /** What was asked for, after all that was learned of the list's length. */
  readonly bounds: Bounds;
  /** The rows of `bounds`, in order. */
  readonly rows: readonly Row[];
  /** Where the row at this index of `rows` stands in the list, from 0. */
  readonly positionAt: (index: number) => number;
  /** The row at a position of the list, also one that came along unasked; undefined where none was read. */
  readonly rowAt: (position: number) => Row | undefined;
  /** All positions that were read, asked for or not. */
  readonly read: readonly Bounds[];
  /** The length of the list; null where it cannot be known. */
  readonly total: number | null;
}

/** What to read, once the list's length is known, and null while it must be known first. */
export type Wanted = (total: number | null) => Bounds | null;

/** Rows around the wanted ones that are welcome as long as they cost no further call. */
export interface Margin {
  readonly before: number;
  readonly after: number;
}

interface Part<Row> extends Bounds {
  readonly rows: readonly Row[];
}

const noMargin: Margin = { before: 0, after: 0 };
// One round finds the end of the list, one learns the upstream's true page size, one reads what those left open.
const mostRounds = 4;
const mostReadings = 3;

/**
 * Reads a stretch of a list in as few calls as the page limits allow, side by side. Where several pages disagree on the
 * list's length, or hold the same row twice, rows came or went between them: the stretch is read again. Throws what
 * `fetchPage` throws, or UPSTREAM_BAD_RESPONSE where the page sizes never come to rest.
 */
export async function readStretch<Row>(
  source: Source<Row>,
  wanted: Wanted,
  margin: Margin = noMargin,
  fresh = false,
): Promise<Stretch<Row>> {
  let reading = await readParts(source, wanted, margin, fresh);
  for (let readings = 1; readings < mostReadings && isTorn(source, reading); readings++) {
    reading = await readParts(source, wanted, margin, true);
  }
  const { parts, total } = reading;
  return stretchOf(wanted(total) ?? { from: 0, to: 0 }, parts, total);
}

interface PartsRead<Row> {
  readonly parts: readonly Part<Row>[];
  readonly totals: ReadonlySet<number>;
  readonly total: number | null;
}

async function readParts<Row>(
  source: Source<Row>,
  wanted: Wanted,
  margin: Margin,
  fresh: boolean,
): Promise<PartsRead<Row>> {
  const parts: Part<Row>[] = [];
  const totals = new Set<number>();
  let sizes: PageSizes = { least: 1, most: source.pageLimit };
  let total: number | null = null;

  for (let round = 0; round < mostRounds; round++) {
    const pages: readonly Page[] = missingPages(wanted(total), parts, sizes, round === 0 ? margin : noMargin);
    if (pages.length === 0) return { parts, totals, total };
    const answers = await allInOrder(
      pages.map(async (page) => ({ page, answer: await source.fetchPage(page, fresh) })),
    );
    for (const { page, answer } of answers) {
      const size = usedSize(page, answer);
      if (size !== page.size) sizes = size < page.size ? { least: 1, most: size } : { least: size, most: size };
      const used = { number: page.number, size };
      const length = lengthOf(answer, used);
      if (length !== null) totals.add(length);
      total = length ?? total;
      parts.push(partOf(used, answer.rows));
    }
  }
  throw new GatewayError('UPSTREAM_BAD_RESPONSE', {
    message: 'The upstream keeps answering with other page sizes than it was asked for.',
  });
}

function missingPages<Row>(
  bounds: Bounds | null,
  parts: readonly Part<Row>[],
  sizes: PageSizes,
  margin: Margin,
): readonly Page[] {
  if (bounds === null) {
    // Only the total can tell. The largest page makes this the only call for a list that fits into it.
    if (parts.length === 0) return [{ number: 1, size: sizes.most }];
    throw new GatewayError('UPSTREAM_BAD_RESPONSE', {
      message: 'The upstream does not say how long this list is, so its end cannot be found.',
    });
  }
  if (bounds.from === bounds.to && parts.length === 0) return [{ number: 1, size: sizes.least }];
  const pages = uncovered(bounds, parts).flatMap((gap) => coverOf(gap, sizes));
  if (margin.before === 0 && margin.after === 0) return pages;
  const wider = coverOf({ from: Math.max(0, bounds.from - margin.before), to: bounds.to + margin.after }, sizes);
  return wider.length <= pages.length ? wider : pages;
}

/** `meta.page_size` is believed over what was asked, unless the rows themselves contradict it. */
function usedSize({ size }: Page, { rows, pageSize }: PageRows<unknown>): number {
  return pageSize !== null && rows.length <= pageSize ? pageSize : size;
}

function partOf<Row>(page: Page, rows: readonly Row[]): Part<Row> {
  return { ...boundsOfPage(page), rows: rows.length > page.size ? rows.slice(0, page.size) : rows };
}

/** What the upstream says, but never less than what was seen; a page that is not full tells the end by itself. */
function lengthOf({ rows, totalResults }: PageRows<unknown>, page: Page): number | null {
  const { from } = boundsOfPage(page);
  const seen = rows.length === 0 ? 0 : from + Math.min(rows.length, page.size);
  if (totalResults !== null) return Math.max(totalResults, seen);
  const isLast = rows.length < page.size && (rows.length > 0 || page.number === 1);
  return isLast ? seen : null;
}

function isTorn<Row>({ identityOf }: Source<Row>, { parts, totals }: PartsRead<Row>): boolean {
  if (parts.length < 2) return false;
  if (totals.size > 1) return true;
  const places = new Map<string, number>();
  return parts.some(({ from, rows }) =>
    rows.some((row, index) => {
      const identity = identityOf(row);
      if (identity === null) return false;
      const place = places.get(identity) ?? from + index;
      places.set(identity, place);
      return place !== from + index;
    }),
  );
}

function stretchOf<Row>(bounds: Bounds, parts: readonly Part<Row>[], total: number | null): Stretch<Row> {
  const used = cut(bounds, parts);
  const [only] = used;
  return {
    bounds,
    rows: used.length === 1 && only !== undefined ? only.rows : used.flatMap((part) => part.rows),
    positionAt: (index) => positionIn(used, index),
    rowAt(position) {
      const part = parts.find(({ from, to }) => from <= position && position < to);
      return part?.rows[position - part.from];
    },
    read: parts,
    total,
  };
}

/** The parts cut to the bounds, in order, without overlap. */
function cut<Row>(bounds: Bounds, parts: readonly Part<Row>[]): readonly Part<Row>[] {
  const sorted = [...parts].sort((a, b) => a.from - b.from);
  const pieces: Part<Row>[] = [];
  let position = bounds.from;
  for (const { from, to, rows } of sorted) {
    const end = Math.min(to, bounds.to);
    if (from > position || end <= position) continue;
    pieces.push({ from: position, to: end, rows: rows.slice(position - from, end - from) });
    position = end;
  }
  return pieces;
}

function positionIn(parts: readonly Part<unknown>[], index: number): number {
  let rest = index;
  for (const part of parts) {
    if (rest < part.rows.length) return part.from + rest;
    rest -= part.rows.length;
  }
  throw new RangeError('There is no such row in this stretch.');
}
