import { Uncovered } from '../plan/selection.ts';
import { mostTableBytes, tablesAt } from './memory.ts';

// What a shape begins with. src/transcoder/assembly/shape.ts has the same numbers.
export const kinds = {
  text: 0,
  integer: 1,
  boolean: 2,
  date: 3,
  dateTime: 4,
  decimal: 5,
  freeForm: 6,
  object: 7,
  list: 8,
  union: 9,
  header: 10,
  isSet: 11,
  any: 12,
  window: 13,
} as const;

/** What is read of a body: the rows of a page, a record, or a record whose members are handed out one by one. */
export const bodies = { page: 0, record: 1, parts: 2 } as const;

/** What stands for a value that is missing or null. */
export const absences = { refused: 0, null: 1, false: 2 } as const;

/** Where a shape stands in the memory. */
export type Shape = number;

/** A member of a record that is looked at. */
export interface Entry {
  readonly name: string;
  readonly shape: Shape;
  readonly absence: (typeof absences)[keyof typeof absences];
}

/** What is written of a record: a text, and behind it the value of an entry. */
export interface Emission {
  readonly text: string;
  readonly entry: number;
}

export interface ObjectShape {
  readonly entries: readonly Entry[];
  readonly emissions: readonly Emission[];
  readonly tail: string;
  readonly kind?: typeof kinds.object | typeof kinds.header;
}

const headBytes = 16;
const objectBytes = 48;
const entryBytes = 32;
const emissionBytes = 12;
const mostEntries = 250;
const word = 0xffff_ffff_ffff_ffffn;

/** Writes the tables of a plan as they stand in the memory. All that is in them comes from the document and the schema. */
export class TableWriter {
  #bytes = Buffer.alloc(4_096);
  #length = headBytes;
  readonly #texts = new Map<string, number>();
  readonly #leaves = new Map<number, Shape>();

  /** A shape that is told by its kind alone. */
  leaf(kind: number): Shape {
    const known = this.#leaves.get(kind) ?? this.#shape(kind, 8);
    this.#leaves.set(kind, known);
    return known;
  }

  list(item: Shape): Shape {
    const shape = this.#shape(kinds.list, 8);
    this.#put(shape + 4, item);
    return shape;
  }

  /** A list of which as many rows are shown as each run says. */
  window(item: Shape): Shape {
    const shape = this.#shape(kinds.window, 8);
    this.#put(shape + 4, item);
    return shape;
  }

  /** A record whose first member has this name, and tells by its value which shape it has. */
  union(name: string, options: readonly { readonly value: string; readonly shape: Shape }[]): Shape {
    const shape = this.#shape(kinds.union, 16 + options.length * 12);
    this.#put(shape + 4, options.length);
    this.#putText(shape + 8, JSON.stringify(name));
    for (const [index, option] of options.entries()) {
      this.#putText(shape + 16 + index * 12, JSON.stringify(option.value));
      this.#put(shape + 24 + index * 12, option.shape);
    }
    return shape;
  }

  object({ entries, emissions, tail, kind = kinds.object }: ObjectShape): Shape {
    if (entries.length > mostEntries) throw new Uncovered();
    const shape = this.#shape(kind, objectBytes);
    const { factor, bits, buckets } = perfectHash(entries.map(({ name }) => keyOf(name)));
    const bucketList = this.#room(buckets.length);
    this.#bytes.set(buckets, bucketList - tablesAt);
    const entryList = this.#room(entries.length * entryBytes);
    const emissionList = this.#room(emissions.length * emissionBytes);
    for (const [index, entry] of entries.entries()) this.#putEntry(entryList + index * entryBytes, entry);
    for (const [index, { text, entry }] of emissions.entries()) {
      this.#putText(emissionList + index * emissionBytes, text);
      this.#put(emissionList + index * emissionBytes + 8, entry);
    }
    for (const [index, value] of [entries.length, emissions.length].entries()) this.#put(shape + 4 + index * 4, value);
    this.#putLong(shape + 16, factor);
    for (const [index, value] of [64 - bits, bucketList, entryList, emissionList].entries())
      this.#put(shape + 24 + index * 4, value);
    this.#putText(shape + 40, tail);
    return shape;
  }

  /** All of it, for bodies of this kind; of each row two entries are handed out. */
  finish(body: number, shape: Shape, identifier = 0, time = 0): Buffer {
    for (const [index, value] of [body, shape, identifier, time].entries()) this.#put(tablesAt + index * 4, value);
    return Buffer.from(this.#bytes.subarray(0, this.#length));
  }

  #putEntry(at: number, { name, shape, absence }: Entry): void {
    const { head, tail } = keyOf(name);
    this.#putLong(at, head);
    this.#putLong(at + 8, tail);
    this.#putText(at + 16, name);
    this.#put(at + 24, shape);
    this.#put(at + 28, absence);
  }

  #shape(kind: number, bytes: number): Shape {
    const shape = this.#room(bytes);
    this.#put(shape, kind);
    return shape;
  }

  #room(bytes: number): number {
    const at = this.#length;
    this.#length += Math.ceil(bytes / 8) * 8;
    if (this.#length > mostTableBytes) throw new Uncovered();
    while (this.#length > this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes], this.#bytes.length * 2);
    return tablesAt + at;
  }

  #put(at: number, value: number): void {
    this.#bytes.writeInt32LE(value | 0, at - tablesAt);
  }

  #putLong(at: number, value: bigint): void {
    this.#bytes.writeBigUInt64LE(value, at - tablesAt);
  }

  #putText(at: number, text: string): void {
    const known = this.#texts.get(text) ?? this.#room(text.length);
    this.#texts.set(text, known);
    this.#bytes.write(text, known - tablesAt, 'latin1');
    this.#put(at, known);
    this.#put(at + 4, text.length);
  }
}

/** What tells a name from others: its first and its last eight bytes, and its length. */
interface Key {
  readonly head: bigint;
  readonly tail: bigint;
  readonly length: number;
}

function keyOf(name: string): Key {
  const bytes = Buffer.from(name.padEnd(8, '\0'), 'latin1');
  const { length } = name;
  return { head: bytes.readBigUInt64LE(0), tail: length > 8 ? bytes.readBigUInt64LE(length - 8) : 0n, length };
}

/** A factor by which no two names fall into one bucket; a bucket holds the index of its entry and one, 0 for none. */
function perfectHash(keys: readonly Key[]) {
  const folded = keys.map(({ head, tail, length }) => head ^ (((tail << 23n) | (tail >> 41n)) & word) ^ BigInt(length));
  let factor = 0x9e37_79b9_7f4a_7c15n;
  for (let bits = 4 + Math.ceil(Math.log2(keys.length + 1)); bits <= 16; bits++) {
    for (let attempt = 0; attempt < 8; attempt++) {
      const buckets = new Uint8Array(2 ** bits);
      const isPerfect = folded.every((value, index) => {
        const bucket = Number(((value * factor) & word) >> BigInt(64 - bits));
        const isFree = buckets[bucket] === 0;
        buckets[bucket] = index + 1;
        return isFree;
      });
      if (isPerfect) return { factor, bits, buckets };
      factor = ((factor * 0x2545_f491_4f6c_dd1dn) & word) | 1n;
    }
  }
  // Two names that cannot be told apart.
  throw new Uncovered();
}
