import type { Direction, Moment } from './moment.ts';

/** Names a row in a few characters: 36 bits of a hash of its identity, so that a cursor can carry several. */
export type RowHash = string;

export const hashLength = 6;

/** What a cursor carries: the row that it stands for, the row's position, and the rows around it. */
export interface Anchor {
  /** From 0, in the list as it was then. */
  readonly position: number;
  /** The length of the list then; null where it was not known. How much it has grown suggests how far the row has moved. */
  readonly total: number | null;
  readonly row: RowHash;
  /** The rows before it, nearest first. */
  readonly before: readonly RowHash[];
  /** The rows behind it, nearest first. */
  readonly after: readonly RowHash[];
  /**
   * How many of the rows on either side were read together with the row, without a gap. The others are remembered from a page
   * before, and rows may have come between.
   */
  readonly adjacent: { readonly before: number; readonly after: number };
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
 * come before the others. Of the neighbours ahead of the reader only the adjacent ones can stand for it: beyond a gap there
 * may be rows that were never shown.
 */
export function candidatesOf(anchor: Anchor, side: Side): readonly Pick<Reference, 'row' | 'shift'>[] {
  const isAfter = side === 'after';
  const before = isAfter ? anchor.before : anchor.before.slice(0, anchor.adjacent.before);
  const after = isAfter ? anchor.after.slice(0, anchor.adjacent.after) : anchor.after;
  const own = { row: anchor.row, shift: isAfter ? 1 : 0 } as const;
  const above = before.map((row) => ({ row, shift: 1 }) as const);
  const below = after.map((row) => ({ row, shift: 0 }) as const);
  return isAfter ? [own, ...above, ...below] : [own, ...below, ...above];
}

/** Tells a row from all others of its list; null for a row without an identity. */
export type Identify<Row> = (row: Row) => string | null;

/** The hash of a row. */
export function hashOfRow<Row>({ identityOf }: { readonly identityOf: Identify<Row> }, row: Row): RowHash {
  return hashOf(identityOf(row) ?? looksOf(row));
}

/** The text that a row without an identity is known by: all of it, however the numbers of its free-form values were read. */
export function looksOf(row: unknown): string {
  try {
    return JSON.stringify(row, (_name, value: unknown) => (json.isRawJSON(value) ? Number(value.rawJSON) : value));
  } catch {
    // Too deeply nested for a replacer; as it is, it can still be written.
    return JSON.stringify(row);
  }
}

// TypeScript's library does not know this part of ECMAScript 2026 yet.
const json = JSON as typeof JSON & { isRawJSON(value: unknown): value is { readonly rawJSON: string } };

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const triples = 18;

/**
 * 36 bits of a hash of a text, as six characters of base64url: evenly spread, quick, the same in every process, and no secret. A
 * caller who makes two texts of one hash only confuses rows of the caller's own lists.
 */
export function hashOf(text: string): RowHash {
  let left = 0x243f_6a88 ^ text.length;
  let right = 0x85a3_08d3;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    left = Math.imul(rotated(left ^ unit, 13), 0xcc9e_2d51);
    right = Math.imul(rotated(right ^ unit, 17), 0x1b87_3593) + left;
  }
  left = mixed(left ^ right);
  right = mixed(right + left);
  return threeOf(left >>> (32 - triples)) + threeOf(right >>> (32 - triples));
}

function rotated(value: number, by: number): number {
  return (value << by) | (value >>> (32 - by));
}

/** Each bit of a value has a part in each bit of the result (the last step of MurmurHash3). */
function mixed(value: number): number {
  const first = Math.imul(value ^ (value >>> 16), 0x85eb_ca6b);
  const second = Math.imul(first ^ (first >>> 13), 0xc2b2_ae35);
  return second ^ (second >>> 16);
}

function threeOf(bits: number): string {
  return alphabet.charAt(bits >>> 12) + alphabet.charAt((bits >>> 6) & 63) + alphabet.charAt(bits & 63);
}
