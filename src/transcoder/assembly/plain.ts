import { ALSE, NULL, TRUE } from './grammar';
import { integerEnd } from './leaf';
import { moveOut, out, OUTPUT_END } from './memory';
import { BOOLEAN, INTEGER, isFormed, NULL_TEXT, TEXT } from './shape';
import { SHOWN_AS_NULL } from './slot';

// What most members are is written in one pass: a text without escapes, a whole number, a boolean or null that is shown as it stands.

/** Longer texts are left to the general way. */
const LONGEST: usize = 4_096;

/**
 * Writes what stands before a member, and its value, and notes in its slot where the value stands; to behind it. 0 where the value has
 * to be looked at more closely: then nothing is written.
 */
export function writePlain(before: usize, length: usize, shape: usize, absence: u32, slot: usize, from: usize): usize {
  const to = out + length;
  if (to + LONGEST > OUTPUT_END || load<u32>(slot) != 0) return 0;
  for (let at: usize = 0; at < length; at += 16) v128.store(out + at, v128.load(before + at));
  if (load<u32>(from) == NULL) return absence == SHOWN_AS_NULL ? writeNull(to, slot, from) : 0;
  const end = copyPlain(load<u32>(shape), from, to);
  if (end == 0) return 0;
  store<u32>(slot, from as u32);
  store<u32>(slot, (end - from) as u32, 4);
  moveOut(to + (end - from));
  return end;
}

function writeNull(to: usize, slot: usize, from: usize): usize {
  store<u32>(to, NULL);
  store<u32>(slot, NULL_TEXT as u32);
  store<u32>(slot, 4, 4);
  moveOut(to + 4);
  return from + 4;
}

/** Copies a value of this kind; to behind it, or 0. */
function copyPlain(kind: u32, from: usize, to: usize): usize {
  if (load<u8>(from) == 0x22) {
    const end = copyText(from, to);
    return end != 0 && (kind == TEXT || isFormed(kind, from + 1, end - 1)) ? end : 0;
  }
  // No value of these kinds is longer.
  v128.store(to, v128.load(from));
  if (kind == INTEGER) return integerEnd(from);
  if (kind != BOOLEAN) return 0;
  if (load<u32>(from) == TRUE) return from + 4;
  return load<u8>(from) == 0x66 && load<u32>(from + 1) == ALSE ? from + 5 : 0;
}

/** Copies a text without escapes; to behind it, or 0. */
function copyText(from: usize, to: usize): usize {
  store<u8>(to, 0x22);
  for (let at: usize = 1; at < LONGEST - 16; at += 16) {
    const block = v128.load(from + at);
    v128.store(to + at, block);
    const quotes = i8x16.bitmask(i8x16.eq(block, i8x16.splat(0x22)));
    const others = i8x16.bitmask(v128.or(i8x16.eq(block, i8x16.splat(0x5c)), i8x16.lt_u(block, i8x16.splat(0x20))));
    if ((others & (quotes ^ (quotes - 1))) != 0) return 0;
    if (quotes != 0) return from + at + ctz(quotes) + 1;
  }
  return 0;
}
