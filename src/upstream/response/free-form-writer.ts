import { isUtf8 } from 'node:buffer';
import { copiedPiece, jsonLevels, parsedSlice } from '../../bounds.ts';
import { FreeFormText, parseExactly } from '../../json.ts';

const largestIndex = 2 ** 32 - 2;
const fewNames = 16;
const tables = 64;
const hashedBytes = 65_536;
// Whoever sends a body must not know which names have the same hash.
const seed = Math.trunc(Math.random() * 2 ** 31) | 1;

/** A list or an object whose members are still to come. */
class Level {
  /** Where it begins, in the body and in what is written. */
  readonly source: number;
  readonly from: number;
  /** How many odd objects were known when it began. */
  readonly odd: number;
  /** The index that the last name was; infinite behind a name that is none. */
  lastIndex = -1;
  /** Whether JavaScript would write its members otherwise: a name comes twice, or an index comes behind a greater one or another name. */
  isOdd = false;
  #few: number[] | null = [];
  #many: HashTable[] = [];

  constructor(source: number, from: number, odd: number) {
    this.source = source;
    this.from = from;
    this.odd = odd;
  }

  /** False where the name may have come before. */
  add(hash: number): boolean {
    if (this.#few === null) return (this.#many[hash % tables] as HashTable).add(hash);
    if (this.#few.includes(hash)) return false;
    if (this.#few.push(hash) > fewNames) {
      // One table of millions would grow in a tenth of a second.
      this.#many = Array.from({ length: tables }, () => new HashTable());
      for (const each of this.#few) this.#many[each % tables]?.add(each);
      this.#few = null;
    }
    return true;
  }
}

/** A set of positive numbers that is no work for the garbage collector. */
class HashTable {
  #slots = new Float64Array(8);
  #size = 0;

  /** False where it has been added before. */
  add(hash: number): boolean {
    if (2 * this.#size >= this.#slots.length) {
      const smaller = this.#slots;
      this.#slots = new Float64Array(4 * smaller.length);
      for (const each of smaller) if (each !== 0) this.#put(each);
    }
    const isNew = this.#put(hash);
    if (isNew) this.#size++;
    return isNew;
  }

  #put(hash: number): boolean {
    const slots = this.#slots;
    let at = Math.trunc(hash / tables) % slots.length;
    for (; slots[at] !== 0; at = (at + 1) % slots.length) if (slots[at] === hash) return false;
    slots[at] = hash;
    return true;
  }
}

/** A part of what is written, and of the body that it was made of; ends are not included. */
interface OddObject {
  readonly from: number;
  readonly to: number;
  readonly source: number;
  readonly sourceEnd: number;
}

/**
 * Writes a free-form object as JSON.stringify writes what `parseExactly` makes of it: without blanks, texts with the escapes that they
 * need, numbers as they came. Somebody else reads it, and checks its grammar. Most of what is written are the bytes of the body.
 */
export class FreeFormWriter {
  readonly #bytes: Buffer;
  readonly #pieces: Buffer[] = [];
  /** How many bytes have been written. */
  #written = 0;
  #chunk = Buffer.alloc(0);
  #chunkLength = 0;
  /** Where the part of the body begins that is still to be written. */
  #from: number;
  readonly #open: Level[] = [];
  #deepest = 0;
  #odd: OddObject[] = [];

  constructor(bytes: Buffer, from: number) {
    this.#bytes = bytes;
    this.#from = from;
  }

  open(at: number): void {
    this.#deepest = Math.max(this.#deepest, this.#open.push(new Level(at, this.#placeOf(at), this.#odd.length)));
  }

  /** The name of a member stands there, without its quotation marks. */
  name(from: number, to: number, hasEscapes: boolean): void {
    const level = this.#open.at(-1) as Level;
    const isLong = to - from > hashedBytes;
    const name =
      hasEscapes && !isLong
        ? Buffer.from(JSON.parse(`"${this.#bytes.toString('utf8', from, to)}"`) as string)
        : this.#bytes.subarray(from, to);
    const index = indexOf(name);
    if (index === null) level.lastIndex = Infinity;
    else if (index <= level.lastIndex) level.isOdd = true;
    else level.lastIndex = index;
    if (!level.add(hashOf(name))) level.isOdd = true;
  }

  /** A list or an object ends before `to`. */
  close(to: number): void {
    const level = this.#open.pop() as Level;
    const holdsOdd = this.#odd.length > level.odd && to - level.source <= parsedSlice;
    if (!level.isOdd && !holdsOdd) return;
    this.#odd.length = level.odd;
    this.#odd.push({ from: level.from, to: this.#placeOf(to), source: level.source, sourceEnd: to });
  }

  /** Blanks stand there. */
  skip(from: number, to: number): void {
    this.#copyUpTo(from);
    this.#from = to;
  }

  /** A text, or a part of it, has escapes there. */
  escaped(from: number, to: number): void {
    const text = JSON.parse(`"${this.#bytes.toString('utf8', from, to)}"`) as string;
    this.skip(from, to);
    this.#write(Buffer.from(JSON.stringify(text).slice(1, -1)));
  }

  /** What has been written, once all of it has come. */
  finish(to: number): FreeFormText {
    this.skip(to, to);
    this.#endChunk();
    const isTooDeep = this.#deepest > jsonLevels;
    return new FreeFormText(isTooDeep ? [] : this.#withoutOdd(), this.#deepest);
  }

  #placeOf(at: number): number {
    return this.#written + at - this.#from;
  }

  #copyUpTo(to: number): void {
    if (to > this.#from) this.#write(this.#bytes.subarray(this.#from, to));
  }

  #write(bytes: Buffer): void {
    // What is no UTF-8 is shown as JavaScript reads it.
    const known = isUtf8(bytes) ? bytes : Buffer.from(bytes.toString('utf8'));
    this.#written += known.length;
    if (known.length >= copiedPiece) {
      this.#endChunk();
      this.#pieces.push(known);
      return;
    }
    if (this.#chunkLength + known.length > this.#chunk.length) {
      this.#endChunk();
      this.#chunk = Buffer.allocUnsafe(4 * copiedPiece);
    }
    known.copy(this.#chunk, this.#chunkLength);
    this.#chunkLength += known.length;
  }

  #endChunk(): void {
    if (this.#chunkLength > 0) this.#pieces.push(this.#chunk.subarray(0, this.#chunkLength));
    this.#chunk = this.#chunk.subarray(this.#chunkLength);
    this.#chunkLength = 0;
  }

  /** The pieces, in which odd objects are written as JavaScript writes them. */
  #withoutOdd(): readonly Buffer[] {
    if (this.#odd.length === 0) return this.#pieces;
    const pieces: Buffer[] = [];
    let at = 0;
    let place = 0;
    const copyUpTo = (end: number, isShown: boolean): void => {
      while (at < this.#pieces.length && place < end) {
        const piece = this.#pieces[at] as Buffer;
        const rest = end - place;
        if (isShown) pieces.push(piece.subarray(0, rest));
        place += Math.min(piece.length, rest);
        if (piece.length <= rest) at++;
        else this.#pieces[at] = piece.subarray(rest);
      }
    };
    for (const { from, to, source, sourceEnd } of this.#odd) {
      copyUpTo(from, true);
      copyUpTo(to, false);
      pieces.push(Buffer.from(JSON.stringify(parseExactly(this.#bytes.toString('utf8', source, sourceEnd)))));
    }
    copyUpTo(this.#written, true);
    return pieces;
  }
}

/** The index of a list that a name is; null for any other. JavaScript puts indexes first, in their order. */
function indexOf(name: Buffer): number | null {
  if (name.length === 0 || name.length > 10) return null;
  let index = 0;
  for (const byte of name) {
    if (byte < 0x30 || byte > 0x39) return null;
    index = index * 10 + byte - 0x30;
  }
  return index > largestIndex || (name[0] === 0x30 && name.length > 1) ? null : index;
}

function hashOf(name: Buffer): number {
  let [left, right] = [seed, name.length];
  const end = Math.min(name.length, hashedBytes);
  for (let at = 0; at < end; at++) {
    const byte = name[at] as number;
    left = Math.imul(left ^ byte, 0x5bd1e995) ^ (left >>> 15);
    right = Math.imul(right + byte, seed);
  }
  return (left >>> 0) * 2 ** 20 + (right >>> 12) + 1;
}
