import type { Direction, Moment } from './moment.ts';
import { shortHash } from './short-hash.ts';

/** Names a row in a few characters: 36 bits of a hash of its identity, so that a cursor can carry several. */
export type Mark = string;

export const markLength = 6;

/** What a cursor carries: the row that it stands for, where it stood, and who stood around it. */
export interface Anchor {
  /** From 0, in the list as it was then. */
  readonly position: number;
  /** The length of the list then; null where it was not known. A guess at how far the row has moved. */
  readonly total: number | null;
  readonly mark: Mark;
  /** The rows before it, nearest first. */
  readonly before: readonly Mark[];
  /** The rows behind it, nearest first. */
  readonly after: readonly Mark[];
  /**
   * How many of those on either side were read beside the row, without a gap; the others are remembered from a page before,
   * and rows may have come between.
   */
  readonly adjacent: { readonly before: number; readonly after: number };
  /** When the row was made, and which way the list ran: the last resort. Null where the list is in no order of time. */
  readonly time: { readonly moment: Moment; readonly direction: Direction } | null;
  /** The newest moment of the chain's first page; null where the chain is not pinned. */
  readonly pin: Moment | null;
}

/** The mark of a row by its identity. */
export function markOf(identity: string): Mark {
  return shortHash(identity);
}

/** What a row without an identity looks like, however the numbers of its free-form values were read. */
export function looksOf(row: unknown): string {
  try {
    return JSON.stringify(row, (_name, value: unknown) => (json.isRawJSON(value) ? Number(value.rawJSON) : value));
  } catch {
    // Nested too deep to be asked value by value; as it is, it can still be written.
    return JSON.stringify(row);
  }
}

// TypeScript's library does not know this part of ECMAScript 2026 yet.
const json = JSON as typeof JSON & { isRawJSON(value: unknown): value is { readonly rawJSON: string } };

/**
 * A place in a list told by a row: the boundary between what an anchor has behind it and what lies before it. For `after`
 * the anchor's own row counts as read, for `before` it does not, so its boundary lies on the other side of it.
 */
export interface Reference {
  readonly mark: Mark;
  readonly position: number;
  /** The boundary stands this far behind `position`: 1 behind the row, 0 before it. */
  readonly shift: 0 | 1;
}

/** Which cursor is being followed: the same anchor bounds `after` and `before` on different sides of its row. */
export type Side = 'after' | 'before';

/**
 * The rows that can stand for an anchor, the best first: itself, then its neighbours, those already shown before the others.
 * Of those ahead of the reader only the adjacent ones: beyond a gap there may be rows that were never shown.
 */
export function candidatesOf(anchor: Anchor, side: Side): readonly Pick<Reference, 'mark' | 'shift'>[] {
  const own = { mark: anchor.mark, shift: side === 'after' ? 1 : 0 } as const;
  const ahead = side === 'after' ? anchor.adjacent.after : anchor.adjacent.before;
  const known = (marks: readonly Mark[], isAhead: boolean) => (isAhead ? marks.slice(0, ahead) : marks);
  const before = known(anchor.before, side === 'before').map((mark) => ({ mark, shift: 1 }) as const);
  const after = known(anchor.after, side === 'after').map((mark) => ({ mark, shift: 0 }) as const);
  return side === 'after' ? [own, ...before, ...after] : [own, ...after, ...before];
}
