import { cursorNeighbours } from '../bounds.ts';
import type { Anchor, RowHash } from './anchor.ts';
import { encodeCursor } from './cursor.ts';
import { directionOf, type Direction, type Moment } from './moment.ts';
import type { Reading } from './window-reading.ts';

/** A page of a list as GraphQL shows it (Relay, "GraphQL Cursor Connections"). Cursors are made when they are asked for. */
export interface Connection<Row> {
  readonly rows: readonly Row[];
  readonly cursorAt: (index: number) => string;
  /** The cursor at which the next page begins, if that is not behind the last row. */
  readonly continuation?: string;
  readonly totalCount: number | null;
  /** How many rows of the list stand before the page; null where that cannot be known. */
  readonly offset: number | null;
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
}

/** One row of a connection and its index there. */
export interface Edge<Row> {
  readonly connection: Connection<Row>;
  readonly index: number;
}

type Moments = readonly (Moment | null)[];

/** What the cursors of a connection are made of besides its rows. */
interface CursorOrigin<Row> {
  /** The list that the cursors are tied to, its endpoint, filter and order; asked for when a cursor is made. */
  readonly list: () => string;
  readonly momentOf: (row: Row) => Moment | null;
  /** The newest moment of the chain of pages, by the moments of the rows; asked for when a cursor is made. Null where none binds it. */
  readonly newest: (moments: Moments) => Moment | null;
}

/** The connection of a reading. Where the length of the list is unknown, a full page is taken to have a next one. */
export function connectionOf<Row>(reading: Reading<Row>, origin: CursorOrigin<Row>): Connection<Row> {
  const { rows, bounds, total } = reading;
  let shared: Shared | undefined;
  return {
    rows,
    cursorAt(index) {
      const { list, ...inAll } = (shared ??= sharedBy(reading, origin));
      return encodeCursor(list, anchorAt(index, reading, inAll));
    },
    totalCount: total,
    offset: offsetOf(reading),
    hasNextPage: total === null ? rows.length === bounds.to - bounds.from : bounds.to < total,
    hasPreviousPage: bounds.from > 0 && total !== 0,
  };
}

/** The position of a page. An empty page may lie far behind the list's end: only the length, or the row before it, shows where. */
function offsetOf({ rows, rowAt, bounds, total }: Reading<unknown>): number | null {
  if (rows.length > 0) return bounds.from;
  if (total !== null) return Math.min(bounds.from, total);
  return bounds.from === 0 || rowAt(bounds.from - 1) !== undefined ? bounds.from : null;
}

/** What all cursors of a page have in common. */
interface Shared {
  readonly list: string;
  readonly moments: Moments;
  readonly direction: Direction | null;
  readonly newest: Moment | null;
}

function sharedBy<Row>(reading: Reading<Row>, { list, momentOf, newest }: CursorOrigin<Row>): Shared {
  const { rows, rowAt, bounds, direction } = reading;
  const moments = rows.map(momentOf);
  const seen = (row: Row | undefined): Moments => (row === undefined ? [] : [momentOf(row)]);
  const [earlier, later] = [rowAt(bounds.from - 1), rowAt(bounds.from + rows.length)];
  const run = rows.length === 0 ? 0 : directionOf([...seen(earlier), ...moments, ...seen(later)]);
  return { list: list(), moments, direction: run === 0 ? direction : run, newest: newest(moments) };
}

function anchorAt<Row>(
  index: number,
  { bounds, total, hashAt, rowAt }: Reading<Row>,
  { moments, direction, newest }: Omit<Shared, 'list'>,
): Anchor {
  const position = bounds.from + index;
  const before = hashesFrom(hashAt, position, -1, cursorNeighbours.before);
  const after = hashesFrom(hashAt, position, 1, cursorNeighbours.after);
  const moment = moments[index] ?? null;
  return {
    position,
    total,
    row: hashAt(position) ?? '',
    before,
    after,
    adjacent: {
      before: readFrom(rowAt, position, -1, before.length),
      after: readFrom(rowAt, position, 1, after.length),
    },
    time: moment === null || direction === null ? null : { moment, direction },
    newest,
  };
}

function hashesFrom(hashAt: Reading<unknown>['hashAt'], position: number, step: 1 | -1, most: number): RowHash[] {
  const hashes: RowHash[] = [];
  for (let hash; hashes.length < most; hashes.push(hash)) {
    hash = hashAt(position + step * (hashes.length + 1));
    if (hash === undefined) break;
  }
  return hashes;
}

/** How many rows beside a position were read, without a gap, at most so many. */
function readFrom(rowAt: Reading<unknown>['rowAt'], position: number, step: 1 | -1, most: number): number {
  let count = 0;
  while (count < most && rowAt(position + step * (count + 1)) !== undefined) count++;
  return count;
}

/** A connection for a client that asks for the length alone. */
export function countedConnection<Row>(totalCount: number | null): Connection<Row> {
  const cursorAt = (): string => '';
  return { rows: [], cursorAt, totalCount, offset: null, hasNextPage: false, hasPreviousPage: false };
}
