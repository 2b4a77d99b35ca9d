import type { Direction, Moment } from './moment.ts';
import { shortHash } from './short-hash.ts';

/** Names a row in a few characters: 36 bits of a hash of its identity, so that a cursor can carry several. */
export type Mark = string;

export const markLength = 6;

/** What a cursor carries: the row that it stands for, the row's position, and the rows around it. */
export interface Anchor {
  /** From 0, in the list as it was then. */
  readonly position: number;
  /** The length of the list then; null where it was not known. How much it has grown suggests how far the row has moved. */
  readonly total: number | null;
  readonly mark: Mark;
  /** The rows before it, nearest first. */
  readonly before: readonly Mark[];
  /** The rows behind it, nearest first. */
  readonly after: readonly Mark[];
  /**
   * How many of the rows on either side were read together with the row, without a gap. The others are remembered from a page
   * before, and rows may have come between.
   */
  readonly adjacent: { readonly before: number; readonly after: number };
  /** The row's moment and the list's direction in time: the last resort. Null where the list is in no order of time. */
  readonly time: { readonly moment: Moment; readonly direction: Direction } | null;
  /** The newest moment on the first page of a chain of pages; null where the chain is not pinned. */
  readonly pin: Moment | null;
}

/** The mark of a row by its identity. */
export function markOf(identity: string): Mark {
  return shortHash(identity);
}

/**
 * A boundary in a list, named by a row: it parts the rows that the reader has passed from those ahead. For `after` the anchor's
 * own row has been passed, for `before` it has not, so the boundary lies on the other side of it.
 */
export interface Reference {
  readonly mark: Mark;
  readonly position: number;
  /** The boundary is `position + shift`: 1 lies behind the row, 0 before it. */
  readonly shift: 0 | 1;
}

/** The argument that a cursor is given for: it bounds the page on this side of the cursor's row. */
export type Side = 'after' | 'before';

/**
 * The rows that can stand for an anchor, the best first: its own row, then its neighbours. Neighbours that were already shown
 * come before the others. Of the neighbours ahead of the reader only the adjacent ones can stand for it: beyond a gap there
 * may be rows that were never shown.
 */
export function candidatesOf(anchor: Anchor, side: Side): readonly Pick<Reference, 'mark' | 'shift'>[] {
  const own = { mark: anchor.mark, shift: side === 'after' ? 1 : 0 } as const;
  const ahead = side === 'after' ? anchor.adjacent.after : anchor.adjacent.before;
  const known = (marks: readonly Mark[], isAhead: boolean) => (isAhead ? marks.slice(0, ahead) : marks);
  const before = known(anchor.before, side === 'before').map((mark) => ({ mark, shift: 1 }) as const);
  const after = known(anchor.after, side === 'after').map((mark) => ({ mark, shift: 0 }) as const);
  return side === 'after' ? [own, ...before, ...after] : [own, ...after, ...before];
}
