import { directionOf, type Moment } from '../moment.ts';
import { hashOfRow } from './anchor.ts';
import { cursorNeighbours, cursorsOf, type CursorPage, type Cursors } from './cursor.ts';
import type { PagesRead } from './pages-read.ts';
import type { Reading } from './window-reading.ts';

/** A page of a list as GraphQL shows it (Relay, "GraphQL Cursor Connections"). */
export interface Connection<Row> {
  readonly rows: readonly Row[];
  readonly cursors: Cursors;
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

/** What the cursors of a connection are made of besides its rows; asked for when a cursor is made. */
interface CursorOrigin {
  /** The list that the cursors are tied to: its endpoint, filter and order. */
  readonly list: () => string;
  /** The newest moment of the chain of pages, by the moments of the rows. Null where none binds it. */
  readonly newest: (moments: readonly (Moment | null)[]) => Moment | null;
}

/** The connection of a reading. Where the length of the list is unknown, a full page is taken to have a next one. */
export function connectionOf<Row>(reading: Reading<Row>, origin: CursorOrigin): Connection<Row> {
  const { rows, total } = reading;
  const { from, to } = reading.bounds;
  return {
    rows,
    cursors: cursorsOf(() => cursorPageOf(reading, origin)),
    totalCount: total,
    // An empty page may lie far behind the end of a list that does not tell its length.
    offset: rows.length === 0 && total === null ? null : Math.min(from, total ?? Infinity),
    // Where nothing was asked for, there is no cursor from which to go on.
    hasNextPage: total === null ? rows.length > 0 && rows.length === to - from : to < total,
    hasPreviousPage: from > 0 && total !== 0,
  };
}

function cursorPageOf<Row>(reading: Reading<Row>, { list, newest }: CursorOrigin): CursorPage {
  const { rows, pages, bounds, total } = reading;
  const { source } = pages;
  const { from } = bounds;
  const moments = rows.map(source.momentOf);
  const momentsAt = (index: number): readonly (Moment | null)[] =>
    [pages.rowAt(index)].flatMap((row) => (row === undefined ? [] : [source.momentOf(row)]));
  const direction = directionOf([...momentsAt(from - 1), ...moments, ...momentsAt(from + rows.length)]);
  return {
    list: list(),
    from,
    total,
    moments,
    direction,
    newest: newest(moments),
    beside: {
      before: readFrom(pages, from - 1, -1, cursorNeighbours.before),
      after: readFrom(pages, from + rows.length, 1, cursorNeighbours.after),
    },
    hashAt: (index) => hashOfRow(source, pages.rowAt(from + index)),
  };
}

/** How many rows were read from a position on, without a gap, at most so many. */
function readFrom<Row>(pages: PagesRead<Row>, position: number, step: 1 | -1, most: number): number {
  let count = 0;
  while (count < most && pages.rowAt(position + step * count) !== undefined) count++;
  return count;
}

/** A connection for a client that asks for the length alone. */
export function countedConnection<Row>(totalCount: number | null): Connection<Row> {
  const cursors = { at: () => '', write: () => {} };
  return { rows: [], cursors, totalCount, offset: null, hasNextPage: false, hasPreviousPage: false };
}
