import { defaultPageSize, largestPageSize } from '../bounds.ts';
import { badArgument } from '../errors.ts';
import type { Anchor } from './anchor.ts';

/** The paging arguments of every connection. */
export interface WindowArguments {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
  readonly last?: number | null | undefined;
  readonly before?: string | null | undefined;
  readonly offset?: number | null | undefined;
}

/** The paging arguments, checked and decoded. */
export interface Window {
  readonly first: number | null;
  readonly last: number | null;
  readonly offset: number;
  readonly after: Anchor | null;
  readonly before: Anchor | null;
}

/** A window whose cursors have become positions, from 0. */
export interface PositionedWindow {
  /** The first position that may be shown. */
  readonly lower: number;
  /** The first position behind all that may be shown; null where only the list's end bounds it. */
  readonly upper: number | null;
  readonly first: number | null;
  readonly last: number | null;
}

/** Half-open: `from` is shown, `to` is not. */
export interface Bounds {
  readonly from: number;
  readonly to: number;
}

/**
 * Checks the paging arguments and turns them into a window (Relay, "GraphQL Cursor Connections", with `offset` beside it).
 * Without `first` and `last` a page has 20 rows: those before `before` if only that is given. Throws BAD_USER_INPUT.
 */
export function windowOf(args: WindowArguments, decode: (cursor: string) => Anchor | null): Window {
  const first = sizeOf(args.first, 'first');
  const last = sizeOf(args.last, 'last');
  const after = anchorOf(args.after, 'after', decode);
  const before = anchorOf(args.before, 'before', decode);
  const offset = offsetOf(args);
  if (first !== null || last !== null) return { first, last, offset, after, before };
  const backward = before !== null && after === null;
  return { first: backward ? null : defaultPageSize, last: backward ? defaultPageSize : null, offset, after, before };
}

/** The size of a page that an argument asks for; null where it asks for none. Throws BAD_USER_INPUT beyond `largestPageSize`. */
export function sizeOf(value: number | null | undefined, name: 'first' | 'last'): number | null {
  if (value == null) return null;
  if (value < 0 || value > largestPageSize)
    throw badArgument([name], `${name} must be from 0 to ${largestPageSize}; it was ${value}.`);
  return value;
}

function anchorOf(
  cursor: string | null | undefined,
  name: 'after' | 'before',
  decode: (cursor: string) => Anchor | null,
): Anchor | null {
  if (cursor == null) return null;
  const anchor = decode(cursor);
  if (anchor !== null) return anchor;
  throw badArgument([name], `${name} must be a cursor of this same list, with the same filter and order.`);
}

function offsetOf({ offset, first, last, after, before }: WindowArguments): number {
  if (offset == null) return 0;
  if (offset < 0) throw badArgument(['offset'], `offset must be 0 or more; it was ${offset}.`);
  if (first == null || last != null) throw badArgument(['offset'], 'offset goes with first, and not with last.');
  if (after != null || before != null) throw badArgument(['offset'], 'offset cannot be combined with after or before.');
  return offset;
}

/**
 * The positions of a window in a list of `total` rows (null: not known yet). Null where they depend on an unknown total: the last
 * rows of a list that has not reported its length.
 */
export function boundsOf({ lower, upper, first, last }: PositionedWindow, total: number | null): Bounds | null {
  const end = Math.min(upper ?? Infinity, first === null ? Infinity : lower + first, total ?? Infinity);
  if (end === Infinity) return null;
  // With both, `last` counts from the true end of `first`'s rows, so all of those are read while the end is unknown.
  const cut = last !== null && (first === null || total !== null);
  const from = cut ? Math.max(lower, end - last) : lower;
  return { from, to: Math.max(from, end) };
}
