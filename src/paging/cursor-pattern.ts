import { argumentTextBytes, cursorNeighbours, largestPageSize, longestList } from '../bounds.ts';
import { markLength } from './anchor.ts';

export const version = '2';
export const checkLength = 8;

/** Numbers are written with this many digits and letters, so that a count of neighbours takes one character. */
export const radix = 36;

/** What the text of a cursor looks like. */
export interface CursorForm {
  /** The text without its check: `2|position|length|marks|counts|time|pin`. */
  readonly pattern: RegExp;
  /** The characters of the longest cursor. */
  readonly longest: number;
}

/** How many rows on either side of its own a cursor remembers. */
export interface Neighbours {
  readonly before: number;
  readonly after: number;
}

/** The form of cursors with so many neighbours; throws a RangeError where they do not fit into a text argument. */
export function createCursorForm({ before, after }: Neighbours, mostBytes: number): CursorForm {
  if (Math.max(before, after) >= radix)
    throw new RangeError(
      `A cursor cannot hold ${before} and ${after} neighbours: ${radix - 1} on a side are the most.`,
    );
  const rows = 1 + before + after;
  const digits = (longestList + largestPageSize).toString(radix).length;
  const pattern = String.raw`^${version}\|([\da-z]{1,${digits}})\|([\da-z]{0,${digits}})\|((?:[\w-]{${markLength}}){1,${rows}})\|([\da-z])([\da-z])([\da-z])\|(?:([+~-])(${moment}))?\|(${moment})?$`;
  const separators = 6;
  const counts = 3;
  const bytes =
    version.length + separators + 2 * digits + rows * markLength + counts + '+'.length + 2 * momentLength + checkLength;
  // Base64 has four characters for three bytes.
  const longest = Math.ceil((bytes * 4) / 3);
  if (longest > mostBytes)
    throw new RangeError(
      `A cursor with ${before} and ${after} neighbours takes ${longest} bytes, and a text argument has ${mostBytes} at most.`,
    );
  return { pattern: new RegExp(pattern), longest };
}

// A timestamp as its digits alone, to the nanosecond at most (moment.ts).
const momentLength = 23;
const moment = String.raw`\d{14,${momentLength}}`;

/** The form of the cursors that are given out. */
export const cursorForm = createCursorForm(cursorNeighbours, argumentTextBytes);
