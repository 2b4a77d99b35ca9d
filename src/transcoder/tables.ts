import { numberOf, numberOfForm, places } from './transcoder.ts';

/** What a value of JSON must be, and how it is written. */
export type Shape =
  | { readonly kind: 'text' | 'integer' | 'boolean' | 'freeForm' }
  /** A text with neither an escape nor an at sign. */
  | { readonly kind: 'bare' }
  | { readonly kind: 'form'; readonly form: RegExp }
  | { readonly kind: 'list'; readonly item: Shape }
  | RecordShape
  | RowsShape
  | UnionShape
  | PairShape;

/** A record of which members are written, in this order. */
export interface RecordShape {
  readonly kind: 'record';
  readonly members: readonly Member[];
  /** What stands behind the last of them. */
  readonly tail: string;
  /** Names of members that are handed out as they stand. */
  readonly handedOut: readonly string[];
  /** Of a whole body: names of members that must be null or an empty list, where they are there. */
  readonly empty?: readonly string[];
}

export interface Member {
  /** What is written before its value. */
  readonly before: string;
  readonly shape: Shape | OpenShape;
  /** Absent for a place that is left open. */
  readonly name?: string;
  /** Whether it must be there, and not null. */
  readonly isRequired: boolean;
}

/** A list of records; there is one such list in a body. Its rows can be told apart in what is written. */
export interface RowsShape {
  readonly kind: 'rows';
  readonly row: RecordShape;
  /** What is written before each row, and behind it. */
  readonly before: string;
  readonly behind: string;
}

/** A record whose first member, its tag, tells by its text which shape it has. */
interface UnionShape {
  readonly kind: 'union';
  readonly tag: string;
  readonly options: Readonly<Record<string, RecordShape>>;
}

/** A pair of name and value, each a text or null, written as a record. */
interface PairShape {
  readonly kind: 'pair';
  readonly parts: readonly { readonly before: string; readonly of: 'name' | 'value' }[];
  readonly tail: string;
  /** Names in any case whose values are hidden, and what is shown in their place. */
  readonly hiding: { readonly names: readonly string[]; readonly cover: string };
}

/** A place that is left open, and what of the members of its record is handed out for it. */
interface OpenShape {
  readonly kind: 'open';
  readonly number: number;
  readonly needs: Needs;
}

/** Members by name, in objects and in those of lists, and what is kept of each: all of it where that is `true`. */
export interface Needs {
  readonly [name: string]: Needs | true;
}

/** The text of a JSON object around what stands behind its keys. */
export function objectOf<Part extends object>(fields: Iterable<readonly [key: string, part: Part | { text: string }]>) {
  const parts: (Part & { readonly before: string })[] = [];
  let pending = '{';
  let isFirst = true;
  for (const [key, part] of fields) {
    pending += `${isFirst ? '' : ','}${JSON.stringify(key)}:`;
    isFirst = false;
    if ('text' in part) pending += part.text;
    else {
      parts.push({ ...part, before: pending });
      pending = '';
    }
  }
  return { parts, tail: `${pending}}` };
}

/** The tables by which bodies of this shape are written. Throws a RangeError where they are too large. They hold nothing of any body. */
export function tablesOf(shape: RecordShape): Buffer {
  return new TableWriter().write(shape);
}

const entryBytes = 32;
// Entries of one record have a slot each.
const mostEntries = 250;

class TableWriter {
  // To put something behind its end is a RangeError.
  readonly #bytes = Buffer.alloc(places.tablesEnd - places.tables);
  #length = 16;

  write(shape: RecordShape): Buffer {
    const { handedOut, empty = [] } = shape;
    this.#put(places.tables, this.#shape(shape), handedOut.length, handedOut.length + empty.length);
    return Buffer.from(this.#bytes.subarray(0, this.#length));
  }

  /** Where a shape stands. */
  #shape(shape: Shape): number {
    switch (shape.kind) {
      case 'form':
        return this.#words('form', [numberOfForm(shape.form)]);
      case 'list':
        return this.#words('list', [this.#shape(shape.item)]);
      case 'record':
        return this.#record(shape);
      case 'rows': {
        const { row, before, behind } = shape;
        const keys = row.handedOut.length;
        return this.#words('rows', [this.#shape(row), keys, ...this.#text(before), ...this.#text(behind)]);
      }
      case 'union': {
        const options = Object.entries(shape.options).map(([tag, record]) => [
          ...this.#text(JSON.stringify(tag)),
          this.#shape(record),
        ]);
        const tag = this.#text(JSON.stringify(shape.tag));
        return this.#words('union', [options.length, ...tag, ...options.flat()]);
      }
      case 'pair':
        return this.#pair(shape);
      default:
        return this.#words(shape.kind, []);
    }
  }

  #record({ members, tail, handedOut, empty = [] }: RecordShape): number {
    const needed = members.flatMap(({ shape }) => (shape.kind === 'open' ? Object.keys(shape.needs) : []));
    const names = [...members.map(({ name }) => name), ...handedOut, ...empty, ...needed];
    if (names.length > mostEntries) throw new RangeError('A record has too many entries.');
    const slotOf = (name: string): number => names.indexOf(name) * 4;
    const shapes = members.map(({ shape }) => (shape.kind === 'open' ? this.#open(shape, slotOf) : this.#shape(shape)));
    const entries = this.#room(names.length * entryBytes);
    for (const [index, name] of names.entries()) {
      const member = members[index];
      const also = name === undefined ? -1 : names.indexOf(name, index + 1);
      this.#put(
        entries + index * entryBytes,
        ...this.#text(name ?? ''),
        ...this.#text(member?.before ?? ''),
        shapes[index] ?? 0,
        member?.isRequired === true ? 1 : 0,
        index * 4,
        also < 0 ? 0 : entries + also * entryBytes,
      );
    }
    const shownEnd = entries + members.length * entryBytes;
    const end = entries + names.length * entryBytes;
    // Behind them is room for what is known of a run.
    const open = members.findIndex(({ shape }) => shape.kind === 'open');
    const firstOpen = open < 0 ? 0 : entries + open * entryBytes;
    return this.#words('record', [entries, shownEnd, end, ...this.#text(tail), names.length, 0, 0, 0, firstOpen]);
  }

  #open({ number, needs }: OpenShape, slotOf: (name: string) => number): number {
    const words = Object.entries(needs).flatMap(([name, kept]) => [
      slotOf(name),
      ...this.#text(JSON.stringify(name)),
      this.#kept(kept),
    ]);
    return this.#words('open', [number, 12 + words.length * 4, ...words]);
  }

  /** What is kept of a value that is handed out. */
  #kept(needs: Needs | true): number {
    if (needs === true) return this.#words('kept', [0xffff_ffff]);
    const members = Object.entries(needs).map(([name, inner]) => [
      ...this.#text(JSON.stringify(name)),
      this.#kept(inner),
    ]);
    return this.#words('kept', [members.length, ...members.flat()]);
  }

  #pair({ parts, tail, hiding }: PairShape): number {
    const hidden = hiding.names.map((name) => String.fromCharCode(name.length) + name).join('');
    const [list] = this.#text(`${hidden}\0`);
    const words = parts.flatMap(({ before, of }) => [...this.#text(before), of === 'name' ? 0 : 1]);
    const texts = [...this.#text(JSON.stringify(hiding.cover)), ...this.#text(tail)];
    return this.#words('pair', [list, ...texts, 28 + words.length * 4, ...words]);
  }

  /** Where a text stands, and how long it is. */
  #text(text: string): readonly [number, number] {
    const length = Buffer.byteLength(text);
    const at = this.#room(length);
    this.#bytes.write(text, at - places.tables);
    return [at, length];
  }

  #words(kind: Shape['kind'] | OpenShape['kind'] | 'kept', words: readonly number[]): number {
    const at = this.#room((words.length + 1) * 4);
    this.#put(at, numberOf(kind), ...words);
    return at;
  }

  #put(at: number, ...words: readonly number[]): void {
    for (const [index, word] of words.entries()) this.#bytes.writeUInt32LE(word, at - places.tables + index * 4);
  }

  #room(bytes: number): number {
    const at = this.#length;
    this.#length += Math.ceil(bytes / 8) * 8;
    return places.tables + at;
  }
}
