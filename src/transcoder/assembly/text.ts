/** Of the text that was looked at last. */
export let marks: u32 = 0;
/** It holds an escape. */
export const ESCAPED: u32 = 1;
/** One of them is not written as JSON.stringify writes it. */
export const UNUSUAL: u32 = 2;
/** One of them is, or may be, the end of a line. */
export const LINES: u32 = 4;

/** To behind a text that JSON.stringify would write as it stands; 0 for anything else. */
export function usualEnd(at: usize): usize {
  const end = load<u8>(at) == 0x22 ? textEnd(at) : 0;
  return (marks & UNUSUAL) == 0 ? end : 0;
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
      return isCodeUnit(at + 2) ? at + 6 : 0;
    default:
      return 0;
  }
}

/** Whether four hexadecimal digits stand here. */
function isCodeUnit(from: usize): bool {
  for (let at = from; at < from + 4; at++) {
    const byte: u32 = load<u8>(at);
    if (byte - 0x30 >= 10 && (byte | 0x20) - 0x61 >= 6) return false;
  }
  return true;
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
