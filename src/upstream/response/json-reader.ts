import { isUtf8 } from 'node:buffer';
import { BodyChunks } from '../../body-chunks.ts';
import { jsonLevels, largeBody } from '../../bounds.ts';
import { GatewayError } from '../../errors.ts';
import { define, exactNumber, FreeFormText, illFormedText } from '../../json.ts';
import { isSliceOver, type WorkSlices } from '../../time-slices.ts';
import { byteOrderMark, textOf } from './wire-response.ts';

/** Bytes of a large body between two looks at the clock: they take a tenth of a millisecond to be read. */
const bytesPerLook = 16_384;

/** A large body may hold one value for so many bytes, beside those of free-form objects: reports have one for fifteen. */
const bytesPerValue = 8;

/** Members of an object of a large body that are read: records have some thirty, and an object of millions grows for half a second. */
const mostMembers = 10_000;

/** Levels whose lists and objects are kept: no field is as deep, and a list in a list takes two hundred bytes. */
const keptLevels = 32;

/** Levels of a body, of free-form objects too: what is known of each takes sixteen bytes. */
const mostLevels = 1_000_000;

// What may come next: the grammar of JSON (RFC 8259).
const next = { value: 0, valueOrEnd: 1, name: 2, nameOrEnd: 3, colon: 4, commaOrEnd: 5, nothing: 6 } as const;
type Next = (typeof next)[keyof typeof next];

const [tab, lineFeed, carriageReturn, space, quote, comma, minus, zero, nine, colon] = [
  0x09, 0x0a, 0x0d, 0x20, 0x22, 0x2c, 0x2d, 0x30, 0x39, 0x3a,
] as const;
const [openList, backslash, closeList, openObject, closeObject] = [0x5b, 0x5c, 0x5d, 0x7b, 0x7d] as const;
const literals: ReadonlyMap<number, boolean | null> = new Map(
  [true, false, null].map((value) => [String(value).charCodeAt(0), value]),
);
const numberForm = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const longNumber = 1_024;
const numberSigns: ReadonlySet<number> = new Set(Buffer.from('+-.eE'));
/** Characters of a text that may be met again, and the number of such texts that are remembered. */
const commonLength = 32;
const commonTexts = 1_024;

type Target = unknown[] | Record<string, unknown>;
/** Stand for the lists and objects that are not kept: nothing is made of them. */
const [someList, someObject]: readonly [Target, Target] = [[], {}];

/** How a body is read. */
export interface ReaderOptions {
  /** The name of the members that are free-form objects. */
  readonly freeForm?: string | undefined;
  /** Bytes that are read at a stretch, but for a text or a number, which is read whole. */
  readonly stretch?: number;
}

/**
 * Reads a JSON text as JSON.parse would read it, in stretches. Objects of the given name become `FreeFormText`; lists and objects beyond
 * `keptLevels` are null. An integer that a double might not hold is a raw JSON number, digit for digit; a number of more digits than
 * anybody reads is infinite.
 */
class JsonReader {
  readonly #bytes: Buffer;
  readonly #stretch: number;
  readonly #freeForm: string | undefined;
  readonly #isUtf8: boolean;
  readonly #common: (string | undefined)[] = Array.from({ length: commonTexts });
  readonly #mostMembers: number;
  #valuesLeft: number;
  /** Where reading goes on. */
  #at = 0;
  #next: Next = next.value;
  /** What is made of the level at hand, and of those around it. The outermost is that of the whole text, a list of one. */
  #target: Target = [];
  readonly #around: Target[] = [];
  /** How many more members each of these levels may have. */
  readonly #membersLeft: number[] = [];
  /** The name of the member at hand. */
  #name = '';
  #isNameBroken = false;
  #writer: FreeFormWriter | null = null;
  /** Whether half of a character is missing in the text that is read. */
  #hasHalf = false;

  constructor(bytes: Buffer, { freeForm, stretch = bytesPerLook }: ReaderOptions) {
    this.#bytes = bytes;
    if (bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark)) this.#at = byteOrderMark.length;
    this.#stretch = stretch;
    this.#freeForm = freeForm;
    this.#isUtf8 = isUtf8(bytes);
    const isLarge = bytes.length >= largeBody;
    this.#mostMembers = isLarge ? mostMembers : Infinity;
    this.#valuesLeft = isLarge ? bytes.length / bytesPerValue : Infinity;
  }

  /** Yields after each stretch, and returns the value. Throws SyntaxError. */
  *read(): Generator<undefined, unknown> {
    const bytes = this.#bytes;
    for (let end = this.#stretch; this.#at < bytes.length;) {
      if (this.#at >= end) {
        yield;
        end = this.#at + this.#stretch;
      }
      const byte = bytes[this.#at] as number;
      if (isBlank(byte)) this.#skipBlanks(end);
      else if (byte === quote) {
        if (this.#next === next.name || this.#next === next.nameOrEnd) this.#beginMember(this.#readText());
        else {
          this.#expectValue();
          const text = this.#readText();
          this.#put(this.#hasHalf ? illFormedText : text);
        }
      } else if (byte === minus || isDigit(byte)) {
        this.#expectValue();
        this.#put(this.#readNumber());
      } else this.#readSign(byte);
    }
    if (this.#next !== next.nothing) throw wrong();
    return (this.#target as unknown[])[0];
  }

  #readSign(byte: number): void {
    if (byte === comma) this.#pass(next.commaOrEnd, Array.isArray(this.#target) ? next.value : next.name);
    else if (byte === colon) this.#pass(next.colon, next.value);
    else if (byte === openList || byte === openObject) this.#open(byte === openList);
    else if (byte === closeList || byte === closeObject) this.#close(byte === closeList);
    else this.#readLiteral(byte);
  }

  #pass(expected: Next, then: Next): void {
    if (this.#next !== expected) throw wrong();
    this.#next = then;
    this.#at++;
  }

  #expectValue(): void {
    if (this.#next !== next.value && this.#next !== next.valueOrEnd) throw wrong();
  }

  #skipBlanks(end: number): void {
    const from = this.#at;
    do this.#at++;
    while (this.#at < end && isBlank(this.#bytes[this.#at]));
    this.#writer?.replace(from, this.#at);
  }

  #readLiteral(byte: number): void {
    this.#expectValue();
    const value = literals.get(byte);
    const end = this.#at + String(value).length;
    if (value === undefined || this.#bytes.toString('latin1', this.#at, end) !== String(value)) throw wrong();
    this.#at = end;
    this.#put(value);
  }

  /** The text that begins here; empty within a free-form object, where nobody looks at it, unless it has escapes. */
  #readText(): string {
    const bytes = this.#bytes;
    const from = this.#at + 1;
    let hash = 0;
    let hasEscapes = false;
    let at = from;
    for (let byte = bytes[at]; byte !== quote; byte = bytes[++at]) {
      if (byte === undefined || byte < space) throw wrong();
      hash = (Math.imul(hash, 31) + byte) | 0;
      if (byte !== backslash) continue;
      hasEscapes = true;
      at++;
    }
    this.#at = at + 1;
    this.#hasHalf = false;
    if (hasEscapes) return this.#unescaped(from, at);
    return this.#writer === null ? this.#textOf(from, at, hash) : '';
  }

  #unescaped(from: number, to: number): string {
    const text = JSON.parse(`"${this.#decoded(from, to)}"`) as string;
    this.#noteHalfIn(text);
    this.#writer?.replace(from, to, JSON.stringify(text).slice(1, -1));
    return text;
  }

  /** The text of some bytes without escapes. To look for it among the latest texts takes less time than to make it, and less memory. */
  #textOf(from: number, to: number, hash: number): string {
    const length = to - from;
    if (length > commonLength || !this.#isUtf8) return this.#decoded(from, to);
    const slot = (hash ^ length) & (commonTexts - 1);
    const known = this.#common[slot];
    if (known?.length === length && isTextOf(known, this.#bytes, from)) return known;
    const text = this.#bytes.toString('utf8', from, to);
    this.#common[slot] = text;
    return text;
  }

  #decoded(from: number, to: number): string {
    if (this.#isUtf8) return this.#bytes.toString('utf8', from, to);
    const text = textOf(this.#bytes.subarray(from, to));
    this.#noteHalfIn(text);
    return text;
  }

  #noteHalfIn(text: string): void {
    if (text.isWellFormed()) return;
    this.#hasHalf = true;
    this.#writer?.noteHalf();
  }

  #readNumber(): unknown {
    let at = this.#at;
    while (isOfNumber(this.#bytes[at])) at++;
    const text = this.#bytes.toString('latin1', this.#at, at);
    if (!numberForm.test(text)) throw wrong();
    this.#at = at;
    return text.length > longNumber ? Infinity : exactNumber(text);
  }

  #beginMember(name: string): void {
    if (this.#writer === null) {
      this.#name = name;
      this.#isNameBroken = this.#hasHalf;
    }
    this.#next = next.colon;
  }

  #open(isList: boolean): void {
    this.#expectValue();
    const isFreeForm = !isList && this.#name === this.#freeForm && !Array.isArray(this.#target);
    if (this.#writer === null && isFreeForm) this.#writer = new FreeFormWriter(this.#bytes, this.#at);
    this.#writer?.open();
    if (this.#writer === null && this.#around.length <= keptLevels) {
      const target = isList ? [] : {};
      this.#add(target);
      this.#enter(target);
    } else {
      if (this.#writer === null) this.#add(null);
      this.#enter(isList ? someList : someObject);
    }
    this.#next = isList ? next.valueOrEnd : next.nameOrEnd;
    this.#at++;
  }

  #enter(target: Target): void {
    if (this.#around.length > mostLevels) throw tooManyValues();
    this.#membersLeft[this.#around.push(this.#target)] = this.#mostMembers;
    this.#target = target;
  }

  #close(isList: boolean): void {
    const isEmpty = this.#next === (isList ? next.valueOrEnd : next.nameOrEnd);
    if (Array.isArray(this.#target) !== isList || (!isEmpty && this.#next !== next.commaOrEnd)) throw wrong();
    this.#at++;
    this.#target = this.#around.pop() ?? [];
    if (this.#writer?.close() === true) {
      this.#add(this.#writer.finish(this.#at));
      this.#writer = null;
    }
    this.#endValue();
  }

  #put(value: unknown): void {
    if (this.#writer === null) this.#add(value);
    this.#endValue();
  }

  #endValue(): void {
    this.#next = this.#around.length === 0 ? next.nothing : next.commaOrEnd;
  }

  #add(value: unknown): void {
    if (this.#target === someList || this.#target === someObject) return;
    if (this.#valuesLeft-- <= 0) throw tooManyValues();
    if (Array.isArray(this.#target)) this.#target.push(value);
    else if (this.#takesMember()) define(this.#target, this.#name, this.#isNameBroken ? illFormedText : value);
  }

  #takesMember(): boolean {
    const left = this.#membersLeft[this.#around.length] ?? 0;
    this.#membersLeft[this.#around.length] = left - 1;
    // For the one member of `{"1023":1}`, V8 makes room for a thousand. No field has a number for a name.
    return left > 0 && (this.#mostMembers === Infinity || !isDigit(this.#name.charCodeAt(0)));
  }
}

function tooManyValues(): GatewayError {
  return new GatewayError('UPSTREAM_BAD_RESPONSE', {
    message: "The upstream's answer holds more values than are read.",
  });
}

/**
 * Writes a free-form object as it came, without blanks, and texts with the escapes that they need: members in their order, numbers digit
 * for digit. Most of what is written are the bytes of the body.
 */
class FreeFormWriter {
  readonly #bytes: Buffer;
  readonly #pieces = new BodyChunks();
  /** Where the part of the body begins that is still to be written. */
  #from: number;
  #levels = 0;
  #isTooDeep = false;
  #isWellFormed = true;

  constructor(bytes: Buffer, from: number) {
    this.#bytes = bytes;
    this.#from = from;
  }

  open(): void {
    this.#levels++;
    this.#isTooDeep ||= this.#levels > jsonLevels;
  }

  /** Whether the whole object has ended with this level. */
  close(): boolean {
    return --this.#levels === 0;
  }

  /** Leaves a part of the body out, or writes another text in its place. */
  replace(from: number, to: number, text = ''): void {
    if (from > this.#from) this.#write(this.#bytes.subarray(this.#from, from));
    this.#from = to;
    if (text !== '') this.#write(Buffer.from(text));
  }

  /** Half of a character is missing in a text or a name. */
  noteHalf(): void {
    this.#isWellFormed = false;
  }

  /** What has been written, once all of it has come. */
  finish(to: number): unknown {
    this.replace(to, to);
    return this.#isTooDeep ? illFormedText : new FreeFormText(this.#pieces.all, this.#isWellFormed);
  }

  #write(bytes: Buffer): void {
    this.#isWellFormed &&= isUtf8(bytes);
    this.#pieces.add(bytes);
  }
}

/** What a JSON text holds, read at once; free-form objects of a name are `FreeFormText`. Throws SyntaxError. */
export function readJson(bytes: Buffer, options: ReaderOptions): unknown {
  const reading = new JsonReader(bytes, options).read();
  let step = reading.next();
  while (step.done !== true) step = reading.next();
  return step.value;
}

/** As `readJson`, in slices of time. */
export async function readJsonInSlices(bytes: Buffer, slices: WorkSlices, options: ReaderOptions): Promise<unknown> {
  const reading = new JsonReader(bytes, options).read();
  let step = reading.next();
  for (; step.done !== true; step = reading.next()) if (isSliceOver()) await slices.rest();
  return step.value;
}

function isBlank(byte: number | undefined): boolean {
  return byte === space || byte === lineFeed || byte === carriageReturn || byte === tab;
}

function isDigit(byte: number): boolean {
  return byte >= zero && byte <= nine;
}

function isOfNumber(byte: number | undefined): boolean {
  return byte !== undefined && (isDigit(byte) || numberSigns.has(byte));
}

function isTextOf(text: string, bytes: Buffer, from: number): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) !== bytes[from + index]) return false;
  return true;
}

function wrong(): SyntaxError {
  return new SyntaxError('This is no JSON.');
}
