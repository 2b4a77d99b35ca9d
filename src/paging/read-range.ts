import { GatewayError } from '../errors.ts';
import { checkPage, type RowRange } from './page-check.ts';
import { firstPageOf } from './page-cover.ts';
import { PagesRead, rowsIn, type WantedBounds, type WiderBounds } from './pages-read.ts';
import { contradictionIn, type Source } from './source.ts';
import type { Bounds } from './window.ts';

/** Readings of a range of a list that moves meanwhile, its pages side by side; then they are read one after another. */
const rangeReadings = 3;

/** Rows of the page before with which each page of a moving list begins: one of them is still there as a rule. */
const sharedRows = 3;

/** Readings of a moving list by such pages, one after another: each time, the list had moved further than those rows reach. */
const stepwiseReadings = 3;

/** Rows that were read of a list, as far as is known at one moment. */
export interface ReadRange<Row> {
  /** The bounds that were asked for, cut to the list's length. */
  readonly bounds: Bounds;
  /** The rows of `bounds`, in order, from its start on without a gap. */
  readonly rows: readonly Row[];
  /** The row at a position of the list, also one that came along unasked; undefined where none was read. */
  readonly rowAt: (position: number) => Row | undefined;
  /** All rows that were read, asked for or not. */
  readonly parts: readonly RowRange<Row>[];
  /** The length of the list; null where it cannot be known. */
  readonly total: number | null;
}

/** How a range is read. */
interface HowToRead {
  readonly wider?: WiderBounds;
  /** Asks again for pages that this request has read already. */
  readonly fresh?: boolean;
}

/**
 * Reads a range of a list in as few calls as the page limits allow, side by side. Where pages report different lengths, or hold
 * the same row twice, rows came or went between them: the range is read again, at last one page after another. Throws what
 * `fetchPage` throws, UPSTREAM_BAD_RESPONSE where the list contradicts itself, and UPSTREAM_ERROR where it keeps changing.
 */
export async function readRange<Row>(
  source: Source<Row>,
  wanted: WantedBounds,
  how: HowToRead = {},
): Promise<ReadRange<Row>> {
  let pages = await readAtOnce(source, wanted, how);
  for (let readings = 1; pages.isTorn && readings < rangeReadings; readings++)
    pages = await readAtOnce(source, wanted, { ...how, fresh: true });
  const read = pages.isTorn ? await readInSteps(source, wanted, pages) : pages;
  return rangeOf(wanted(read.total), read);
}

async function readAtOnce<Row>(
  source: Source<Row>,
  wanted: WantedBounds,
  { wider, fresh = false }: HowToRead,
): Promise<PagesRead<Row>> {
  const pages = new PagesRead(source);
  for (let round = 0; ; round++) {
    const missing = pages.missing(wanted, wider);
    if (missing.length === 0 || pages.isTorn) return pages;
    await pages.ask(missing, (page) => source.fetchPage(page, fresh, round === 0 && !fresh));
  }
}

/** What was read, and the length of the list at that moment. */
type RowsRead<Row> = Pick<PagesRead<Row>, 'parts' | 'total'>;

/** The range of these bounds in what was read; null: of no bounds. */
export function rangeOf<Row>(asked: Bounds | null, { parts, total }: RowsRead<Row>): ReadRange<Row> {
  const bounds = asked ?? { from: 0, to: 0 };
  return {
    bounds,
    rows: rowsIn(bounds, parts),
    rowAt(position) {
      const part = parts.find(({ from, to }) => from <= position && position < to);
      return part?.rows[position - part.from];
    },
    parts,
    total,
  };
}

/**
 * Reads a range of a list that moves, one page after another. Throws UPSTREAM_ERROR where the list moves too far, and
 * UPSTREAM_BAD_RESPONSE where the pages contradict each other although the list kept its length.
 */
async function readInSteps<Row>(
  source: Source<Row>,
  wanted: WantedBounds,
  torn: PagesRead<Row>,
): Promise<RowsRead<Row>> {
  const totals = [...torn.totals];
  for (let readings = 0; readings < stepwiseReadings; readings++) {
    const read = await readStepwise(source, wanted, totals);
    if (read !== null) return read;
  }
  throw neverStill(source, totals);
}

/**
 * Each page begins with rows of the page before it, which show how far the list has moved meanwhile. So no row is left out or there
 * twice, however fast the list grows or shrinks. Positions are those of the time when the first page was read. Null where a page
 * begins with none of those rows, or the range begins elsewhere by now. Adds the lengths that are reported to `totals`.
 */
async function readStepwise<Row>(
  source: Source<Row>,
  wanted: WantedBounds,
  totals: number[],
): Promise<RowsRead<Row> | null> {
  const { most } = source.sizes;
  const rows: Row[] = [];
  let shift = 0;
  let total = totals.at(-1) ?? null;
  const from = wanted(total)?.from;
  for (;;) {
    const bounds = wanted(total);
    if (bounds === null || from === undefined || bounds.from !== from) return null;
    const to = from + rows.length;
    if (to >= bounds.to) return { parts: [{ from, to, rows }], total };
    const shared = Math.min(sharedRows, rows.length, Math.floor(most / 2));
    const start = Math.max(0, to + shift - shared);
    const page = firstPageOf({ from: start, to: Math.max(start, bounds.to + shift) + 1 }, most);
    const response = await source.fetchPage(page, true);
    // Rows that join those before them need no other proof of their positions, unclear as their page may be.
    const { part, end } = checkPage(page, response, source);
    if (response.totalResults !== null) totals.push(response.totalResults);
    const length = response.totalResults ?? end;
    const next = rows.length === 0 ? from - part.from : firstNew(part.rows, rows, source);
    if (next === null || (next >= part.rows.length && part.to < (length ?? Infinity))) return null;
    shift = part.from + next - to;
    total = length === null ? null : length - shift;
    for (const row of part.rows.slice(next)) rows.push(row);
  }
}

/** The index of the first new row; null where no known row is before it, or a new row is between known ones. */
function firstNew<Row>(rows: readonly Row[], known: readonly Row[], { identityOf }: Source<Row>): number | null {
  const names = new Set(known.map(identityOf));
  const isKnown = rows.map((row) => names.has(identityOf(row) ?? ''));
  const last = isKnown.lastIndexOf(true);
  return last < 0 || isKnown.slice(isKnown.indexOf(true), last).includes(false) ? null : last + 1;
}

function neverStill(source: Pick<Source<never>, 'noteContradiction'>, totals: readonly number[]): GatewayError {
  const isOneLength = totals.length > 0 && totals.every((total) => total === totals[0]);
  if (isOneLength)
    return contradictionIn(
      source,
      `it always says ${totals[0]} rows in all, but shows other rows in the same places each time`,
    );
  return new GatewayError('UPSTREAM_ERROR', {
    message: 'The list kept changing while it was read, so its rows cannot be put together.',
    retryable: true,
  });
}
