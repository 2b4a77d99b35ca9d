import { NAMES, NAMES_END, NULL } from './memory';
import { ESCAPED, marks, textEnd, UNUSUAL } from './text';

// "true" and "alse" as they lie in memory.
const TRUE: u32 = 0x6575_7274;
const ALSE: u32 = 0x6573_6c61;

/** Deeper values are left to others. */
const DEEPEST: u32 = 64;

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

/** To the value behind a name that ends here; 0 where no colon follows. */
export function behindColon(end: usize): usize {
  const colon = afterSpace(end);
  return load<u8>(colon) == 0x3a ? afterSpace(colon + 1) : 0;
}

export function isDigit(byte: u32): bool {
  return byte - 0x30 < 10;
}

function digitsEnd(from: usize): usize {
  let at = from;
  while (isDigit(load<u8>(at))) at++;
  return at;
}

/** To behind `null`, `true` or `false`; 0 for anything else. */
export function literalEnd(at: usize): usize {
  const word = load<u32>(at);
  if (word == NULL || word == TRUE) return at + 4;
  return load<u8>(at) == 0x66 && load<u32>(at + 1) == ALSE ? at + 5 : 0;
}

/** To behind a number (RFC 8259, section 6); 0 where it is none. */
function numberEnd(from: usize): usize {
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

/** To behind an integer of at most 32 bits in its plain form; 0 for anything else, and for minus zero, which is shown without its sign. */
export function integerEnd(from: usize): usize {
  const isNegative = load<u8>(from) == 0x2d;
  const first = isNegative ? from + 1 : from;
  if (load<u8>(first) == 0x30) return isNegative ? 0 : first + 1;
  let at = first;
  let value: u64 = 0;
  for (; at - first < 11 && isDigit(load<u8>(at)); at++) value = value * 10 + (load<u8>(at) - 0x30);
  if (at == first || value > (isNegative ? 2_147_483_648 : 2_147_483_647)) return 0;
  return at;
}

/** To behind a value of any kind; 0 where it is not JSON, or nested too deeply. */
export function valueEnd(at: usize, depth: u32 = 0): usize {
  const byte = load<u8>(at);
  if (byte == 0x22) return textEnd(at);
  if (byte == 0x7b || byte == 0x5b) return nestedEnd(at, depth + 1);
  return byte == 0x2d || isDigit(byte) ? numberEnd(at) : literalEnd(at);
}

function nestedEnd(from: usize, depth: u32): usize {
  if (depth > DEEPEST) return 0;
  const isObject = load<u8>(from) == 0x7b;
  const close: u32 = isObject ? 0x7d : 0x5d;
  let at = afterSpace(from + 1);
  if (load<u8>(at) == close) return at + 1;
  while (true) {
    if (isObject) {
      if (load<u8>(at) != 0x22) return 0;
      const end = textEnd(at);
      if (end == 0) return 0;
      at = load<u8>(end) == 0x3a && load<u8>(end + 1) > 0x20 ? end + 1 : behindColon(end);
      if (at == 0) return 0;
    }
    at = valueEnd(at, depth);
    if (at == 0) return 0;
    at = afterSpace(at);
    const byte = load<u8>(at);
    if (byte == close) return at + 1;
    if (byte != 0x2c) return 0;
    at = afterSpace(at + 1);
  }
}

// Objects with more names are left to others: each is compared with all of its object.
let names: usize = NAMES;

/**
 * To behind an object of any members that JSON.stringify would write as it stands, its numbers kept digit for digit; 0 for any other:
 * with white space, unusual escapes, names that come twice, hold escapes or are numbers, by which JavaScript orders them.
 */
export function freeFormEnd(at: usize): usize {
  names = NAMES;
  return load<u8>(at) == 0x7b ? freeEnd(at, 1) : 0;
}

function freeEnd(from: usize, depth: u32): usize {
  const open = load<u8>(from);
  if (open != 0x7b && open != 0x5b) {
    const end = valueEnd(from);
    return open == 0x22 && (marks & UNUSUAL) != 0 ? 0 : end;
  }
  if (depth > DEEPEST) return 0;
  const first = names;
  let at = from + 1;
  if (load<u8>(at) == open + 2) return at + 1;
  while (true) {
    if (open == 0x7b) {
      if (load<u8>(at) != 0x22) return 0;
      const end = textEnd(at);
      if (end == 0 || (marks & ESCAPED) != 0 || load<u8>(end) != 0x3a || !isNew(at + 1, end - 1, first)) return 0;
      at = end + 1;
    }
    at = freeEnd(at, depth + 1);
    if (at == 0) return 0;
    const byte = load<u8>(at);
    if (byte == open + 2) break;
    if (byte != 0x2c) return 0;
    at++;
  }
  names = first;
  return at + 1;
}

/** Notes a name among those of its object; false where one of the same hash is there, where there is no room, and where it is a number. */
function isNew(from: usize, end: usize, first: usize): bool {
  let hash: u64 = 0xcbf2_9ce4_8422_2325 ^ (end - from);
  let isNumber = end > from;
  for (let at = from; at < end; at++) {
    const byte = load<u8>(at);
    isNumber = isNumber && isDigit(byte);
    hash = (hash ^ byte) * 0x0000_0100_0000_01b3;
  }
  if (isNumber || names == NAMES_END) return false;
  for (let at = first; at < names; at += 8) if (load<u64>(at) == hash) return false;
  store<u64>(names, hash);
  names += 8;
  return true;
}
