import { GatewayError } from '../errors.ts';

import { PagesRead, rowsIn, type RowRange, type WantedBounds, type WiderBounds } from './pages-read.ts';
import { contradictionIn, type Source } from './source.ts';
import type { Bounds } from './window.ts';

/** Readings of a range of a list that moves meanwhile; then it is left to the caller to ask again. */
const rangeReadings = 3;

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
 * Reads a range of a list in as few calls as the page limits allow, side by side. If pages report different lengths, or hold
 * the same row twice, rows came or went between them: the range is read again, three times at most. Throws what `fetchPage`
 * throws, UPSTREAM_BAD_RESPONSE for a list that contradicts itself, and a retryable UPSTREAM_ERROR for one that keeps changing.
 */
export async function readRange<Row>(
  source: Source<Row>,
  wanted: WantedBounds,
  how: HowToRead = {},
): Promise<ReadRange<Row>> {
  const totals: number[] = [];
  for (let readings = 0; readings < rangeReadings; readings++) {
    const pages = await readAtOnce(source, wanted, readings === 0 ? how : { ...how, fresh: true });
    if (pages.change === 'none') return rangeOf(wanted(pages.total), pages);
    totals.push(...pages.totals);
  }
  throw neverStill(source, totals);
}

async function readAtOnce<Row>(
  source: Source<Row>,
  wanted: WantedBounds,
  { wider, fresh = false }: HowToRead,
): Promise<PagesRead<Row>> {
  const pages = new PagesRead(source);
  for (let round = 0; ; round++) {
    const missing = pages.missing(wanted, wider);
    if (missing.length === 0 || pages.change !== 'none') return pages;
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
