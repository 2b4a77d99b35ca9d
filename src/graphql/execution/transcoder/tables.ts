import { hintLength } from '../../../bounds.ts';
import { Uncovered } from '../plan/selection.ts';
import {
  kinds,
  type Computation,
  type Emission,
  type Entry,
  type Hiding,
  type ObjectShape,
  type Shape,
} from './layout.ts';
import { mostTableBytes, tablesAt } from './memory.ts';
import { keyOf, perfectHash } from './name-hash.ts';

const headBytes = 16;
const objectBytes = 64;
const entryBytes = 40;
const emissionBytes = 16;
const computationBytes = 24;
const mostEntries = 250;

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

  /** A list of which as many rows are shown as each run says. The other shape is that of a row of which nothing but one member is read. */
  window(item: Shape, key: Shape): Shape {
    const shape = this.#shape(kinds.window, 16);
    this.#put(shape + 4, item);
    this.#put(shape + 8, key);
    return shape;
  }

  /** A list, of which the newest record is shown. The other shape is that of a record of which its time is looked at. */
  newest(item: Shape, time: Shape): Shape {
    const shape = this.#shape(kinds.newest, 16);
    this.#put(shape + 4, item);
    this.#put(shape + 8, time);
    return shape;
  }

  /** A number, or a record whose one member is told as a number. */
  errorCode(record: Shape): Shape {
    const shape = this.#shape(kinds.errorCode, 8);
    this.#put(shape + 4, record);
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

  object({ entries, emissions, tail, kind = kinds.object, hiding }: ObjectShape): Shape {
    if (entries.length > mostEntries) throw new Uncovered();
    const shape = this.#shape(kind, objectBytes);
    const { factor, bits, buckets } = this.#bucketsOf(entries);
    const bucketList = this.#room(buckets.length);
    this.#bytes.set(buckets, bucketList - tablesAt);
    const entryList = this.#room(entries.length * entryBytes);
    const emissionList = this.#room(emissions.length * emissionBytes);
    for (const [index, entry] of entries.entries())
      this.#putEntry(entryList + index * entryBytes, entry, nextOf(entries, index));
    for (const [index, emission] of emissions.entries())
      this.#putEmission(emissionList + index * emissionBytes, emission);
    for (const [index, value] of [entries.length, emissions.length].entries()) this.#put(shape + 4 + index * 4, value);
    this.#putLong(shape + 16, factor);
    for (const [index, value] of [64 - bits, bucketList, entryList, emissionList].entries())
      this.#put(shape + 24 + index * 4, value);
    this.#putText(shape + 40, tail);
    if (hiding !== undefined) this.#putHiding(shape + 48, hiding);
    return shape;
  }

  /** Each name behind its length, and a zero behind the last. */
  #putHiding(at: number, { names, shown }: Hiding): void {
    const list = names.map((name) => String.fromCharCode(name.length) + name).join('');
    this.#putText(at, `${list}\0`);
    this.#putText(at + 8, JSON.stringify(shown));
  }

  /** All of it, for bodies of this kind; of each row two entries are handed out. */
  finish(body: number, shape: Shape, identifier = 0, time = 0): Buffer {
    for (const [index, value] of [body, shape, identifier, time].entries()) this.#put(tablesAt + index * 4, value);
    return Buffer.from(this.#bytes.subarray(0, this.#length));
  }

  /** The buckets of the names; each leads to the first entry of its name. */
  #bucketsOf(entries: readonly Entry[]) {
    const firsts = new Map<string, number>();
    for (const [index, { name }] of entries.entries()) if (!firsts.has(name)) firsts.set(name, index);
    return perfectHash([...firsts].map(([name, index]) => ({ ...keyOf(name), index })));
  }

  #putEntry(at: number, { name, shape, absence }: Entry, next: number): void {
    const { head, tail } = keyOf(name);
    this.#putLong(at, head);
    this.#putLong(at + 8, tail);
    this.#putText(at + 16, name);
    this.#put(at + 24, shape);
    this.#put(at + 28, absence);
    this.#put(at + 32, next);
  }

  #putEmission(at: number, { text, entry, computation }: Emission): void {
    this.#putText(at, text);
    this.#put(at + 8, entry);
    this.#put(at + 12, computation === undefined ? 0 : this.#computation(computation));
  }

  #computation({ kind, other, prefix }: Computation): number {
    const at = this.#room(computationBytes);
    for (const [index, value] of [kind, other ?? -1, hintLength].entries()) this.#put(at + index * 4, value);
    this.#putText(at + 12, prefix);
    return at;
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

/** The next entry of the same name; negative where there is none. */
function nextOf(entries: readonly Entry[], index: number): number {
  return entries.findIndex(({ name }, at) => at > index && name === entries[index]?.name);
}
