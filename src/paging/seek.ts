import { candidatesOf, markOf, type Anchor, type Mark, type Reference } from './anchor.ts';
import { compareMoments, directionOf } from './moment.ts';
import { readStretch, type Source, type Stretch } from './stretch.ts';

/** Which cursor is being followed: the same anchor bounds `after` and `before` on different sides of its row. */
export type Side = 'after' | 'before';

/** The mark of a row; a row without an identity is known by its looks. */
export function markOfRow<Row>({ identityOf }: Source<Row>, row: Row): Mark {
  return markOf(identityOf(row) ?? JSON.stringify(row));
}

/**
 * Finds where an anchor that has moved is now: in what has just been read; else page by page, outwards from where the
 * list's growth would have put it. Only when the whole list (or `pageBudget` pages of it) has been looked through is the
 * row taken to be gone, and its nearest surviving neighbour stands in. Where none survives, the order of time tells the
 * place if the list has one; else the growth of the list does. The place found is still to be verified by reading it.
 */
export async function seek<Row>(
  source: Source<Row>,
  anchor: Anchor,
  side: Side,
  seen: Stretch<Row>,
  pageBudget: number,
): Promise<Reference> {
  const found = new Map<Mark, number>();
  const rows = new Map<number, Row>();
  const wanted = new Set([anchor.mark, ...anchor.before, ...anchor.after]);
  const note = (stretch: Stretch<Row>): void => {
    for (const [index, row] of stretch.rows.entries()) {
      const position = stretch.positionAt(index);
      const mark = markOfRow(source, row);
      rows.set(position, row);
      if (wanted.has(mark)) found.set(mark, position);
    }
  };
  const own = (): Reference | undefined => referencesOf(anchor, side, found).find(({ mark }) => mark === anchor.mark);

  note(seen);
  let { total } = seen;
  for (const block of blocksAround(expectedPosition(anchor, total), source.pageLimit, pageBudget)) {
    if (own() !== undefined || isSurrounded(source, anchor, found, rows)) break;
    if (total !== null && block * source.pageLimit >= total) continue;
    const from = block * source.pageLimit;
    const stretch = await readStretch(source, () => ({ from, to: from + source.pageLimit }), undefined, true);
    note(stretch);
    // Where nobody tells the length, an empty page does.
    total = stretch.total ?? (stretch.rows.length === 0 ? from : total);
  }
  return own() ?? referencesOf(anchor, side, found)[0] ?? estimate(source, anchor, side, rows, total);
}

/**
 * Whether the anchor's place has been seen without it, so that it must be gone: between a neighbour from before it and one
 * from behind it, or between a newer and an older row, with no position between them unread.
 */
function isSurrounded<Row>(
  source: Source<Row>,
  anchor: Anchor,
  found: ReadonlyMap<Mark, number>,
  rows: ReadonlyMap<number, Row>,
): boolean {
  const positionsOf = (marks: readonly Mark[]): readonly number[] => marks.flatMap((mark) => found.get(mark) ?? []);
  const before = Math.max(...positionsOf(anchor.before));
  const behind = Math.min(...positionsOf(anchor.after));
  if (Number.isFinite(before) && Number.isFinite(behind) && isRead(rows, before, behind)) return true;
  const boundary = boundaryByTime(source, anchor, rows);
  if (boundary === null || !isRead(rows, boundary - 1, boundary)) return false;
  const [newest, oldest] = [rows.get(boundary - 1), rows.get(boundary)];
  const moments = [newest, oldest].map((row) => (row === undefined ? null : source.momentOf(row)));
  // Rows of the anchor's own moment may stand on either side of it.
  return moments.every((moment) => moment !== null && moment !== anchor.time?.moment);
}

function isRead(rows: ReadonlyMap<number, unknown>, from: number, to: number): boolean {
  for (let position = from; position <= to; position++) if (!rows.has(position)) return false;
  return true;
}

/** Where a row stands if all that came or went did so before it. */
function expectedPosition({ position, total }: Anchor, now: number | null): number {
  return total === null || now === null ? position : Math.max(0, position + now - total);
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

function referencesOf(anchor: Anchor, side: Side, found: ReadonlyMap<Mark, number>): readonly Reference[] {
  return candidatesOf(anchor, side).flatMap(({ mark, shift }) => {
    const position = found.get(mark);
    return position === undefined ? [] : [{ mark, shift, position }];
  });
}

/** A place to go on from when all remembered rows are gone: before the row there now, which vouches for it. */
function estimate<Row>(
  source: Source<Row>,
  anchor: Anchor,
  side: Side,
  rows: ReadonlyMap<number, Row>,
  total: number | null,
): Reference {
  const boundary = boundaryByTime(source, anchor, rows) ?? expectedPosition(anchor, total) + (side === 'after' ? 1 : 0);
  const position = Math.min(boundary, total ?? boundary);
  const row = rows.get(position);
  return { mark: row === undefined ? '' : markOfRow(source, row), position, shift: 0 };
}

/** The first position behind the anchor's moment, where the rows run in time the way they did when it was made. */
function boundaryByTime<Row>(
  { momentOf }: Source<Row>,
  { time }: Anchor,
  rows: ReadonlyMap<number, Row>,
): number | null {
  const ordered = [...rows].sort(([a], [b]) => a - b);
  const moments = ordered.map(([, row]) => momentOf(row));
  const now = directionOf(moments);
  if (time === null || now === null || now * time.direction < 0) return null;
  const direction = now === 0 ? time.direction : now;
  if (direction === 0) return null;
  const index = moments.findIndex((moment) => moment !== null && compareMoments(moment, time.moment) * direction > 0);
  return index < 0 ? (ordered.at(-1)?.[0] ?? -1) + 1 : (ordered[index]?.[0] ?? null);
}
