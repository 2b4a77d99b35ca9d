import { isDigit } from './grammar';

// The forms of src/graphql/schema/leaf.ts. `from` is behind the quotation mark that begins a text, `end` at the one that ends it.

function twoDigits(at: usize): bool {
  return isDigit(load<u8>(at)) && isDigit(load<u8>(at + 1));
}

function startsWithDate(at: usize): bool {
  const isYear = twoDigits(at) && twoDigits(at + 2) && load<u8>(at + 4) == 0x2d;
  return isYear && twoDigits(at + 5) && load<u8>(at + 7) == 0x2d && twoDigits(at + 8);
}

export function isDate(from: usize, end: usize): bool {
  return end - from == 10 && startsWithDate(from);
}

export function isDateTime(from: usize, end: usize): bool {
  if (end - from < 16 || !startsWithDate(from)) return false;
  const between = load<u8>(from + 10);
  if ((between | 0x20) != 0x74 && between != 0x20) return false;
  if (!twoDigits(from + 11) || load<u8>(from + 13) != 0x3a || !twoDigits(from + 14)) return false;
  let at = from + 16;
  if (load<u8>(at) == 0x3a) {
    if (!twoDigits(at + 1)) return false;
    at += 3;
    const point = load<u8>(at);
    if (point == 0x2e || point == 0x2c) {
      const fraction = ++at;
      while (isDigit(load<u8>(at))) at++;
      if (at == fraction) return false;
    }
  }
  return isOffset(at, end);
}

/** A timestamp as the API writes it: the form of src/paging/moment.ts. */
export function isMoment(from: usize, end: usize): bool {
  if (end - from < 20 || load<u8>(from + 10) != 0x54 || load<u8>(from + 16) != 0x3a || load<u8>(end - 1) != 0x5a)
    return false;
  if (end - from > 20 && (load<u8>(from + 19) != 0x2e || end - from > 30)) return false;
  return isDateTime(from, end);
}

function isOffset(at: usize, end: usize): bool {
  if (at == end) return true;
  const sign = load<u8>(at);
  if ((sign | 0x20) == 0x7a) return at + 1 == end;
  if ((sign != 0x2b && sign != 0x2d) || !twoDigits(at + 1)) return false;
  if (at + 3 == end) return true;
  const minutes = load<u8>(at + 3) == 0x3a ? at + 4 : at + 3;
  return twoDigits(minutes) && minutes + 2 == end;
}

export function isDecimal(from: usize, end: usize): bool {
  let at = from;
  const sign = load<u8>(at);
  if (sign == 0x2b || sign == 0x2d) at++;
  const whole = at;
  while (isDigit(load<u8>(at))) at++;
  let digits = at - whole;
  if (load<u8>(at) == 0x2e) {
    const fraction = ++at;
    while (isDigit(load<u8>(at))) at++;
    digits += at - fraction;
  }
  if (digits == 0) return false;
  if ((load<u8>(at) | 0x20) == 0x65) {
    const next = load<u8>(at + 1);
    at += next == 0x2b || next == 0x2d ? 2 : 1;
    const exponent = at;
    while (isDigit(load<u8>(at))) at++;
    if (at == exponent) return false;
  }
  return at == end;
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

/** To behind the code of an attempt's error, an integer or a text of its digits, as it is shown; 0 for anything else. */
export function codeEnd(from: usize): usize {
  if (load<u8>(from) != 0x22) {
    codeFrom = from;
    codeTo = integerEnd(from);
    return codeTo;
  }
  let at = from + 1;
  while (isDigit(load<u8>(at))) at++;
  if (at == from + 1 || at - from > 21 || load<u8>(at) != 0x22) return 0;
  codeFrom = from + 1;
  while (load<u8>(codeFrom) == 0x30 && codeFrom + 1 < at) codeFrom++;
  codeTo = at;
  return integerEnd(codeFrom) == at ? at + 1 : 0;
}

/** The digits of the code that was read last. */
export let codeFrom: usize = 0;
export let codeTo: usize = 0;
