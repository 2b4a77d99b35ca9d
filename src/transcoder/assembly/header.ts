import { afterSpace, isNull } from './grammar';
import { closeSlots, openSlots, out } from './memory';
import { assemble } from './record';
import { NULL_TEXT, shown, shownLength, text } from './shape';
import { LINES, marks, textEnd } from './text';

// Of a shape that hides: the names, each behind its length, with a zero behind the last; what is shown in place of their values.
const NAMES = 48;
const SHOWN = 56;
const SHOWN_LENGTH = 60;

/**
 * A header of an attempt as a pair, its value hidden where its name is one of a credential. Only plain names are read here, and values
 * of one line: what else may be a credential is for src/graphql/schema/http-header.ts to tell.
 */
export function header(shape: usize, from: usize): usize {
  return pairOf(shape, from, false);
}

/** A header of an attempt as a pair of any texts, with nothing hidden. */
export function openHeader(shape: usize, from: usize): usize {
  return pairOf(shape, from, true);
}

function pairOf(shape: usize, from: usize, isOpen: bool): usize {
  if (load<u8>(from) != 0x5b) return 0;
  const first = openSlots(2);
  if (first == 0) return 0;
  const start = out;
  const end = pair(shape, from, first, isOpen);
  closeSlots(first);
  return end != 0 && assemble(shape, first, start) ? end : 0;
}

function pair(shape: usize, from: usize, first: usize, isOpen: bool): usize {
  const name = afterSpace(from + 1);
  const nameEnd = isOpen ? openText(name, first) : plainName(name, first);
  if (nameEnd == 0) return 0;
  const comma = afterSpace(nameEnd);
  if (load<u8>(comma) != 0x2c) return 0;
  const value = afterSpace(comma + 1);
  const end = isOpen
    ? openText(value, first + 8)
    : valueOf(shape, value, first + 8, isHidden(shape, name + 1, nameEnd - 1));
  if (end == 0) return 0;
  const close = afterSpace(end);
  return load<u8>(close) == 0x5d ? close + 1 : 0;
}

function plainName(at: usize, slot: usize): usize {
  if (load<u8>(at) != 0x22) return 0;
  const end = plainNameEnd(at + 1);
  if (end == 0) return 0;
  fill(slot, at, (end - at + 1) as u32);
  return end + 1;
}

function openText(at: usize, slot: usize): usize {
  if (isNull(at)) {
    fill(slot, NULL_TEXT, 4);
    return at + 4;
  }
  const end = text(at);
  if (end != 0) fill(slot, shown, shownLength);
  return end;
}

function valueOf(shape: usize, at: usize, slot: usize, hides: bool): usize {
  if (isNull(at)) {
    fill(slot, NULL_TEXT, 4);
    return at + 4;
  }
  const end = text(at);
  if (end == 0 || (marks & LINES) != 0) return 0;
  if (hides) fill(slot, load<u32>(shape, SHOWN), load<u32>(shape, SHOWN_LENGTH));
  else fill(slot, shown, shownLength);
  return end;
}

function fill(slot: usize, from: usize, length: u32): void {
  store<u32>(slot, from as u32);
  store<u32>(slot, length, 4);
}

/** To the quotation mark behind letters, digits, `-` and `_`, the first of them a letter or digit; 0 for anything else. */
function plainNameEnd(from: usize): usize {
  const first = load<u8>(from);
  if (first == 0x22 || first == 0x2d || first == 0x5f) return 0;
  for (let at = from; ; at += 16) {
    const block = v128.load(at);
    const lower = v128.or(block, i8x16.splat(0x20));
    const letters = i8x16.lt_u(i8x16.sub(lower, i8x16.splat(0x61)), i8x16.splat(26));
    const digits = i8x16.lt_u(i8x16.sub(block, i8x16.splat(0x30)), i8x16.splat(10));
    const joints = v128.or(i8x16.eq(block, i8x16.splat(0x2d)), i8x16.eq(block, i8x16.splat(0x5f)));
    const others = i8x16.bitmask(v128.or(v128.or(letters, digits), joints)) ^ 0xffff;
    if (others == 0) continue;
    const end = at + ctz(others);
    return load<u8>(end) == 0x22 ? end : 0;
  }
}

/** Whether a plain name is one of those that the shape hides, in any case. */
function isHidden(shape: usize, from: usize, end: usize): bool {
  let word: usize = load<u32>(shape, NAMES);
  while (true) {
    const length: usize = load<u8>(word);
    if (length == 0) return false;
    if (length == end - from) {
      let at: usize = 0;
      // No two characters of plain names become one by this bit but a letter's two cases.
      while (at < length && (load<u8>(from + at) | 0x20) == (load<u8>(word + 1 + at) | 0x20)) at++;
      if (at == length) return true;
    }
    word += length + 1;
  }
}
