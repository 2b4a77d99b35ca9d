import { out, moveOut, OUTPUT_END } from './memory';

/** Of the text that was looked at last. */
export let marks: u32 = 0;
/** It holds an escape. */
export const ESCAPED: u32 = 1;
/** One of them is not written as JSON.stringify writes it. */
export const UNUSUAL: u32 = 2;
/** One of them is, or may be, the end of a line. */
export const LINES: u32 = 4;

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

/** Writes a text as JSON.stringify would, quotation marks included; false where there is no room. It never becomes longer. */
export function writeNormal(from: usize, end: usize): bool {
  let to = out;
  if (to + (end - from) > OUTPUT_END) return false;
  for (let at = from; at < end;) {
    const byte = load<u8>(at);
    if (byte != 0x5c) {
      store<u8>(to++, byte);
      at++;
      continue;
    }
    const kind = load<u8>(at + 1);
    if (kind == 0x2f) {
      store<u8>(to++, kind);
      at += 2;
    } else if (kind != 0x75) {
      store<u16>(to, load<u16>(at));
      to += 2;
      at += 2;
    } else {
      const unit = codeUnit(at);
      at += 6;
      if ((unit & 0xfc00) == 0xd800 && load<u16>(at) == 0x755c) {
        const low = codeUnit(at);
        if ((low & 0xfc00) == 0xdc00) {
          to = writePoint(to, 0x1_0000 + ((unit & 0x3ff) << 10) + (low & 0x3ff));
          at += 6;
          continue;
        }
      }
      to = writeUnit(to, unit);
    }
  }
  moveOut(to);
  return true;
}

function writeUnit(to: usize, unit: i32): usize {
  if (unit == 0x22 || unit == 0x5c) return writeShort(to, unit);
  if (unit >= 0x20) return (unit & 0xf800) == 0xd800 ? writeHex(to, unit) : writePoint(to, unit);
  if (unit == 8) return writeShort(to, 0x62);
  if (unit == 9) return writeShort(to, 0x74);
  if (unit == 10) return writeShort(to, 0x6e);
  if (unit == 12) return writeShort(to, 0x66);
  if (unit == 13) return writeShort(to, 0x72);
  return writeHex(to, unit);
}

function writeShort(to: usize, letter: i32): usize {
  store<u8>(to, 0x5c);
  store<u8>(to + 1, letter);
  return to + 2;
}

function writeHex(to: usize, unit: i32): usize {
  store<u16>(to, 0x755c);
  for (let index = 0; index < 4; index++) {
    const digit = (unit >> ((3 - index) << 2)) & 15;
    store<u8>(to + 2 + index, digit < 10 ? 0x30 + digit : 0x57 + digit);
  }
  return to + 6;
}

/** As UTF-8. */
function writePoint(to: usize, point: i32): usize {
  if (point < 0x80) {
    store<u8>(to, point);
    return to + 1;
  }
  if (point < 0x800) {
    store<u8>(to, 0xc0 | (point >> 6));
    store<u8>(to + 1, 0x80 | (point & 63));
    return to + 2;
  }
  if (point < 0x1_0000) {
    store<u8>(to, 0xe0 | (point >> 12));
    store<u8>(to + 1, 0x80 | ((point >> 6) & 63));
    store<u8>(to + 2, 0x80 | (point & 63));
    return to + 3;
  }
  store<u8>(to, 0xf0 | (point >> 18));
  store<u8>(to + 1, 0x80 | ((point >> 12) & 63));
  store<u8>(to + 2, 0x80 | ((point >> 6) & 63));
  store<u8>(to + 3, 0x80 | (point & 63));
  return to + 4;
}
