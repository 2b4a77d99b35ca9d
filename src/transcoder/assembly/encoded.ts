import { moveOut, out, OUTPUT_END, writeByte, writeNull, writeText } from './memory';
import { textEnd, writeString } from './text';

// Of the shape: what stands before the parts and behind them, how long a part may be, and of each part its slot and whether it must be.
const BEFORE = 4;
const BEHIND = 12;
const LONGEST_PART = 20;
export const PARTS_END = 24;
export const PARTS = 28;
export const PART_SIZE = 8;

/** So long may it be, and so far behind its place it is put together. */
const LONGEST: usize = 8_192;

// Two bytes for each character.
const ALPHABET = changetype<usize>('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_');

/** Writes texts of a record as JSON in base64url; 0 where that is not for here. A part that is no text is null. */
export function encoded(shape: usize, first: usize): usize {
  const start = out;
  const behind = start + LONGEST;
  if (behind + LONGEST > OUTPUT_END) return 0;
  moveOut(behind);
  writeText(shape + BEFORE);
  for (let part = shape + PARTS; part < shape + load<u32>(shape, PARTS_END); part += PART_SIZE) {
    if (part > shape + PARTS) writeByte(0x2c);
    const at: usize = load<u32>(first + load<u32>(part));
    if (at != 0 && load<u8>(at) == 0x22) {
      if (textEnd(at) - at > load<u32>(shape, LONGEST_PART) || writeString(at) == 0) return 0;
    } else if (load<u32>(part, 4) != 0 || !writeNull()) return 0;
  }
  writeText(shape + BEHIND);
  const end = out;
  if (((end - behind) << 2) / 3 + 4 > LONGEST) return 0;
  moveOut(start);
  writeByte(0x22);
  encode(behind, end);
  return writeByte(0x22) ? 1 : 0;
}

function encode(from: usize, end: usize): void {
  for (let at = from; at < end; at += 3) {
    const left = end - at;
    const bits: u32 = (load<u8>(at) << 16) | (left > 1 ? load<u8>(at + 1) << 8 : 0) | (left > 2 ? load<u8>(at + 2) : 0);
    writeSextet(bits >> 18);
    writeSextet(bits >> 12);
    if (left > 1) writeSextet(bits >> 6);
    if (left > 2) writeSextet(bits);
  }
}

function writeSextet(bits: u32): void {
  writeByte(load<u8>(ALPHABET + ((bits & 63) << 1)));
}
