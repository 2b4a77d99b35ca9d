import type { TurnsFragment } from '../generated/documents.ts';

/** The paging arguments of every connection of the schema. */
export interface PageArguments {
  readonly first?: number;
  readonly after?: string;
  readonly last?: number;
  readonly before?: string;
}

/**
 * A page to ask for, and which row it begins or ends with. A page tells its cursors but not where it stands, so the page
 * keeps count by hand.
 */
export interface Place {
  readonly arguments: PageArguments;
  readonly from?: number;
  readonly to?: number | null;
}

/** The rows that a page shows, counted from 1; null where that cannot be told. */
export interface Rows {
  readonly from: number;
  readonly to: number;
}

/** The first page. */
export function head(size: number): Place {
  return { arguments: { first: size }, from: 1 };
}

/** The last page. */
export function tail(size: number): Place {
  return { arguments: { last: size }, to: null };
}

/** The page behind the shown one. */
export function pageAfter({ endCursor }: TurnsFragment, rows: Rows | null, size: number): Place {
  const position = rows === null ? {} : { from: rows.to + 1 };
  return endCursor == null ? head(size) : { arguments: { first: size, after: endCursor }, ...position };
}

/** The page before the shown one. */
export function pageBefore({ startCursor }: TurnsFragment, rows: Rows | null, size: number): Place {
  const position = rows === null ? {} : { to: rows.from - 1 };
  return startCursor == null ? tail(size) : { arguments: { last: size, before: startCursor }, ...position };
}

/** Which rows a page turned out to hold. */
export function rowsAt({ from, to }: Place, held: number, total: number | null | undefined): Rows | null {
  if (held === 0) return null;
  if (from !== undefined) return { from, to: from + held - 1 };
  const end = to === null ? total : to;
  return end == null ? null : { from: end - held + 1, to: end };
}
