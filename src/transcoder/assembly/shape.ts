import { attemptError, count, newest, only, single, singleLength } from './attempt';
import { freeForm } from './free-form';
import { isNull, literalEnd, valueEnd } from './grammar';
import { header, openHeader } from './header';
import { codeEnd, codeFrom, codeTo, integerEnd, isDate, isDateTime, isDecimal } from './leaf';
import { list, window } from './list';
import { out } from './memory';
import { object } from './record';
import { marks, textEnd, UNUSUAL, writeNormal } from './text';
import { union } from './union';

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
export const OPEN_HEADER: u32 = 14;
export const ERROR: u32 = 15;
export const ERROR_CODE: u32 = 16;
export const CODE: u32 = 17;
export const COUNT: u32 = 18;
export const NEWEST: u32 = 19;

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
    case IS_SET:
      return isSet(at);
    case ANY:
      return plain(at, valueEnd(at));
    case CODE:
      return code(at);
    case ERROR_CODE:
      return errorCode(shape, at);
    default: {
      const start = out;
      const end = build(shape, at);
      return end == 0 ? 0 : written(start, end);
    }
  }
}

/** Writes a value that is put together; to behind it, or 0. */
function build(shape: usize, at: usize): usize {
  switch (load<u32>(shape)) {
    case FREE_FORM:
      return freeForm(at);
    case OBJECT:
      return object(shape, at);
    case LIST:
      return list(load<u32>(shape, 4), at);
    case UNION:
      return union(shape, at);
    case HEADER:
      return header(shape, at);
    case OPEN_HEADER:
      return openHeader(shape, at);
    case ERROR:
      return attemptError(shape, at);
    case COUNT:
      return count(at);
    case NEWEST:
      return newest(load<u32>(shape, 4), load<u32>(shape, 8), at);
    case WINDOW:
      return window(load<u32>(shape, 4), load<u32>(shape, 8), at);
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
  return isFormed(kind, at + 1, end - 1) ? plain(at, end) : 0;
}

/** Whether a text is of the form of its kind; false for a kind that is no text of a form. */
export function isFormed(kind: u32, from: usize, end: usize): bool {
  if (kind == DATE) return isDate(from, end);
  if (kind == DATE_TIME) return isDateTime(from, end);
  return kind == DECIMAL && isDecimal(from, end);
}

function code(at: usize): usize {
  const end = codeEnd(at);
  show(codeFrom, codeTo - codeFrom);
  return end;
}

/** An attempt's error as its code: an integer, or the code of an object. */
function errorCode(shape: usize, at: usize): usize {
  if (load<u8>(at) != 0x7b) return plain(at, integerEnd(at));
  const end = only(load<u32>(shape, 4), at);
  show(single, singleLength);
  return single == 0 ? 0 : end;
}

/** Whether a text is not empty. */
function isSet(at: usize): usize {
  if (load<u8>(at) != 0x22) return 0;
  const end = textEnd(at);
  if (end - at > 2) show(TRUE_TEXT, 4);
  else show(FALSE_TEXT, 5);
  return end;
}
