import { bytesPerList, bytesPerLook, keptLevels, keptMembers, leastItems, parsedSlice } from '../../bounds.ts';
import { GatewayError } from '../../errors.ts';
import type { WorkSlices } from '../../work-slices.ts';
import { FreeFormWriter } from './free-form-writer.ts';

// What may come next: the grammar of JSON (RFC 8259).
const next = { value: 0, valueOrEnd: 1, name: 2, nameOrEnd: 3, colon: 4, commaOrEnd: 5, nothing: 6 } as const;
type Next = (typeof next)[keyof typeof next];
// What has begun: a text, or a part of a number.
const token = {
  none: 0,
  text: 1,
  sign: 2,
  zero: 3,
  integer: 4,
  point: 5,
  fraction: 6,
  e: 7,
  eSign: 8,
  exponent: 9,
} as const;
type Token = (typeof token)[keyof typeof token];

const [quote, comma, minus, colon, openList, backslash, closeList, openObject, closeObject] = [
  0x22, 0x2c, 0x2d, 0x3a, 0x5b, 0x5c, 0x5d, 0x7b, 0x7d,
] as const;
const literals: Readonly<Record<number, Buffer>> = {
  0x74: Buffer.from('true'),
  0x66: Buffer.from('false'),
  0x6e: Buffer.from('null'),
};
const escapes: ReadonlySet<number | undefined> = new Set(Buffer.from('"\\/bfnrt'));
const longBlanks = 4_096;
const longNumber = 1_024;

type Target = unknown[] | Record<string, unknown>;

/** A list or an object that has begun. Its text becomes values when it ends, or sooner where there is much of it. */
class Level {
  isList = true;
  /** What has been read of it; null where all of it is still text. */
  target: Target | null = null;
  /** Where the text of the members begins that have not been read, and the comma behind the last whole one; before `from`: none. */
  from = 0;
  to = 0;
  /** Where the name of the member at hand stands, and where its value begins and ends. */
  nameFrom = 0;
  nameTo = 0;
  valueFrom = 0;
  valueTo = 0;
  /** The name of the member at hand, where its value is not read together with it. */
  name: string | null = null;
  /** Whether the value of the member at hand has been read. */
  isRead = false;
  /** How many members have been read. */
  count = 0;

  begin(from: number, isList: boolean): void {
    this.isList = isList;
    this.target = null;
    this.from = from;
    this.to = from - 1;
    this.name = null;
    this.isRead = false;
    this.count = 0;
  }

  /** Adds a member that has been read. */
  add(name: string, value: unknown, names: ReadonlySet<string> | null): void {
    const { target } = this;
    if (target === null) return;
    this.count++;
    if (Array.isArray(target)) target.push(value);
    // No record has so many members: an object of millions would grow in a tenth of a second, and more.
    else if (this.count <= keptMembers || names === null || names.has(name)) define(target, name, value);
  }
}

/** How a body is read. */
export interface ReaderOptions {
  /** The name of the members that are free-form objects. */
  readonly freeForm?: string | undefined;
  /** The names that anybody looks for in a record; null: any. */
  readonly names?: ReadonlySet<string> | null;
  /** Bytes that are left to JSON.parse at once. */
  readonly slice?: number;
}

/**
 * Reads a JSON text in parts of any size, each in a time that its size bounds, as JSON.parse would read it. What is small is left to
 * JSON.parse; this finds out where it may be cut. Objects of the given name become `FreeFormText`. Beyond `keptLevels`, and under
 * names that nobody looks for, large lists and objects are null. A number of more digits than anybody reads is infinite.
 */
export class JsonReader {
  readonly #bytes: Buffer;
  readonly #slice: number;
  readonly #freeForm: Buffer | null;
  readonly #names: ReadonlySet<string> | null;
  readonly #mostItems: number;
  /** Where reading goes on. */
  at = 0;
  #next: Next = next.value;
  #token: Token = token.none;
  /** Where the token began, or the part of it that is still to be read. */
  #tokenFrom = 0;
  #hasEscapes = false;
  #isBehindHighHalf = false;
  /** The parts of a long text that have been read, and whether there are any. */
  #text = '';
  #isCut = false;
  /** Of each level whether it is a list. The outermost is that of the whole text, a list of one. */
  #kinds = new Uint8Array(1_024);
  #depth = 0;
  readonly #levels: Level[] = [new Level()];
  #keptAt = 0;
  #writer: FreeFormWriter | null = null;
  #writerDepth = 0;

  constructor(bytes: Buffer, { freeForm, names = null, slice = parsedSlice }: ReaderOptions = {}) {
    this.#bytes = bytes;
    this.#slice = slice;
    this.#names = names;
    this.#mostItems = Math.max(leastItems, bytes.length / bytesPerList);
    this.#freeForm = freeForm === undefined ? null : Buffer.from(JSON.stringify(freeForm));
    this.#levels[0]?.begin(0, true);
  }

  /** Reads at least up to `to`. Throws SyntaxError. */
  advance(to: number): void {
    const end = Math.min(to, this.#bytes.length);
    while (this.at < end) {
      if (this.#token === token.text) this.#readText(end);
      else if (this.#token !== token.none) this.#readNumber(end);
      else this.#begin(this.#bytes[this.at] as number, end);
    }
  }

  /** The value, once all of its text has been read. Throws SyntaxError. */
  finish(): unknown {
    if (this.#token !== token.none) this.#endNumber();
    if (this.#next !== next.nothing) throw wrong();
    const root = this.#levels[0] as Level;
    if (!root.isRead) return JSON.parse(this.#bytes.toString('utf8', root.from));
    return (root.target as unknown[])[0];
  }

  get #level(): Level | null {
    return this.#writer === null && this.#depth <= keptLevels ? (this.#levels[this.#depth] as Level) : null;
  }

  #begin(byte: number, end: number): void {
    if (isBlank(byte)) return this.#skipBlanks(end);
    switch (byte) {
      case quote:
        return this.#beginText();
      case comma:
        return this.#separate();
      case colon:
        if (this.#next !== next.colon) throw wrong();
        this.#next = next.value;
        this.at++;
        return undefined;
      case openList:
      case openObject:
        return this.#open(byte === openList);
      case closeList:
      case closeObject:
        return this.#close(byte === closeList);
      default:
        return this.#beginScalar(byte);
    }
  }

  #expectValue(): void {
    if (this.#next !== next.value && this.#next !== next.valueOrEnd) throw wrong();
    const level = this.#level;
    if (level !== null) level.valueFrom = this.at;
  }

  #beginText(): void {
    if (this.#next === next.name || this.#next === next.nameOrEnd) this.#next = next.name;
    else this.#expectValue();
    this.#token = token.text;
    this.#tokenFrom = this.at;
    this.#hasEscapes = false;
    this.at++;
  }

  #beginScalar(byte: number): void {
    this.#expectValue();
    const literal = literals[byte];
    this.#tokenFrom = this.at;
    if (literal !== undefined) {
      if (!literal.equals(this.#bytes.subarray(this.at, this.at + literal.length))) throw wrong();
      this.at += literal.length;
      return this.#endValue();
    }
    if (byte === minus) this.#token = token.sign;
    else if (byte === 0x30) this.#token = token.zero;
    else if (byte > 0x30 && byte <= 0x39) this.#token = token.integer;
    else throw wrong();
    this.at++;
    return undefined;
  }

  #readNumber(end: number): void {
    let state = this.#token;
    let at = this.at;
    for (; at < end; at++) {
      const following = afterDigit(state, this.#bytes[at] as number);
      if (following === null) break;
      state = following;
    }
    this.#token = state;
    this.at = at;
    if (at < end) this.#endNumber();
  }

  #endNumber(): void {
    const state = this.#token;
    this.#token = token.none;
    if (state !== token.zero && state !== token.integer && state !== token.fraction && state !== token.exponent)
      throw wrong();
    if (this.#level !== null && this.at - this.#tokenFrom > longNumber) this.#put(Infinity);
    this.#endValue();
  }

  #readText(end: number): void {
    const bytes = this.#bytes;
    let at = this.at;
    const cutAt = this.#tokenFrom + this.#slice;
    for (; at < end; at++) {
      const byte = bytes[at] as number;
      if (byte === quote) {
        this.at = at + 1;
        return this.#endText();
      }
      if (at >= cutAt && this.#mayBeCut(at)) {
        this.at = at;
        return this.#cutText();
      }
      this.#isBehindHighHalf = false;
      if (byte < 0x20) throw wrong();
      if (byte !== backslash) continue;
      this.#hasEscapes = true;
      const length = this.#escapeLength(at);
      at += length - 1;
    }
    this.at = at;
    return undefined;
  }

  #escapeLength(at: number): number {
    if (this.#bytes[at + 1] !== 0x75) {
      if (!escapes.has(this.#bytes[at + 1])) throw wrong();
      return 2;
    }
    let code = 0;
    for (let index = at + 2; index < at + 6; index++) code = code * 16 + hexDigit(this.#bytes[index]);
    this.#isBehindHighHalf = code >= 0xd8_00 && code < 0xdc_00;
    return 6;
  }

  /** Whether a text may be cut before a byte: neither within a character nor within a pair of escapes that are one. */
  #mayBeCut(at: number): boolean {
    if (this.#isBehindHighHalf) return false;
    for (let index = at; index > at - 4; index--)
      if (((this.#bytes[index] as number) & 0xc0) !== 0x80) return index === at;
    // No character has so many bytes.
    return true;
  }

  #cutText(): void {
    const from = this.#partFrom();
    if (this.#writer !== null) {
      if (this.#hasEscapes) this.#writer.escaped(from, this.at);
    } else if (this.#level !== null) {
      if (!this.#isCut) this.#keep();
      this.#text += this.#parseText(from, this.at);
    }
    this.#isCut = true;
    this.#tokenFrom = this.at;
    this.#hasEscapes = false;
  }

  /** Where the part of the text begins that is still to be read. */
  #partFrom(): number {
    return this.#isCut ? this.#tokenFrom : this.#tokenFrom + 1;
  }

  #parseText(from: number, to: number): string {
    return JSON.parse(`"${this.#bytes.toString('utf8', from, to)}"`) as string;
  }

  #endText(): void {
    const isName = this.#next === next.name;
    const [from, to] = [this.#partFrom(), this.at - 1];
    const level = this.#level;
    if (this.#writer !== null) {
      if (this.#hasEscapes) this.#writer.escaped(from, to);
    } else if (level !== null && this.#isCut) {
      const text = this.#text + this.#parseText(from, to);
      if (isName) level.name = text;
      else this.#put(text);
    } else if (level !== null && isName) {
      [level.nameFrom, level.nameTo] = [this.#tokenFrom, this.at];
      if (level.count > keptMembers && this.#names !== null && !this.#hasEscapes) this.#dropUnknown(level, this.#names);
    }
    this.#token = token.none;
    this.#isCut = false;
    this.#text = '';
    if (isName) this.#next = next.colon;
    else this.#endValue();
  }

  /** Leaves out a member of a name that nobody looks for; to make a value of each would take a while. */
  #dropUnknown(level: Level, names: ReadonlySet<string>): void {
    if (names.has(this.#bytes.toString('latin1', level.nameFrom + 1, level.nameTo - 1))) return;
    if (level.to >= level.from) this.#keep();
    level.isRead = true;
  }

  #skipBlanks(end: number): void {
    const from = this.at;
    while (this.at < end && isBlank(this.#bytes[this.at] as number)) this.at++;
    if (this.#writer !== null) this.#writer.skip(from, this.at);
    else if (this.at - from >= longBlanks) this.#leaveOut();
  }

  /** Reads all that stands before many blanks, so that they do not become text. */
  #leaveOut(): void {
    this.#keep();
    const level = this.#level;
    if (level === null || level.isRead) return;
    if (this.#next === next.commaOrEnd || this.#next === next.nothing) {
      this.#take(level, level.valueTo);
      level.isRead = true;
    } else if (this.#next === next.colon || (this.#next === next.value && !level.isList)) {
      level.name ??= this.#nameOf(level);
    } else level.from = this.at;
  }

  #separate(): void {
    if (this.#next !== next.commaOrEnd) throw wrong();
    const level = this.#level;
    if (level !== null) {
      if (level.isRead) level.from = this.at + 1;
      level.to = this.at;
      level.isRead = false;
    }
    this.#next = this.#kinds[this.#depth] === 1 ? next.value : next.name;
    this.at++;
    this.#keepOften();
  }

  #open(isList: boolean): void {
    this.#expectValue();
    if (!isList && this.#isFreeForm()) {
      this.#keep();
      this.#writer = new FreeFormWriter(this.#bytes, this.at);
      this.#writerDepth = this.#depth;
    }
    this.#depth++;
    if (this.#depth === this.#kinds.length) this.#kinds = grown(this.#kinds);
    this.#kinds[this.#depth] = isList ? 1 : 0;
    if (this.#writer !== null) this.#writer.open();
    else if (this.#depth <= keptLevels) (this.#levels[this.#depth] ??= new Level()).begin(this.at + 1, isList);
    this.#next = isList ? next.valueOrEnd : next.nameOrEnd;
    this.at++;
    this.#keepOften();
  }

  /** Whether the value that begins is that of the free-form member. */
  #isFreeForm(): boolean {
    const level = this.#level;
    if (this.#freeForm === null || level === null || level.isList) return false;
    if (level.name !== null) return level.name === JSON.parse(this.#freeForm.toString());
    const { nameFrom, nameTo } = level;
    if (this.#bytes.compare(this.#freeForm, 0, this.#freeForm.length, nameFrom, nameTo) === 0) return true;
    // The name may have escapes.
    return (
      this.#bytes.subarray(nameFrom, nameTo).includes(backslash) &&
      this.#nameOf(level) === JSON.parse(this.#freeForm.toString())
    );
  }

  #close(isList: boolean): void {
    const isEmpty = this.#next === (isList ? next.valueOrEnd : next.nameOrEnd);
    if (!isEmpty && this.#next !== next.commaOrEnd) throw wrong();
    if (this.#kinds[this.#depth] !== (isList ? 1 : 0)) throw wrong();
    const level = this.#level;
    this.at++;
    if (level !== null && level.target !== null && !level.isRead) this.#take(level, this.at - 1);
    this.#depth--;
    const writer = this.#writer;
    if (writer !== null) {
      writer.close();
      if (this.#depth === this.#writerDepth) {
        this.#writer = null;
        this.#put(writer.finish(this.at));
      }
    }
    this.#endValue();
  }

  #endValue(): void {
    const level = this.#level;
    this.#next = this.#depth === 0 ? next.nothing : next.commaOrEnd;
    if (level === null) return;
    level.valueTo = this.at;
    if (level.name === null || level.isRead) return;
    this.#assign(level, JSON.parse(this.#bytes.toString('utf8', level.valueFrom, this.at)));
  }

  #keepOften(): void {
    if (this.#writer === null && this.at - this.#keptAt > this.#slice) this.#keep();
  }

  /** Makes values of all text that is whole members, at each level. */
  #keep(): void {
    const deepest = Math.min(this.#depth, keptLevels);
    for (let depth = 0; depth <= deepest; depth++) {
      const level = this.#levels[depth] as Level;
      level.target ??= level.isList ? [] : {};
      if (level.to >= level.from) this.#take(level, level.to);
      if (depth === this.#depth) break;
      const inner = depth === keptLevels ? null : (this.#levels[depth + 1] as Level);
      if (!level.isRead) {
        if (inner !== null && this.#isKept(level)) inner.target ??= inner.isList ? [] : {};
        this.#assign(level, inner?.target ?? null);
      }
      if (inner === null || inner.target === null) break;
    }
    this.#keptAt = this.at;
  }

  /** Whether anybody looks for the member at hand. */
  #isKept(level: Level): boolean {
    if (level.isList || this.#names === null) return true;
    level.name ??= this.#nameOf(level);
    return this.#names.has(level.name);
  }

  /** Puts a value that has been read into the list or object at hand. */
  #put(value: unknown): void {
    this.#keep();
    const level = this.#levels[this.#depth] as Level;
    this.#assign(level, value);
  }

  #assign(level: Level, value: unknown): void {
    level.add(level.isList ? '' : (level.name ?? this.#nameOf(level)), value, this.#names);
    level.name = null;
    level.isRead = true;
  }

  #nameOf({ nameFrom, nameTo }: Level): string {
    return JSON.parse(this.#bytes.toString('utf8', nameFrom, nameTo)) as string;
  }

  /** Reads the whole members before `to`. */
  #take(level: Level, to: number): void {
    const text = this.#bytes.toString('utf8', level.from, to);
    const read = JSON.parse(level.isList ? `[${text}]` : `{${text}}`) as Target;
    level.from = to + 1;
    if (Array.isArray(read)) for (const item of read) level.add('', item, null);
    else for (const name of Object.keys(read)) level.add(name, read[name], this.#names);
    if (level.isList && level.count > this.#mostItems) throw tooManyItems();
  }
}

/** What a JSON text holds, read at once; free-form objects of a name are `FreeFormText`. Throws SyntaxError. */
export function readJson(bytes: Buffer, freeForm: string): unknown {
  const reader = new JsonReader(bytes, { freeForm, slice: bytes.length });
  reader.advance(bytes.length);
  return reader.finish();
}

/** As `readJson`, in slices of time. */
export async function readJsonInSlices(bytes: Buffer, slices: WorkSlices, options: ReaderOptions): Promise<unknown> {
  const reader = new JsonReader(bytes, options);
  while (reader.at < bytes.length) {
    reader.advance(reader.at + bytesPerLook);
    if (slices.isOverNow()) await slices.rest();
  }
  return reader.finish();
}

function define(target: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') target[name] = value;
  else Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
}

/** The state of a number behind one more byte; null where it ends before. */
function afterDigit(state: Token, byte: number): Token | null {
  const isDigit = byte >= 0x30 && byte <= 0x39;
  switch (state) {
    case token.sign:
      if (!isDigit) throw wrong();
      return byte === 0x30 ? token.zero : token.integer;
    case token.zero:
    case token.integer:
      if (isDigit && state === token.integer) return state;
      if (byte === 0x2e) return token.point;
      return isExponent(byte) ? token.e : null;
    case token.point:
    case token.fraction:
      if (isDigit) return token.fraction;
      return isExponent(byte) && state === token.fraction ? token.e : null;
    default:
      if (isDigit) return token.exponent;
      return state === token.e && (byte === 0x2b || byte === minus) ? token.eSign : null;
  }
}

function isExponent(byte: number): boolean {
  return byte === 0x65 || byte === 0x45;
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function hexDigit(byte: number | undefined): number {
  const digit = Number.parseInt(String.fromCharCode(byte ?? 0), 16);
  if (Number.isNaN(digit)) throw wrong();
  return digit;
}

function grown(kinds: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(kinds.length * 2);
  larger.set(kinds);
  return larger;
}

function tooManyItems(): GatewayError {
  return new GatewayError('UPSTREAM_BAD_RESPONSE', {
    message: "A list of the upstream's answer holds more items than are read.",
  });
}

function wrong(): SyntaxError {
  return new SyntaxError('This is no JSON.');
}
