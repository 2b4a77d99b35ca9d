import { moveOut, NULL, out, OUTPUT_END, writeNull } from './memory';

/** Of the text that was looked at last. */
export let marks: u32 = 0;
/** It holds an escape. */
export const ESCAPED: u32 = 1;
/** One of them is not written as JSON.stringify writes it. */
export const UNUSUAL: u32 = 2;
/** One of them is, or may be, the end of a line. */
export const LINES: u32 = 4;

/** To behind a text or `null`; 0 for anything else. */
export function textOrNullEnd(at: usize): usize {
  marks = 0;
  if (load<u32>(at) == NULL) return at + 4;
  return load<u8>(at) == 0x22 ? textEnd(at) : 0;
}

/** Writes a text or `null`; to behind it, or 0. */
export function writeTextOrNull(at: usize): usize {
  marks = 0;
  if (load<u32>(at) == NULL) return writeNull() ? at + 4 : 0;
  return writeString(at);
}

/** From the quotation mark that begins a text to behind the one that ends it; 0 where it is none. UTF-8 has been checked before. */
export function textEnd(from: usize): usize {
  let at = from + 1;
  marks = 0;
  while (true) {
    const block = v128.load(at);
    const quotes = i8x16.bitmask(i8x16.eq(block, i8x16.splat(0x22)));
    const others = i8x16.bitmask(v128.or(i8x16.eq(block, i8x16.splat(0x5c)), i8x16.lt_u(block, i8x16.splat(0x20))));
    // Of the bytes up to the first quotation mark, or of all where there is none.
    if ((others & (quotes ^ (quotes - 1))) == 0) {
      if (quotes != 0) return at + ctz(quotes) + 1;
      at += 16;
      continue;
    }
    at += ctz(others);
    if (load<u8>(at) != 0x5c) return 0;
    at = escapeEnd(at);
    if (at == 0) return 0;
  }
}

/** Writes a text as JSON.stringify would; to behind it, or 0 where it is none or there is no room. */
export function writeString(from: usize): usize {
  if (load<u8>(from) != 0x22) return 0;
  const to = out - from;
  let at = from + 1;
  store<u8>(out, 0x22);
  marks = 0;
  while (at + to < OUTPUT_END) {
    const block = v128.load(at);
    v128.store(at + to, block);
    const quotes = i8x16.bitmask(i8x16.eq(block, i8x16.splat(0x22)));
    const others = i8x16.bitmask(v128.or(i8x16.eq(block, i8x16.splat(0x5c)), i8x16.lt_u(block, i8x16.splat(0x20))));
    if ((others & (quotes ^ (quotes - 1))) == 0) {
      if (quotes == 0) {
        at += 16;
        continue;
      }
      const end = at + ctz(quotes) + 1;
      if ((marks & UNUSUAL) == 0) moveOut(end + to);
      else if (!writeNormal(from, end)) return 0;
      return end;
    }
    at += ctz(others);
    if (load<u8>(at) != 0x5c) return 0;
    store<u64>(at + to, load<u64>(at));
    at = escapeEnd(at);
    if (at == 0) return 0;
  }
  return 0;
}

function escapeEnd(at: usize): usize {
  const byte = load<u8>(at + 1);
  marks |= ESCAPED;
  switch (byte) {
    case 0x22: // "
    case 0x5c: // \
    case 0x62: // b
    case 0x66: // f
    case 0x74: // t
      return at + 2;
    case 0x6e: // n
    case 0x72: // r
      marks |= LINES;
      return at + 2;
    case 0x2f: // /
      marks |= UNUSUAL;
      return at + 2;
    case 0x75: // u
      marks |= UNUSUAL | LINES;
      return codeUnit(at) < 0 ? 0 : at + 6;
    default:
      return 0;
  }
}

/** The unit that `\uXXXX` stands for; negative where it is none. */
function codeUnit(at: usize): i32 {
  let unit = 0;
  for (let index: usize = 2; index < 6; index++) {
    const byte = load<u8>(at + index) as i32;
    const letter = byte | 0x20;
    if (byte >= 0x30 && byte <= 0x39) unit = (unit << 4) | (byte - 0x30);
    else if (letter >= 0x61 && letter <= 0x66) unit = (unit << 4) | (letter - 0x57);
    else return -1;
  }
  return unit;
}

/** Writes a text with unusual escapes; false for such as stand for half a character, or for what JSON.stringify would escape again. */
function writeNormal(from: usize, end: usize): bool {
  let to = out;
  for (let at = from; at < end;) {
    const byte = load<u8>(at);
    if (byte != 0x5c) {
      store<u8>(to++, byte);
      at++;
    } else if (load<u8>(at + 1) == 0x2f) {
      store<u8>(to++, 0x2f);
      at += 2;
    } else if (load<u8>(at + 1) != 0x75) {
      store<u16>(to, load<u16>(at));
      to += 2;
      at += 2;
    } else {
      const unit = codeUnit(at);
      if (unit < 0x20 || unit == 0x22 || unit == 0x5c || (unit & 0xf800) == 0xd800) return false;
      to = writeUnit(to, unit);
      at += 6;
    }
  }
  moveOut(to);
  return true;
}

/** As UTF-8. */
function writeUnit(to: usize, unit: i32): usize {
  if (unit < 0x80) {
    store<u8>(to, unit);
    return to + 1;
  }
  if (unit < 0x800) {
    store<u8>(to, 0xc0 | (unit >> 6));
    store<u8>(to + 1, 0x80 | (unit & 63));
    return to + 2;
  }
  store<u8>(to, 0xe0 | (unit >> 12));
  store<u8>(to + 1, 0x80 | ((unit >> 6) & 63));
  store<u8>(to + 2, 0x80 | (unit & 63));
  return to + 3;
}

/** Whether two places have the same bytes. */
export function isSame(left: usize, right: usize, length: usize): bool {
  for (let at: usize = 0; at < length; at += 16) {
    const others = ~i8x16.bitmask(i8x16.eq(v128.load(left + at), v128.load(right + at))) & 0xffff;
    if (others != 0) return at + ctz(others) >= length;
  }
  return true;
}

/** Whether a text with its quotation marks is the one that a table names. */
export function isText(table: usize, from: usize, end: usize): bool {
  const length: usize = load<u32>(table, 4);
  return end - from == length && isSame(from, load<u32>(table), length);
}
