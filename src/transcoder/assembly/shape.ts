import { freeForm, begun } from './free-form';
import { behindColon, afterSpace, isNull, literalEnd, valueEnd } from './grammar';
import { header } from './header';
import { integerEnd, isDate, isDateTime, isDecimal } from './leaf';
import { list, window } from './list';
import { out } from './memory';
import { object } from './record';
import { marks, textEnd, UNUSUAL, writeNormal } from './text';

// What a shape begins with. src/graphql/execution/transcoder/tables.ts has the same numbers.
export const TEXT: u32 = 0;
export const INTEGER: u32 = 1;
export const BOOLEAN: u32 = 2;
export const DATE: u32 = 3;
export const DATE_TIME: u32 = 4;
export const DECIMAL: u32 = 5;
export const FREE_FORM: u32 = 6;
export const OBJECT: u32 = 7;
export const LIST: u32 = 8;
export const UNION: u32 = 9;
export const HEADER: u32 = 10;
export const IS_SET: u32 = 11;
export const ANY: u32 = 12;
export const WINDOW: u32 = 13;

export const NULL_TEXT = memory.data<u8>([0x6e, 0x75, 0x6c, 0x6c]);
const TRUE_TEXT = memory.data<u8>([0x74, 0x72, 0x75, 0x65]);
export const FALSE_TEXT = memory.data<u8>([0x66, 0x61, 0x6c, 0x73, 0x65]);

/** What the value that was read last is shown as. */
export let shown: usize = 0;
export let shownLength: u32 = 0;

function show(from: usize, length: usize): void {
  shown = from;
  shownLength = length as u32;
}

/** Reads a value of a shape, which is none of `null`; to behind it, or 0 where it is not as it should be. */
export function value(shape: usize, at: usize): usize {
  switch (load<u32>(shape)) {
    case TEXT:
      return text(at);
    case INTEGER:
      return plain(at, integerEnd(at));
    case BOOLEAN:
      return plain(at, isNull(at) ? 0 : literalEnd(at));
    case DATE:
    case DATE_TIME:
    case DECIMAL:
      return formed(load<u32>(shape), at);
    case FREE_FORM: {
      const end = freeForm(at);
      return end == 0 ? 0 : written(begun, end);
    }
    case OBJECT: {
      const start = out;
      const end = object(shape, at);
      return end == 0 ? 0 : written(start, end);
    }
    case LIST: {
      const start = out;
      const end = list(load<u32>(shape, 4), at);
      return end == 0 ? 0 : written(start, end);
    }
    case UNION: {
      const start = out;
      const end = union(shape, at);
      return end == 0 ? 0 : written(start, end);
    }
    case HEADER: {
      const start = out;
      const end = header(shape, at);
      return end == 0 ? 0 : written(start, end);
    }
    case IS_SET:
      return isSet(at);
    case ANY:
      return plain(at, valueEnd(at));
    case WINDOW: {
      const start = out;
      const end = window(load<u32>(shape, 4), at);
      return end == 0 ? 0 : written(start, end);
    }
    default:
      return 0;
  }
}

function written(start: usize, end: usize): usize {
  show(start, out - start);
  return end;
}

/** As it stands. */
function plain(at: usize, end: usize): usize {
  show(at, end - at);
  return end;
}

export function text(at: usize): usize {
  if (load<u8>(at) != 0x22) return 0;
  const end = textEnd(at);
  if (end == 0 || (marks & UNUSUAL) == 0) return plain(at, end);
  const start = out;
  return writeNormal(at, end) ? written(start, end) : 0;
}

function formed(kind: u32, at: usize): usize {
  if (load<u8>(at) != 0x22) return 0;
  const end = textEnd(at);
  if (end == 0 || marks != 0) return 0;
  const isFormed =
    kind == DATE
      ? isDate(at + 1, end - 1)
      : kind == DATE_TIME
        ? isDateTime(at + 1, end - 1)
        : isDecimal(at + 1, end - 1);
  return isFormed ? plain(at, end) : 0;
}

/** Whether a text is not empty. */
function isSet(at: usize): usize {
  if (load<u8>(at) != 0x22) return 0;
  const end = textEnd(at);
  if (end - at > 2) show(TRUE_TEXT, 4);
  else show(FALSE_TEXT, 5);
  return end;
}

/** A record whose first member tells which of several shapes it has. */
function union(shape: usize, from: usize): usize {
  if (load<u8>(from) != 0x7b) return 0;
  const name = afterSpace(from + 1);
  if (load<u8>(name) != 0x22) return 0;
  const nameEnd = textEnd(name);
  if (nameEnd == 0 || !isSame(name, nameEnd, load<u32>(shape, 8), load<u32>(shape, 12))) return 0;
  const told = behindColon(nameEnd);
  if (load<u8>(told) != 0x22) return 0;
  const end = textEnd(told);
  if (end == 0) return 0;
  const count = load<u32>(shape, 4);
  for (let index: u32 = 0; index < count; index++) {
    const option = shape + 16 + index * 12;
    if (isSame(told, end, load<u32>(option), load<u32>(option, 4))) return object(load<u32>(option, 8), from);
  }
  return 0;
}

function isSame(from: usize, end: usize, other: usize, length: u32): bool {
  if (end - from != length) return false;
  for (let at: usize = 0; at < length; at++) if (load<u8>(from + at) != load<u8>(other + at)) return false;
  return true;
}
