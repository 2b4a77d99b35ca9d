import { largestPageSize, longestList } from '../bounds.ts';
import { momentOf, momentOfDigits, type Direction, type Moment } from '../moment.ts';
import { hashOf, settled, stirred, type Anchor, type RowHash } from './anchor.ts';

/** Rows on either side of its own that a cursor remembers, in case its own is gone. */
export const cursorNeighbours = { before: 8, after: 3 } as const;

/** The rows of a page that cursors stand for, and what all of these cursors have in common. Indices are those of the page. */
export interface CursorPage {
  /** What the cursors are tied to: endpoint, filter and order. */
  readonly list: string;
  readonly from: number;
  readonly total: number | null;
  readonly moments: readonly (Moment | null)[];
  /** Which way the moments run; null where they run to and fro. */
  readonly direction: Direction | null;
  readonly newest: Moment | null;
  /** How many rows beside the page were read with it. */
  readonly beside: { readonly before: number; readonly after: number };
  /** The hash of a row of the page or beside it. */
  readonly hashAt: (index: number) => RowHash;
}

// A cursor is a row of words of 18 bits, each of them three characters of base64url: the version with the counts of neighbours and the
// direction; the position, the length and the moments; the rows in their order in the list; the seal. All cursors have the same length,
// so that they can be written into room that was left for them.
const version = 3;
const { before: mostBefore, after: mostAfter } = cursorNeighbours;
/** A moment takes 23 digits at most, five in a word. */
const momentWords = 5;
const positionAt = 1;
const totalAt = 3;
const newestAt = 5;
const timeAt = newestAt + momentWords;
const rowsAt = timeAt + momentWords;
const ownRowAt = rowsAt + 2 * mostBefore;
const sealAt = ownRowAt + 2 * (1 + mostAfter);
const wordCount = sealAt + 2;
const wordValues = 2 ** 18;

export const cursorLength = 3 * wordCount;

const alphabet = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_');
const values = new Map([...alphabet].map((character, value) => [character, value]));
const scratch = Buffer.alloc(cursorLength);

export interface Cursors {
  at(index: number): string;
  /** Writes that of the row at an index to a place in `target`. */
  write(index: number, target: Uint8Array, place: number): void;
}

/**
 * Opaque texts with a version, made of what `describe` tells when the first of them is asked for. The seal of each ties it to its list.
 * It is no secret and gives no access: a forged cursor can only point at the forger's own rows.
 */
export function cursorsOf(describe: () => CursorPage): Cursors {
  let wordsAt: ((index: number) => Int32Array) | undefined;
  const write: Cursors['write'] = (index, target, place) => {
    wordsAt ??= wordsOf(describe());
    let at = place;
    for (const word of wordsAt(index)) {
      target[at] = alphabet[word >>> 12] as number;
      target[at + 1] = alphabet[(word >>> 6) & 63] as number;
      target[at + 2] = alphabet[word & 63] as number;
      at += 3;
    }
  };
  return {
    write,
    at(index) {
      write(index, scratch, 0);
      return scratch.toString('latin1');
    },
  };
}

/** What makes the words of a cursor, which hold until the next one is made. */
function wordsOf({ list, from, total, moments, direction, newest, beside, hashAt }: CursorPage) {
  const words = new Int32Array(wordCount);
  const key = hashOf(list);
  putNumber(words, totalAt, total === null ? 0 : total + 1);
  writeMoment(newest, words, newestAt);
  // Each row is in the cursors of its neighbours as well.
  const hashes: RowHash[] = [];
  return (index: number): Int32Array => {
    const before = Math.min(mostBefore, index + beside.before);
    const after = Math.min(mostAfter, moments.length - 1 - index + beside.after);
    const moment = direction === null ? null : (moments[index] ?? null);
    const time = moment === null || direction === null ? 0 : direction + 2;
    words[0] = (version << 12) | (before << 6) | (after << 2) | time;
    putNumber(words, positionAt, from + index);
    writeMoment(moment, words, timeAt);
    words.fill(0, rowsAt, sealAt);
    for (let row = -before; row <= after; row++)
      putNumber(words, ownRowAt + 2 * row, (hashes[mostBefore + index + row] ??= hashAt(index + row)));
    putNumber(words, sealAt, sealOf(key, words));
    return words;
  };
}

/** The anchor of a cursor of `list`; null for any other text. */
export function decodeCursor(list: string, cursor: string): Anchor | null {
  const words = wordsIn(cursor);
  if (words === null || numberAt(words, sealAt) !== sealOf(hashOf(list), words)) return null;
  const [head = 0] = words;
  const [before, after, time] = [(head >>> 6) & 63, (head >>> 2) & 15, head & 3];
  const [position, total] = [numberAt(words, positionAt), numberAt(words, totalAt)];
  const [newest, moment] = [readMoment(words, newestAt), readMoment(words, timeAt)];
  const isOurs = head >>> 12 === version && before <= mostBefore && after <= mostAfter && total <= longestList + 1;
  // What is sealed may be made up all the same.
  if (!isOurs || position > longestList + largestPageSize || newest === undefined || moment === undefined) return null;
  const rowAt = (row: number): RowHash => numberAt(words, ownRowAt + 2 * row);
  return {
    position,
    total: total === 0 ? null : total - 1,
    row: rowAt(0),
    before: Array.from({ length: before }, (_, index) => rowAt(-1 - index)),
    after: Array.from({ length: after }, (_, index) => rowAt(1 + index)),
    time: moment === null || time === 0 ? null : { moment, direction: (time - 2) as Direction },
    newest,
  };
}

/** The words of a text of the form of a cursor; null for any other. */
function wordsIn(cursor: string): Int32Array | null {
  if (cursor.length !== cursorLength) return null;
  const words = new Int32Array(wordCount);
  for (let index = 0; index < cursorLength; index++) {
    const value = values.get(cursor.charCodeAt(index));
    if (value === undefined) return null;
    const word = Math.floor(index / 3);
    words[word] = ((words[word] as number) << 6) | value;
  }
  return words;
}

/** The hash of all words before the seal, with that of the list. */
function sealOf(key: RowHash, words: Int32Array): RowHash {
  let left = Math.floor(key / wordValues);
  let right = key % wordValues;
  for (let index = 0; index < sealAt; index++) {
    const word = words[index] as number;
    left = stirred(left, word);
    right = stirred(right + left, word);
  }
  return settled(left, right);
}

/** Puts a number below 2^36 into two words. */
function putNumber(words: Int32Array, at: number, value: number): void {
  const high = Math.floor(value / wordValues);
  words[at] = high;
  words[at + 1] = value - high * wordValues;
}

function numberAt(words: Int32Array, at: number): number {
  return (words[at] as number) * wordValues + (words[at + 1] as number);
}

// Where the digits stand in a timestamp.
const digitPlaces = [0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18, 20, 21, 22, 23, 24, 25, 26, 27, 28];

/** Writes a moment: its digits, and behind them one more than how many the fraction has. Null is all zeros. */
function writeMoment(moment: Moment | null, words: Int32Array, at: number): void {
  const end = moment === null ? 0 : moment.length - 1;
  for (let word = 0, digit = 0; word < momentWords; word++) {
    let value = 0;
    for (const last = Math.min(digit + 5, digitPlaces.length); digit < last; digit++) {
      const place = digitPlaces[digit] as number;
      value = value * 10 + (moment !== null && place < end ? moment.charCodeAt(place) - 48 : 0);
    }
    words[at + word] = value;
  }
  if (moment !== null)
    words[at + momentWords - 1] = (words[at + momentWords - 1] as number) * 100 + Math.max(1, end - 19);
}

/** The moment that was written; undefined where none was, nor null. */
function readMoment(words: Int32Array, at: number): Moment | null | undefined {
  const written = words.subarray(at, at + momentWords);
  const digits = Array.from(written, (word) => String(word).padStart(5, '0')).join('');
  const fraction = Number(digits.slice(23)) - 1;
  if (fraction < 0) return null;
  if (fraction > 9) return undefined;
  return momentOf(momentOfDigits(digits.slice(0, 14 + fraction))) ?? undefined;
}
