import type { Anchor, Reference, Side } from './anchor.ts';
import { createSighting, expectedPosition, type Gap } from './sighting.ts';
import type { Source } from './source.ts';
import { readStretch, type Stretch } from './stretch.ts';

/** Where an anchor is, or what stands in for it, as far as one stretch can tell; null where it cannot. */
export function locate<Row>(source: Source<Row>, anchor: Anchor, side: Side, seen: Stretch<Row>): Reference | null {
  const sighting = createSighting(source, anchor, side);
  sighting.note(seen);
  return sighting.locate(seen.total);
}

/**
 * Finds where an anchor that has moved is now: in what has just been read; else page by page, outwards from where the
 * list's growth would have put it, and only where its neighbours and the order of time leave room for it. When all of that
 * (or `pageBudget` pages) has been looked through the row is taken to be gone, and its nearest surviving neighbour stands
 * in. Where none survives, the order of time tells the place if the list has one; else the growth of the list does. The
 * place found is still to be verified by reading it.
 */
export async function seek<Row>(
  source: Source<Row>,
  anchor: Anchor,
  side: Side,
  seen: Stretch<Row>,
  pageBudget: number,
): Promise<Reference> {
  const sighting = createSighting(source, anchor, side);
  sighting.note(seen);
  let { total } = seen;
  for (const block of blocksAround(expectedPosition(anchor, total), source.pageLimit, pageBudget)) {
    const known = sighting.locate(total);
    if (known !== null) return known;
    const from = block * source.pageLimit;
    const to = from + source.pageLimit;
    if (!overlaps(sighting.gap(total), from, to)) continue;
    const stretch = await readStretch(source, () => ({ from, to }), undefined, true);
    sighting.note(stretch);
    // Where nobody tells the length, an empty page does.
    total = stretch.total ?? (stretch.rows.length === 0 ? from : total);
  }
  return sighting.settle(total);
}

function overlaps({ low, high }: Gap, from: number, to: number): boolean {
  return low + 1 < to && from < high;
}

/** Page-sized blocks of a list, by number from 0: the one that holds `position`, then its neighbours, ever further out. */
function* blocksAround(position: number, size: number, most: number): Generator<number> {
  const middle = Math.floor(position / size);
  yield middle;
  for (let distance = 1, count = 1; count < most; distance++) {
    yield middle + distance;
    count++;
    if (distance <= middle) {
      yield middle - distance;
      count++;
    }
  }
}
