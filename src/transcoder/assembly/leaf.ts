import * as kinds from './kind';
import { afterSpace, freeFormEnd, integerEnd, literalEnd } from './json';
import { FORM_SIZE, FORMS, NULL, write, writeText } from './memory';
import { LINES, marks, usualEnd } from './text';

/** Writes a text, a number, a boolean or a free-form value, none of them `null`; to behind it, or 0 where it is not as it should be. */
export function leaf(shape: usize, at: usize): usize {
  switch (load<u32>(shape)) {
    case kinds.text:
      return writePlain(at, usualEnd(at));
    case kinds.form: {
      const end = usualEnd(at);
      return end != 0 && marks == 0 && isOfForm(load<u32>(shape, 4), at + 1, end - 1) ? writePlain(at, end) : 0;
    }
    case kinds.bare: {
      const end = usualEnd(at);
      return marks == 0 && !holdsAtSign(at, end) ? writePlain(at, end) : 0;
    }
    case kinds.integer:
      return writePlain(at, integerEnd(at));
    case kinds.boolean:
      return writePlain(at, load<u32>(at) == NULL ? 0 : literalEnd(at));
    case kinds.freeForm:
      return writePlain(at, freeFormEnd(at));
    default:
      return 0;
  }
}

function holdsAtSign(from: usize, end: usize): bool {
  for (let at = from; at < end; at += 16) {
    const signs = i8x16.bitmask(i8x16.eq(v128.load(at), i8x16.splat(0x40)));
    if (signs != 0) return at + ctz(signs) < end;
  }
  return false;
}

/** As it stands. */
export function writePlain(at: usize, end: usize): usize {
  return end != 0 && write(at, end - at) ? end : 0;
}

/** Whether a text is of the form with this number. That is asked of transcoder.ts. */
declare function accepts(form: u32, from: usize, end: usize): bool;

// Of each form four texts that were accepted last, each of another length, with zeros for their digits, and their lengths.
const LENGTH = 32;
const TEXT_SIZE = 64;

/** Whether a text is of a form. Texts that differ in digits alone are of the same forms: most are like the last one. */
function isOfForm(number: u32, from: usize, end: usize): bool {
  const length = end - from;
  const form = FORMS + number * FORM_SIZE + (length & 3) * TEXT_SIZE;
  const head = withoutDigits(v128.load(from));
  const tail = withoutDigits(v128.load(from + 16));
  if (length == load<u32>(form, LENGTH)) {
    const others =
      i8x16.bitmask(i8x16.ne(head, v128.load(form))) | (i8x16.bitmask(i8x16.ne(tail, v128.load(form, 16))) << 16);
    if (others == 0 || (ctz(others) as usize) >= length) return true;
  }
  if (!accepts(number, from, end)) return false;
  if (length <= 32) {
    v128.store(form, head);
    v128.store(form, tail, 16);
    store<u32>(form, length as u32, LENGTH);
  }
  return true;
}

function withoutDigits(block: v128): v128 {
  const zero = i8x16.splat(0x30);
  return v128.bitselect(zero, block, i8x16.lt_u(i8x16.sub(block, zero), i8x16.splat(10)));
}

// Of the shape of a pair: the names whose values are hidden, each behind its length, with a zero behind the last.
const HIDDEN = 4;
/** What is shown in place of a hidden value. */
const COVER = 8;
const TAIL = 16;
const PARTS_END = 24;
/** For each part what stands before it, and whether it is the name, 0, or the value, 1. */
const PARTS = 28;
const PART_SIZE = 12;

/**
 * Writes a pair `[name, value]` as a record; to behind it, or 0. Only plain names and values of one line are for here: what else may have
 * to be hidden is for others to tell.
 */
export function pair(shape: usize, from: usize): usize {
  if (load<u8>(from) != 0x5b) return 0;
  const hidden: usize = load<u32>(shape, HIDDEN);
  const name = afterSpace(from + 1);
  const nameEnd = plainNameEnd(name);
  if (nameEnd == 0) return 0;
  const comma = afterSpace(nameEnd);
  if (load<u8>(comma) != 0x2c) return 0;
  const value = afterSpace(comma + 1);
  const isNull = load<u32>(value) == NULL;
  const isHidden = !isNull && isAmong(hidden, name + 1, nameEnd - 1);
  const end = isNull ? value + 4 : usualEnd(value);
  if (end == 0 || (!isNull && (marks & LINES) != 0)) return 0;
  for (let part = shape + PARTS; part < shape + load<u32>(shape, PARTS_END); part += PART_SIZE) {
    if (!writeText(part)) return 0;
    if (load<u32>(part, 8) == 0) {
      if (!write(name, nameEnd - name)) return 0;
    } else if (!(isHidden ? writeText(shape + COVER) : write(value, end - value))) return 0;
  }
  const close = afterSpace(end);
  return load<u8>(close) == 0x5d && writeText(shape + TAIL) ? close + 1 : 0;
}

/** To behind a text of letters, digits, `-` and `_`, the first of them a letter or digit; 0 for anything else. */
function plainNameEnd(from: usize): usize {
  const first = load<u8>(from + 1);
  if (load<u8>(from) != 0x22 || first == 0x22 || first == 0x2d || first == 0x5f) return 0;
  for (let at = from + 1; ; at += 16) {
    const block = v128.load(at);
    const lower = v128.or(block, i8x16.splat(0x20));
    const letters = i8x16.lt_u(i8x16.sub(lower, i8x16.splat(0x61)), i8x16.splat(26));
    const digits = i8x16.lt_u(i8x16.sub(block, i8x16.splat(0x30)), i8x16.splat(10));
    const joints = v128.or(i8x16.eq(block, i8x16.splat(0x2d)), i8x16.eq(block, i8x16.splat(0x5f)));
    const others = i8x16.bitmask(v128.or(v128.or(letters, digits), joints)) ^ 0xffff;
    if (others == 0) continue;
    const end = at + ctz(others);
    return load<u8>(end) == 0x22 ? end + 1 : 0;
  }
}

/** Whether a plain name is one of these, in any case. */
function isAmong(hidden: usize, from: usize, end: usize): bool {
  for (let word = hidden; load<u8>(word) != 0; word += load<u8>(word) + 1) {
    const length: usize = load<u8>(word);
    if (length != end - from) continue;
    let at: usize = 0;
    // No two characters of plain names become one by this bit but a letter's two cases.
    while (at < length && (load<u8>(from + at) | 0x20) == (load<u8>(word + 1 + at) | 0x20)) at++;
    if (at == length) return true;
  }
  return false;
}
