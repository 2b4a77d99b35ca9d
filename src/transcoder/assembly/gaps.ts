import { afterSpace, behindColon, integerEnd, literalEnd, valueEnd } from './json';
import {
  GAP_SIZE,
  GAPS,
  MOST_GAPS,
  moveOut,
  OPENED,
  OPENED_END,
  out,
  OUTPUT,
  write,
  writeByte,
  writeText,
} from './memory';
import { isText, marks, textEnd, UNUSUAL } from './text';

// Of the shape of a place that is left open: its number, and of each member that it needs its slot, its name and what is kept of it.
const NUMBER = 4;
const PARTS_END = 8;
const PARTS = 12;
const PART_SIZE = 16;
const NAME = 4;
const KEPT = 12;

/** How many places have been left open. */
export let gapCount: u32 = 0;
/** Behind the JSON of what they need, but for the bracket that ends it. */
export let opened: usize = OPENED;
let openedCount: u32 = 0;

export function beginOpen(): void {
  gapCount = 0;
  opened = OPENED;
  openedCount = 0;
}

/** Notes that a place is left open here, and in its slot which one it is. */
export function leaveOpen(shape: usize, slot: usize): usize {
  if (gapCount == MOST_GAPS) return 0;
  store<u32>(GAPS + gapCount * GAP_SIZE, (out - OUTPUT) as u32);
  store<u32>(GAPS + gapCount * GAP_SIZE, load<u32>(shape, NUMBER), 4);
  gapCount++;
  store<u32>(slot, gapCount);
  return 1;
}

/** Hands out what a place needs of its record, once all of that has come: an object of these members, as far as they are there. */
export function handOutNeeds(shape: usize, first: usize, slot: usize): bool {
  store<u32>(GAPS + (load<u32>(slot) - 1) * GAP_SIZE, openedCount, 8);
  openedCount++;
  const start = out;
  writeByte(opened == OPENED ? 0x5b : 0x2c);
  let byte: u32 = 0x7b;
  for (let part = shape + PARTS; part < shape + load<u32>(shape, PARTS_END); part += PART_SIZE) {
    const at: usize = load<u32>(first + load<u32>(part));
    if (at == 0) continue;
    writeByte(byte);
    if (!writeText(part + NAME) || !writeByte(0x3a) || kept(load<u32>(part, KEPT), at, 0) == 0) return false;
    byte = 0x2c;
  }
  if (byte == 0x7b) writeByte(byte);
  if (!writeByte(0x7d) || opened + (out - start) > OPENED_END) return false;
  memory.copy(opened, start, out - start);
  opened += out - start;
  moveOut(start);
  return true;
}

// Of the shape of what is kept: how many members, each with its name and what is kept of it; or that it is all.
const COUNT = 4;
const MEMBERS = 8;
const MEMBER_SIZE = 12;
const ALL: u32 = 0xffff_ffff;
const DEEPEST: u32 = 64;

/**
 * Writes what is kept of a value: of an object the named members, of a list the same of each item, anything else as it is. To behind the
 * value; 0 for what JSON.parse might not read as the rest of the gateway does.
 */
function kept(shape: usize, at: usize, depth: u32): usize {
  const open = load<u8>(at);
  if (open == 0x22) return writeUpTo(at, textEnd(at), (marks & UNUSUAL) == 0);
  if (open != 0x7b && open != 0x5b) {
    const literal = literalEnd(at);
    return writeUpTo(at, literal == 0 ? integerEnd(at) : literal, true);
  }
  const close: u32 = open + 2;
  if (depth == DEEPEST || !writeByte(open)) return 0;
  let isFirst = true;
  let next = afterSpace(at + 1);
  if (load<u8>(next) == close) return writeByte(close) ? next + 1 : 0;
  while (true) {
    let inner = shape;
    let from = next;
    if (open == 0x7b) {
      if (load<u8>(next) != 0x22) return 0;
      const end = textEnd(next);
      // A name with an escape may be any.
      if (end == 0 || marks != 0) return 0;
      from = behindColon(end);
      if (from == 0) return 0;
      inner = memberOf(shape, next, end);
      if (inner != 0 && (!(isFirst || writeByte(0x2c)) || !write(next, end - next) || !writeByte(0x3a))) return 0;
    } else if (!isFirst && !writeByte(0x2c)) return 0;
    if (inner != 0) isFirst = false;
    next = inner == 0 ? valueEnd(from, depth) : kept(inner, from, depth + 1);
    if (next == 0) return 0;
    next = afterSpace(next);
    const byte = load<u8>(next);
    if (byte == close) return writeByte(close) ? next + 1 : 0;
    if (byte != 0x2c) return 0;
    next = afterSpace(next + 1);
  }
}

function writeUpTo(at: usize, end: usize, isUsual: bool): usize {
  return end != 0 && isUsual && write(at, end - at) ? end : 0;
}

/** What is kept of a member; 0 where nothing is. */
function memberOf(shape: usize, name: usize, end: usize): usize {
  const count: u32 = load<u32>(shape, COUNT);
  if (count == ALL) return shape;
  for (let member = shape + MEMBERS; member < shape + MEMBERS + count * MEMBER_SIZE; member += MEMBER_SIZE)
    if (isText(member, name, end)) return load<u32>(member, 8);
  return 0;
}
