import { isWhole, leaveValueOpen, noteMember, noteValue, passNoted } from './note';
import { textEnd } from './text';

// "null", "true" and "alse" as they lie in memory.
export const NULL: u32 = 0x6c6c_756e;
export const TRUE: u32 = 0x6575_7274;
export const ALSE: u32 = 0x6573_6c61;

/** To the first byte that is no white space (RFC 8259, section 2). */
export function afterSpace(at: usize): usize {
  return load<u8>(at) > 0x20 ? at : afterSpaces(at);
}

function afterSpaces(from: usize): usize {
  let at = from;
  while (true) {
    const byte = load<u8>(at);
    if (byte != 0x20 && byte != 0x0a && byte != 0x0d && byte != 0x09) return at;
    at++;
  }
}

/** To behind `null`, `true` or `false`; 0 for anything else. */
export function literalEnd(at: usize): usize {
  const word = load<u32>(at);
  if (word == NULL || word == TRUE) return at + 4;
  return load<u8>(at) == 0x66 && load<u32>(at + 1) == ALSE ? at + 5 : 0;
}

export function isNull(at: usize): bool {
  return load<u32>(at) == NULL;
}

export function isDigit(byte: u32): bool {
  return byte - 0x30 < 10;
}

function digitsEnd(from: usize): usize {
  let at = from;
  while (isDigit(load<u8>(at))) at++;
  return at;
}

/** To behind a number (RFC 8259, section 6); 0 where it is none. */
export function numberEnd(from: usize): usize {
  let at = load<u8>(from) == 0x2d ? from + 1 : from;
  if (load<u8>(at) == 0x30) at++;
  else {
    const whole = at;
    at = digitsEnd(at);
    if (at == whole) return 0;
  }
  if (load<u8>(at) == 0x2e) {
    const fraction = at + 1;
    at = digitsEnd(fraction);
    if (at == fraction) return 0;
  }
  if ((load<u8>(at) | 0x20) == 0x65) {
    const sign = load<u8>(at + 1);
    const exponent = sign == 0x2b || sign == 0x2d ? at + 2 : at + 1;
    at = digitsEnd(exponent);
    if (at == exponent) return 0;
  }
  return at;
}

/** To behind a text, number or literal; 0 where there is none. */
export function scalarEnd(at: usize): usize {
  const byte = load<u8>(at);
  if (byte == 0x22) return textEnd(at);
  return byte == 0x2d || isDigit(byte) ? numberEnd(at) : literalEnd(at);
}

/** To behind a value of any kind; 0 where it is not JSON, or nested deeper than 64 levels. */
export function valueEnd(from: usize): usize {
  const first = load<u8>(from);
  return first == 0x7b || first == 0x5b ? nestedEnd(from) : scalarEnd(from);
}

function nestedEnd(from: usize): usize {
  let at = from;
  // The last bit stands for the innermost: 1 is an object.
  let kinds: u64 = 0;
  let depth = 0;
  while (true) {
    const byte = load<u8>(at);
    if (byte == 0x7b || byte == 0x5b) {
      if (++depth > 64) return 0;
      leaveValueOpen();
      const isObject = byte == 0x7b;
      kinds = (kinds << 1) | (isObject ? 1 : 0);
      at = afterSpace(at + 1);
      if (load<u8>(at) == (isObject ? 0x7d : 0x5d)) {
        at++;
        kinds >>= 1;
        if (--depth == 0) return at;
      } else if (isObject) {
        at = memberValue(at);
        if (at == 0) return 0;
        if (!isWhole) continue;
      } else continue;
    } else {
      at = scalarEnd(at);
      if (at == 0) return 0;
      noteValue(at);
    }
    while (true) {
      at = afterSpace(at);
      const next = load<u8>(at);
      const isObject = (kinds & 1) == 1;
      if (next == 0x2c) {
        at = afterSpace(at + 1);
        if (!isObject) break;
        at = memberValue(at);
        if (at == 0) return 0;
        if (!isWhole) break;
        continue;
      }
      if (next != (isObject ? 0x7d : 0x5d)) return 0;
      at++;
      kinds >>= 1;
      if (--depth == 0) return at;
    }
  }
}

/** From the name of a member that is skipped to its value, or to behind it where `isWhole`; 0 where it is none. */
function memberValue(from: usize): usize {
  const noted = passNoted(from, 0);
  if (noted != 0) return noted;
  const value = nameEnd(from);
  if (value != 0) noteMember(from, value, 0);
  return value;
}

/** To the value behind the name of a member; 0 where it is none. */
function nameEnd(from: usize): usize {
  if (load<u8>(from) != 0x22) return 0;
  const end = textEnd(from);
  return end == 0 ? 0 : behindColon(end);
}

/** To the value behind a name that ends here; 0 where no colon follows. */
export function behindColon(end: usize): usize {
  const colon = afterSpace(end);
  return load<u8>(colon) == 0x3a ? afterSpace(colon + 1) : 0;
}
