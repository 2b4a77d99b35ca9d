import { afterSpace } from './json';
import { NULL, write, writeNull, writeText } from './memory';
import { LINES, marks, textOrNullEnd, writeTextOrNull } from './text';

// Of the shape: the names whose values are hidden, each behind its length, with a zero behind the last.
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
  const isHidden = load<u32>(value) != NULL && isAmong(hidden, name + 1, nameEnd - 1);
  let end: usize = 0;
  for (let part = shape + PARTS; part < shape + load<u32>(shape, PARTS_END); part += PART_SIZE) {
    if (!writeText(part)) return 0;
    if (load<u32>(part, 8) == 0) {
      if (!write(name, nameEnd - name)) return 0;
    } else if (!isHidden) end = writeTextOrNull(value);
    else if (!writeText(shape + COVER)) return 0;
  }
  if (end == 0) end = textOrNullEnd(value);
  if (end == 0 || (marks & LINES) != 0) return 0;
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
