import type { TurnsFragment } from '../generated/documents.ts';

/** The paging arguments of every connection of the schema: a page to ask for. */
export interface PageArguments {
  readonly first?: number;
  readonly after?: string;
  readonly last?: number;
  readonly before?: string;
}

/** The first page. */
export function head(size: number): PageArguments {
  return { first: size };
}

/** The last page. */
export function tail(size: number): PageArguments {
  return { last: size };
}

/** The page behind the shown one. */
export function pageAfter({ endCursor }: TurnsFragment, size: number): PageArguments {
  return endCursor === null ? head(size) : { first: size, after: endCursor };
}

/** The page before the shown one. */
export function pageBefore({ startCursor }: TurnsFragment, size: number): PageArguments {
  return startCursor === null ? tail(size) : { last: size, before: startCursor };
}
