import { isUtf8 } from 'node:buffer';
import { bytesPerList, bytesPerLook, decodedPiece, keptLevels, keptMembers, leastItems } from '../../bounds.ts';
import { GatewayError } from '../../errors.ts';
import { define, exactNumber, illFormedText } from '../../json.ts';
import type { WorkSlices } from '../../time-slices.ts';
import { FreeFormWriter } from './free-form-writer.ts';
import { byteOrderMark, textOf } from './wire-response.ts';

// What may come next: the grammar of JSON (RFC 8259).
const next = { value: 0, valueOrEnd: 1, name: 2, nameOrEnd: 3, colon: 4, commaOrEnd: 5, nothing: 6 } as const;
type Next = (typeof next)[keyof typeof next];

const [tab, lineFeed, carriageReturn, space, quote, comma, minus, zero, nine, colon] = [
  0x09, 0x0a, 0x0d, 0x20, 0x22, 0x2c, 0x2d, 0x30, 0x39, 0x3a,
] as const;
const [openList, backslash, closeList, letterU, openObject, closeObject] = [
  0x5b, 0x5c, 0x5d, 0x75, 0x7b, 0x7d,
] as const;
const literals: ReadonlyMap<number, boolean | null> = new Map(
  [true, false, null].map((value) => [String(value).charCodeAt(0), value]),
);
const numberForm = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** Digits of an integer that a double holds exactly. */
const exactDigits = 15;
const longNumber = 1_024;
/** Characters of two escapes, such as those of a surrogate pair. */
const pairLength = 12;
const numberSigns: ReadonlySet<number> = new Set(Buffer.from('+-.eE'));
/** Characters of a text that may be met again, and the number of such texts that are remembered. */
const commonLength = 32;
const commonTexts = 1_024;

type Target = unknown[] | Record<string, unknown>;

/** How a body is read. */
export interface ReaderOptions {
  /** The name of the members that are free-form objects. */
  readonly freeForm?: string | undefined;
  /** The names that anybody looks for in a record; null: any. */
  readonly names?: ReadonlySet<string> | null;
  /** Bytes that are read at a stretch. */
  readonly stretch?: number;
}

/**
 * Reads a JSON text as JSON.parse would read it, in stretches that its size bounds. Objects of the given name become `FreeFormText`. Lists
 * and objects beyond `keptLevels`, and under names that nobody looks for, are null. An integer that a double might not hold is a raw JSON
 * number, digit for digit; a number of more digits than anybody reads is infinite.
 */
class JsonReader {
  readonly #bytes: Buffer;
  readonly #stretch: number;
  readonly #freeForm: string | undefined;
  readonly #names: ReadonlySet<string> | null;
  readonly #mostItems: number;
  readonly #common: (string | undefined)[] = Array.from({ length: commonTexts });
  /** Where reading goes on. */
  #at = 0;
  #next: Next = next.value;
  #isTextOver = true;
  /** Of each level whether it is a list. The outermost is that of the whole text, a list of one. */
  readonly #areLists = [true];
  #depth = 0;
  /** What is made of each level that is kept, how many members it has had, and the name of the member at hand. */
  readonly #targets: Target[] = [[]];
  readonly #counts = new Uint32Array(keptLevels + 1);
  #name = '';
  /** The depth of the innermost level that is kept. */
  #keptDepth = 0;
  #writer: FreeFormWriter | null = null;
  #isUtf8 = true;
  /** Whether half of a character is missing in the text that is read. */
  #hasHalf = false;
  #isNameBroken = false;

  constructor(bytes: Buffer, { freeForm, names = null, stretch = bytesPerLook }: ReaderOptions) {
    this.#bytes = bytes;
    if (bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark)) this.#at = byteOrderMark.length;
    this.#stretch = stretch;
    this.#names = names;
    this.#mostItems = Math.max(leastItems, bytes.length / bytesPerList);
    this.#freeForm = freeForm;
  }

  /** Yields after each stretch, and returns the value. Throws SyntaxError. */
  *read(): Generator<undefined, unknown> {
    const bytes = this.#bytes;
    yield* this.#checkUtf8();
    for (let end = this.#stretch; this.#at < bytes.length;) {
      if (this.#at >= end) {
        yield;
        end = this.#at + this.#stretch;
      }
      const byte = bytes[this.#at] as number;
      if (isBlank(byte)) this.#skipBlanks(end);
      else if (byte === quote) {
        const isName = this.#beginText();
        let text = this.#readText();
        while (!this.#isTextOver) {
          yield;
          text += this.#readText();
        }
        if (isName) this.#beginMember(text);
        else this.#put(this.#hasHalf ? illFormedText : text);
      } else if (byte === minus || isDigit(byte)) {
        this.#expectValue();
        const value = this.#readInteger() ?? this.#readNumber() ?? (yield* this.#readLongNumber());
        this.#put(value);
      } else this.#readSign(byte);
    }
    if (this.#next !== next.nothing) throw wrong();
    return (this.#targets[0] as unknown[])[0];
  }

  *#checkUtf8(): Generator<undefined> {
    for (let from = 0; from < this.#bytes.length && this.#isUtf8;) {
      const to = behindCharacter(this.#bytes, from + decodedPiece);
      this.#isUtf8 = isUtf8(this.#bytes.subarray(from, to));
      from = to;
      yield;
    }
  }

  get #isKept(): boolean {
    return this.#depth === this.#keptDepth;
  }

  #readSign(byte: number): void {
    if (byte === comma) this.#pass(next.commaOrEnd, this.#areLists[this.#depth] === true ? next.value : next.name);
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

  /** Returns whether the text is a name. */
  #beginText(): boolean {
    const isName = this.#next === next.name || this.#next === next.nameOrEnd;
    if (!isName) this.#expectValue();
    this.#hasHalf = false;
    this.#at++;
    return isName;
  }

  /** Reads a text to its end, or a part of it that a stretch holds; it is empty where nobody looks at it. */
  #readText(): string {
    const bytes = this.#bytes;
    const from = this.#at;
    const stretchEnd = Math.min(from + this.#stretch, bytes.length);
    let end = stretchEnd;
    let hash = 0;
    let hasEscapes = false;
    let byte: number | undefined;
    let at = from;
    for (; at < end; at++) {
      byte = bytes[at] as number;
      if (byte === quote) break;
      if (byte < space) throw wrong();
      hash = (Math.imul(hash, 31) + byte) | 0;
      if (byte !== backslash) continue;
      hasEscapes = true;
      const isUnit = bytes[at + 1] === letterU;
      // Both halves of a pair are read at one stretch.
      if (isUnit && end === stretchEnd && at + pairLength > end && isHighHalf(bytes, at))
        end = Math.min(at + pairLength, bytes.length);
      at += isUnit ? 5 : 1;
    }
    this.#isTextOver = byte === quote;
    if (!this.#isTextOver) at = behindCharacter(bytes, at);
    if (at >= bytes.length) throw wrong();
    this.#at = this.#isTextOver ? at + 1 : at;
    if (hasEscapes) return this.#unescaped(from, at);
    return this.#isKept ? this.#textOf(from, at, hash) : '';
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

  /** Half of a character is missing in a text at hand, of which this is a part. */
  #noteHalfIn(part: string): void {
    if (part.isWellFormed()) return;
    this.#hasHalf = true;
    this.#writer?.noteHalf();
  }

  /** Undefined for any other number than a short integer. */
  #readInteger(): number | undefined {
    const bytes = this.#bytes;
    const isNegative = bytes[this.#at] === minus;
    const from = isNegative ? this.#at + 1 : this.#at;
    let at = from;
    let value = 0;
    let byte = bytes[at] as number;
    const end = from + exactDigits;
    for (; byte >= zero && byte <= nine && at < end; byte = bytes[++at] as number) value = value * 10 + byte - zero;
    if (isOfNumber(byte) || at === from || (at - from > 1 && bytes[from] === zero)) return undefined;
    this.#at = at;
    return isNegative ? -value : value;
  }

  /** Undefined for a long number. */
  #readNumber(): unknown {
    let at = this.#at;
    while (at - this.#at <= longNumber && isOfNumber(this.#bytes[at])) at++;
    if (at - this.#at > longNumber) return undefined;
    const text = this.#bytes.toString('latin1', this.#at, at);
    if (!numberForm.test(text)) throw wrong();
    this.#at = at;
    return exactNumber(text);
  }

  *#readLongNumber(): Generator<undefined, number> {
    const from = this.#at;
    // No more than two digits that stand together make a difference.
    let form = '';
    let digits = 0;
    for (let byte = this.#bytes[from]; isOfNumber(byte); byte = this.#bytes[++this.#at]) {
      digits = isDigit(byte) ? digits + 1 : 0;
      if (digits <= 2) form += String.fromCharCode(byte);
      if (form.length > longNumber) throw wrong();
      if ((this.#at - from) % this.#stretch === this.#stretch - 1) yield;
    }
    if (!numberForm.test(form)) throw wrong();
    return Infinity;
  }

  #beginMember(name: string): void {
    if (this.#isKept) {
      this.#name = name;
      this.#isNameBroken = this.#hasHalf;
    }
    this.#next = next.colon;
  }

  #open(isList: boolean): void {
    this.#expectValue();
    if (this.#isKept) this.#keep(isList);
    this.#depth++;
    this.#writer?.open();
    this.#areLists[this.#depth] = isList;
    this.#next = isList ? next.valueOrEnd : next.nameOrEnd;
    this.#at++;
  }

  /** Decides what is made of a list or an object that begins. */
  #keep(isList: boolean): void {
    const isMember = this.#areLists[this.#depth] === false;
    if (isMember && !isList && this.#name === this.#freeForm) {
      this.#writer = new FreeFormWriter(this.#bytes, this.#at);
      return;
    }
    const isWanted = !isMember || this.#names === null || this.#names.has(this.#name);
    if (this.#depth === keptLevels || !isWanted) return this.#add(null);
    const target = isList ? [] : {};
    this.#add(target);
    this.#keptDepth++;
    this.#targets[this.#keptDepth] = target;
    this.#counts[this.#keptDepth] = 0;
  }

  #close(isList: boolean): void {
    const isEmpty = this.#next === (isList ? next.valueOrEnd : next.nameOrEnd);
    if (this.#areLists[this.#depth] !== isList || (!isEmpty && this.#next !== next.commaOrEnd)) throw wrong();
    this.#at++;
    this.#depth--;
    this.#writer?.close();
    if (this.#depth < this.#keptDepth) this.#keptDepth = this.#depth;
    else if (this.#writer !== null && this.#isKept) {
      this.#add(this.#writer.finish(this.#at));
      this.#writer = null;
    }
    this.#endValue();
  }

  #put(value: unknown): void {
    if (this.#isKept) this.#add(value);
    this.#endValue();
  }

  #endValue(): void {
    this.#next = this.#depth === 0 ? next.nothing : next.commaOrEnd;
  }

  #add(value: unknown): void {
    const target = this.#targets[this.#depth] as Target;
    const count = (this.#counts[this.#depth] as number) + 1;
    this.#counts[this.#depth] = count;
    if (Array.isArray(target)) {
      if (count > this.#mostItems)
        throw new GatewayError('UPSTREAM_BAD_RESPONSE', {
          message: "A list of the upstream's answer holds more items than are read.",
        });
      target.push(value);
      // No record has so many members: an object of millions would grow in a tenth of a second, and more.
    } else if (count <= keptMembers || this.#names === null || this.#names.has(this.#name))
      define(target, this.#name, this.#isNameBroken ? illFormedText : value);
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
  for (; step.done !== true; step = reading.next()) if (slices.isOverNow()) await slices.rest();
  return step.value;
}

function isBlank(byte: number | undefined): boolean {
  return byte === space || byte === lineFeed || byte === carriageReturn || byte === tab;
}

function isDigit(byte: number): boolean {
  return byte >= zero && byte <= nine;
}

function isOfNumber(byte: number | undefined): byte is number {
  return byte !== undefined && (isDigit(byte) || numberSigns.has(byte));
}

/** Whether an escape stands for the first half of a surrogate pair: `\\uD800` to `\\uDBFF`. */
function isHighHalf(bytes: Buffer, at: number): boolean {
  return /^\\ud[89ab]/i.test(bytes.toString('latin1', at, at + 4));
}

/** To behind the character of UTF-8 that a place is in the middle of. None has more than three such bytes behind its first. */
function behindCharacter(bytes: Buffer, from: number): number {
  let at = from;
  while (at < from + 3 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at++;
  return at;
}

function isTextOf(text: string, bytes: Buffer, from: number): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) !== bytes[from + index]) return false;
  return true;
}

function wrong(): SyntaxError {
  return new SyntaxError('This is no JSON.');
}
