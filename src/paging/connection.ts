import { cursorNeighbours } from '../bounds.ts';
import type { Anchor, Mark } from './anchor.ts';
import { encodeCursor } from './cursor.ts';
import { directionOf, type Direction, type Moment } from './moment.ts';
import type { Reading } from './reading.ts';

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
export interface CursorOrigin<Row> {
  /** The list that the cursors are tied to, its endpoint, filter and order; asked for when a cursor is made. */
  readonly list: () => string;
  readonly momentOf: (row: Row) => Moment | null;
  /** The pin of the chain of pages, by the moments of the rows; asked for when a cursor is made. Null where there is none. */
  readonly pin: (moments: Moments) => Moment | null;
}

/** The connection of a reading. Where the length of the list is unknown, a full page is taken to have a next one. */
export function connectionOf<Row>(reading: Reading<Row>, { list, momentOf, pin }: CursorOrigin<Row>): Connection<Row> {
  const { rows, positionAt, markAt, rowAt, bounds, total } = reading;
  let key: string | undefined;
  let direction: Direction | null | undefined;
  let known: Moment | null | undefined;
  let moments: Moments | undefined;

  /** The moments of all rows, which the first cursor needs already. */
  function momentsOfRows(): Moments {
    return (moments ??= rows.map(momentOf));
  }

  function timeAt(index: number): Anchor['time'] {
    if (direction === undefined) direction = runOf(reading, momentsOfRows(), momentOf);
    const moment = momentsOfRows()[index] ?? null;
    return moment === null || direction === null ? null : { moment, direction };
  }

  return {
    rows,
    cursorAt(index) {
      const position = positionAt(index);
      const before = marksFrom(markAt, position, -1, cursorNeighbours.before);
      const after = marksFrom(markAt, position, 1, cursorNeighbours.after);
      return encodeCursor((key ??= list()), {
        position,
        total,
        mark: markAt(position) ?? '',
        before,
        after,
        adjacent: {
          before: readFrom(rowAt, position, -1, before.length),
          after: readFrom(rowAt, position, 1, after.length),
        },
        time: timeAt(index),
        pin: known === undefined ? (known = pin(momentsOfRows())) : known,
      });
    },
    totalCount: total,
    offset: offsetOf(reading),
    hasNextPage: total === null ? rows.length === bounds.to - bounds.from : bounds.to < total,
    hasPreviousPage: bounds.from > 0 && total !== 0,
  };
}

/** The position of a page. An empty page may lie far behind the list's end: only the length, or the row before it, shows where. */
function offsetOf({ rows, positionAt, rowAt, bounds, total }: Reading<unknown>): number | null {
  if (rows.length > 0) return positionAt(0);
  if (total !== null) return Math.min(bounds.from, total);
  return bounds.from === 0 || rowAt(bounds.from - 1) !== undefined ? bounds.from : null;
}

/** The list's direction in time: by the rows of the page, else by the cursor that led here. */
function runOf<Row>(
  { rows, rowAt, positionAt, direction }: Reading<Row>,
  moments: Moments,
  momentOf: CursorOrigin<Row>['momentOf'],
): Direction | null {
  if (rows.length === 0) return direction;
  const before = rowAt(positionAt(0) - 1);
  const after = rowAt(positionAt(rows.length - 1) + 1);
  const earlier = before === undefined ? [] : [momentOf(before)];
  const later = after === undefined ? [] : [momentOf(after)];
  const run = directionOf([...earlier, ...moments, ...later]);
  return run === 0 ? direction : run;
}

function marksFrom(markAt: Reading<unknown>['markAt'], position: number, step: 1 | -1, most: number): readonly Mark[] {
  const marks: Mark[] = [];
  for (let distance = 1; distance <= most; distance++) {
    const mark = markAt(position + step * distance);
    if (mark === undefined) break;
    marks.push(mark);
  }
  return marks;
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
