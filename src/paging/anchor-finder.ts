import { GatewayError } from '../errors.ts';
import type { Anchor, Reference, Side } from './anchor.ts';
import { BudgetSpent } from './call-budget.ts';
import { AnchorSearch, expectedPosition, type Gap } from './anchor-search.ts';
import { largestServed, type Source } from './source.ts';
import { readRange, type ReadRange } from './read-range.ts';
import type { Bounds } from './window.ts';

/** Where an anchor is, or what stands in for it, by the rows of one range; null where these do not show it. */
export function locateAnchor<Row>(
  source: Source<Row>,
  anchor: Anchor,
  side: Side,
  seen: ReadRange<Row>,
): Reference | null {
  const search = new AnchorSearch(source, anchor, side);
  search.add(seen);
  return search.locate(seen.total);
}

/** The best row of a range that can stand for an anchor, whether or not a better one may be elsewhere; null without any. */
export function nearestIn<Row>(
  source: Source<Row>,
  anchor: Anchor,
  side: Side,
  seen: ReadRange<Row>,
): Reference | null {
  const search = new AnchorSearch(source, anchor, side);
  search.add(seen);
  return search.nearest();
}

/**
 * Finds an anchor that has moved: in the range that has just been read, else page by page, outwards from the position where the
 * list's growth would have put it. Pages are read only where the anchor's neighbours and the order of time leave room for it.
 *
 * When all of these have been read, the row is taken to be gone, and its nearest neighbour that is left stands in for it. Where
 * none is left, the order of time shows the position; in a list without such an order, the growth of the list does. The caller
 * verifies the position by reading it. Throws QUERY_TOO_COMPLEX where `most` calls show none of that, and UPSTREAM_BAD_RESPONSE
 * where rows refute the length that the search went by.
 */
export async function findAnchor<Row>(
  source: Source<Row>,
  anchor: Anchor,
  side: Side,
  seen: ReadRange<Row>,
  most: number,
): Promise<Reference> {
  const search = new AnchorSearch(source, anchor, side);
  search.add(seen);
  let { total } = seen;
  const sizeOf = (): number => largestServed(source);
  try {
    for (const bounds of blocksAround(expectedPosition(anchor, total), sizeOf, most)) {
      const known = search.locate(total);
      if (known !== null) return known;
      if (!overlaps(search.gap(total), bounds)) continue;
      const range = await readRange(source, () => bounds, undefined, true);
      search.add(range);
      // By this length the search skipped positions at which the row may be.
      const believed = total;
      if (believed !== null && range.total === null && range.read.some(({ to }) => to > believed))
        throw refuted(believed);
      // An empty page shows the length of a list that does not report it.
      total = range.total ?? (range.rows.length === 0 ? bounds.from : total);
    }
  } catch (error) {
    if (!(error instanceof BudgetSpent)) throw error;
  }
  const found = search.locate(total) ?? search.standIn(total);
  if (found !== null) return found;
  throw new GatewayError('QUERY_TOO_COMPLEX', {
    message: `The row of the cursor has moved, and ${most} calls did not find it. Begin again without the cursor.`,
    excess: { limit: most, actual: most + 1 },
  });
}

function refuted(total: number): GatewayError {
  return new GatewayError('UPSTREAM_BAD_RESPONSE', {
    message: `The upstream's list contradicts itself: it says ${total} rows in all, and shows rows behind them.`,
  });
}

function overlaps({ low, high }: Gap, { from, to }: Bounds): boolean {
  return low + 1 < to && from < high;
}

/** Page-sized blocks of a list: the one that holds `position`, then those above and below it, ever further out. */
function* blocksAround(position: number, sizeOf: () => number, most: number): Generator<Bounds> {
  const blockAt = (at: number): Bounds => {
    const from = Math.floor(at / sizeOf()) * sizeOf();
    return { from, to: from + sizeOf() };
  };
  let { from: low, to: high } = blockAt(position);
  yield { from: low, to: high };
  for (let count = 1; count < most;) {
    const above = blockAt(high);
    high = above.to;
    yield above;
    count++;
    if (low > 0) {
      const below = blockAt(low - 1);
      low = below.from;
      yield below;
      count++;
    }
  }
}
