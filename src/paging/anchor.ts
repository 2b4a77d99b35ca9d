import { numberOf } from '../json.ts';
import type { Direction, Moment } from '../moment.ts';

/** Names a row: 36 bits of a hash of its identity, so that a cursor can carry several. */
export type RowHash = number;

const halfBits = 18;

/** The largest of all hashes, and one that no row has and that is less than all of them. */
export const lastHash: RowHash = 2 ** (2 * halfBits) - 1;
export const noRow: RowHash = -1;

/** What a cursor carries: the row that it stands for, the row's position, and the rows around it. */
export interface Anchor {
  /** From 0, in the list as it was then. */
  readonly position: number;
  /** The length of the list then; null where it was not known. How much it has grown suggests how far the row has moved. */
  readonly total: number | null;
  readonly row: RowHash;
  /** The rows before it that were read together with it, nearest first. */
  readonly before: readonly RowHash[];
  /** The rows behind it that were read together with it, nearest first. */
  readonly after: readonly RowHash[];
  /** The row's moment and the list's direction in time: the last resort. Null where the list is in no order of time. */
  readonly time: { readonly moment: Moment; readonly direction: Direction } | null;
  /** The newest moment on the first page of a chain of pages, which keeps later rows out of it; null where nothing does. */
  readonly newest: Moment | null;
}

/** The argument that a cursor is given for: it bounds the page on this side of the cursor's row. */
export type Side = 'after' | 'before';

/**
 * A boundary in a list, named by a row: it parts the rows that the reader has passed from those ahead. For `after` the anchor's
 * own row has been passed, for `before` it has not, so the boundary lies on the other side of it.
 */
export interface Reference {
  readonly row: RowHash;
  readonly position: number;
  /** The boundary is `position + shift`: 1 lies behind the row, 0 before it. */
  readonly shift: 0 | 1;
}

/**
 * The rows that can stand for an anchor, the best first: its own row, then its neighbours. Neighbours that were already shown
 * come before the others.
 */
export function candidatesOf(anchor: Anchor, side: Side): readonly Pick<Reference, 'row' | 'shift'>[] {
  const isAfter = side === 'after';
  const own = { row: anchor.row, shift: isAfter ? 1 : 0 } as const;
  const above = anchor.before.map((row) => ({ row, shift: 1 }) as const);
  const below = anchor.after.map((row) => ({ row, shift: 0 }) as const);
  return isAfter ? [own, ...above, ...below] : [own, ...below, ...above];
}

/** Tells a row from all others of its list; null for a row without an identity. */
export type Identify<Row> = (row: Row) => string | null;

/** Names a row of a list; `noRow` where there is none. */
export function hashOfRow<Row>({ identityOf }: { readonly identityOf: Identify<Row> }, row: Row | undefined): RowHash {
  return row === undefined ? noRow : hashOf(identityOf(row) ?? looksOf(row));
}

/** The text that a row without an identity is known by: all of it, however the numbers of its free-form values were read. */
export function looksOf(row: unknown): string {
  try {
    return JSON.stringify(row, (_name, value: unknown) => numberOf(value) ?? value);
  } catch {
    // Too deeply nested for a replacer; as it is, it can still be written.
    return JSON.stringify(row);
  }
}

/**
 * 36 bits of a hash of a text: evenly spread, quick, the same in every process, and no secret. A caller who makes two texts of one
 * hash only confuses rows of the caller's own lists.
 */
export function hashOf(text: string): RowHash {
  const { length } = text;
  let left = 0x243f_6a88 ^ length;
  let right = 0x85a3_08d3;
  // Two halves that do not wait for each other.
  for (let index = 1; index < length; index += 2) {
    left = stirred(left, text.charCodeAt(index - 1));
    right = stirred(right, text.charCodeAt(index));
  }
  if (length % 2 === 1) left = stirred(left, text.charCodeAt(length - 1));
  return settled(left, right);
}

/** A hash of 32 bits that has taken in one more number. */
export function stirred(hash: number, value: number): number {
  const sum = hash ^ value;
  return Math.imul((sum << 13) | (sum >>> 19), 0xcc9e_2d51);
}

/** The 36 bits of two hashes of 32. */
export function settled(left: number, right: number): RowHash {
  const first = mixed(left ^ right);
  return (first >>> (32 - halfBits)) * 2 ** halfBits + (mixed(right + first) >>> (32 - halfBits));
}

/** Each bit of a value has a part in each bit of the result (the last step of MurmurHash3). */
function mixed(value: number): number {
  const first = Math.imul(value ^ (value >>> 16), 0x85eb_ca6b);
  const second = Math.imul(first ^ (first >>> 13), 0xc2b2_ae35);
  return second ^ (second >>> 16);
}
