import * as kinds from './kind';
import { freeFormEnd, integerEnd, literalEnd } from './json';
import { FORM_SIZE, FORMS, NULL, write } from './memory';
import { marks, writeString } from './text';

/** Writes a text, a number, a boolean or a free-form value, none of them `null`; to behind it, or 0 where it is not as it should be. */
export function leaf(shape: usize, at: usize): usize {
  switch (load<u32>(shape)) {
    case kinds.text:
      return writeString(at);
    case kinds.form: {
      const end = writeString(at);
      return end != 0 && marks == 0 && isOfForm(load<u32>(shape, 4), at + 1, end - 1) ? end : 0;
    }
    case kinds.bare: {
      const end = writeString(at);
      return end != 0 && marks == 0 && !holdsAtSign(at, end) ? end : 0;
    }
    case kinds.integer:
      return writePlain(at, integerEnd(at));
    case kinds.boolean:
      return writePlain(at, load<u32>(at) == NULL ? 0 : literalEnd(at));
    case kinds.freeForm:
      return writePlain(at, freeFormEnd(at));
    default:
      return 0;
  }
}

function holdsAtSign(from: usize, end: usize): bool {
  for (let at = from; at < end; at += 16) {
    const signs = i8x16.bitmask(i8x16.eq(v128.load(at), i8x16.splat(0x40)));
    if (signs != 0) return at + ctz(signs) < end;
  }
  return false;
}

/** As it stands. */
function writePlain(at: usize, end: usize): usize {
  return end != 0 && write(at, end - at) ? end : 0;
}

/** Whether a text is of the form with this number. That is asked of transcoder.ts. */
declare function accepts(form: u32, from: usize, end: usize): bool;

// Of each form four texts that were accepted last, each of another length, with zeros for their digits, and their lengths.
const LENGTH = 32;
const TEXT_SIZE = 64;

/** Whether a text is of a form. Texts that differ in digits alone are of the same forms: most are like the last one. */
function isOfForm(number: u32, from: usize, end: usize): bool {
  const length = end - from;
  const form = FORMS + number * FORM_SIZE + (length & 3) * TEXT_SIZE;
  const head = withoutDigits(v128.load(from));
  const tail = withoutDigits(v128.load(from + 16));
  if (length == load<u32>(form, LENGTH)) {
    const others =
      i8x16.bitmask(i8x16.ne(head, v128.load(form))) | (i8x16.bitmask(i8x16.ne(tail, v128.load(form, 16))) << 16);
    if (others == 0 || (ctz(others) as usize) >= length) return true;
  }
  if (!accepts(number, from, end)) return false;
  if (length <= 32) {
    v128.store(form, head);
    v128.store(form, tail, 16);
    store<u32>(form, length as u32, LENGTH);
  }
  return true;
}

function withoutDigits(block: v128): v128 {
  const zero = i8x16.splat(0x30);
  return v128.bitselect(zero, block, i8x16.lt_u(i8x16.sub(block, zero), i8x16.splat(10)));
}
