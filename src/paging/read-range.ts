import { rangeReadings, readingRounds } from '../bounds.ts';
import { allInOrder } from './all-in-order.ts';
import type { Page } from './page-cover.ts';
import type { RowRange } from './page-judgement.ts';
import { PageLedger, type Vouches } from './page-ledger.ts';
import { missingPages, noMargin, type Margin, type WantedBounds } from './page-plan.ts';
import { ServedSizes } from './served-sizes.ts';
import type { PageRows, Source } from './source.ts';
import { readStitched } from './stitched-reading.ts';
import type { Bounds } from './window.ts';

/** Rows that were read of a list, as far as is known at one moment. */
export interface ReadRange<Row> {
  /** The bounds that were asked for, cut to the list's length. */
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

/** What was read, and the length of the list at that moment. */
export interface PartsRead<Row> {
  readonly parts: readonly RowRange<Row>[];
  readonly total: number | null;
}

/**
 * Reads a range of a list in as few calls as the page limits allow, side by side. Where pages report different lengths, or hold
 * the same row twice, rows came or went between them: the range is read again, at last one page after another. Throws what
 * `fetchPage` throws, UPSTREAM_BAD_RESPONSE where the list contradicts itself, and UPSTREAM_ERROR where it keeps changing.
 */
export async function readRange<Row>(
  given: Source<Row>,
  wanted: WantedBounds,
  margin: Margin = noMargin,
  fresh = false,
  vouches?: Vouches<Row>,
): Promise<ReadRange<Row>> {
  const source = { ...given, served: given.served ?? new ServedSizes(given.pageLimit) };
  const read = (isFresh: boolean): Promise<PageLedger<Row>> =>
    readParts(source, new PageLedger(source, vouches), wanted, margin, isFresh);
  let ledger = await read(fresh);
  for (let readings = 1; ledger.isTorn; readings++) {
    if (readings === rangeReadings) return rangeOf(wanted, await readStitched(source, wanted, ledger));
    // Pages that seemed to be shorter may have been those of a shorter list.
    source.served.forget();
    ledger = await read(true);
  }
  return rangeOf(wanted, ledger);
}

async function readParts<Row>(
  source: Source<Row>,
  ledger: PageLedger<Row>,
  wanted: WantedBounds,
  margin: Margin,
  fresh: boolean,
): Promise<PageLedger<Row>> {
  for (let round = 0; round < readingRounds; round++) {
    const pages = missingPages(ledger, wanted, margin);
    if (pages.length === 0 || ledger.isTorn) return ledger;
    const isGiven = round === 0 && !fresh;
    await askFor(pages, ledger, (page) => source.fetchPage(page, fresh || ledger.hasAsked(page), isGiven));
  }
  throw ledger.contradictions.failure('The upstream keeps answering with other page sizes than it was asked for.');
}

/** Asks for pages side by side, and adds them to a ledger in their order; throws the failure of the first that failed. */
export async function askFor<Row>(
  pages: readonly Page[],
  ledger: PageLedger<Row>,
  fetchPage: (page: Page) => Promise<PageRows<Row>>,
): Promise<void> {
  const [only] = pages;
  if (pages.length === 1 && only !== undefined) return ledger.add(only, await fetchPage(only));
  const answers = await allInOrder(pages.map(fetchPage));
  for (const [index, answer] of answers.entries()) ledger.add(pages[index] as Page, answer);
  return undefined;
}

function rangeOf<Row>(wanted: WantedBounds, { parts, total }: PartsRead<Row>): ReadRange<Row> {
  const bounds = wanted(total) ?? { from: 0, to: 0 };
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
export function cut<Row>(bounds: Bounds, parts: readonly RowRange<Row>[]): readonly RowRange<Row>[] {
  const sorted = [...parts].sort((a, b) => a.from - b.from);
  const pieces: RowRange<Row>[] = [];
  let position = bounds.from;
  for (const { from, to, rows } of sorted) {
    const end = Math.min(to, bounds.to);
    if (from > position || end <= position) continue;
    pieces.push({ from: position, to: end, rows: rows.slice(position - from, end - from) });
    position = end;
  }
  return pieces;
}

function positionIn(parts: readonly RowRange<unknown>[], index: number): number {
  let rest = index;
  for (const part of parts) {
    if (rest < part.rows.length) return part.from + rest;
    rest -= part.rows.length;
  }
  throw new RangeError('There is no such row in this range.');
}
