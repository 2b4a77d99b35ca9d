import { encodeCursor } from './cursor.ts';
import type { Reading } from './reading.ts';

/** A page of a list as GraphQL shows it (Relay, "GraphQL Cursor Connections"). Cursors are made when they are asked for. */
export interface Connection<Row> {
  /** What its cursors are tied to. */
  readonly list: string;
  readonly rows: readonly Row[];
  readonly cursorAt: (index: number) => string;
  readonly totalCount: number | null;
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
}

/** One row of a connection and its index there. */
export interface Edge<Row> {
  readonly connection: Connection<Row>;
  readonly index: number;
}

/** The connection of what was read. Where the length of the list is unknown, a full page is taken to have a next one. */
export function connectionOf<Row>(list: string, { rows, positionAt, bounds, total }: Reading<Row>): Connection<Row> {
  return {
    list,
    rows,
    cursorAt: (index) => encodeCursor(list, positionAt(index)),
    totalCount: total,
    hasNextPage: total === null ? rows.length === bounds.to - bounds.from : bounds.to < total,
    hasPreviousPage: bounds.from > 0 && total !== 0,
  };
}

/** A connection of which only the length was asked for. */
export function countedConnection<Row>(list: string, totalCount: number | null): Connection<Row> {
  const cursorAt = (): string => '';
  return { list, rows: [], cursorAt, totalCount, hasNextPage: false, hasPreviousPage: false };
}
