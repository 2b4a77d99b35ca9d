import { afterSpace, behindColon, valueEnd } from './json';
import {
  closeSlots,
  ENDS,
  KEYS,
  KEYS_END,
  KNOWN,
  KNOWN_END,
  MOST_ROWS,
  NULL,
  openSlots,
  out,
  OUTPUT,
  UNKNOWN,
  writeByte,
  writeNull,
  writeText,
} from './memory';
import * as kinds from './kind';
import { leaf, pair, writePlain } from './leaf';
import { handOutNeeds, leaveOpen } from './gaps';
import { isSame, isText, marks, textEnd, UNUSUAL, usualEnd } from './text';

// Of a record's shape.
/** Where its entries begin: those that are shown, in their order, and behind them those that are handed out. */
const ENTRIES = 4;
const SHOWN_END = 8;
const ENTRIES_END = 12;
const TAIL = 16;
const SLOTS = 24;
// Of what is known of the run.
const RUN = 28;
const KNOWN_LIST = 32;
const KNOWN_LAST = 36;
/** The first entry whose place is left open; 0 where none is. */
const FIRST_OPEN = 40;

// Of the shape of a list: that of each item, and of rows how many members of each are handed out, and what stands before it and behind it.
const ITEM = 4;
const KEY_COUNT = 8;
const ROW_BEFORE = 12;
const ROW_BEHIND = 20;

// Of an entry.
const NAME = 0;
const BEFORE = 8;
const SHAPE = 16;
const IS_REQUIRED = 20;
const SLOT = 24;
/** The next entry of the same name, 0 where there is none. */
const ALSO = 28;
const ENTRY_SIZE = 32;

// The records of a list have the same members in the same order as a rule. So what stood in the record before is compared first. For
// each member: where it stands, how long it is up to its value, its entry, and, of one that is skipped, how long it is as a whole.
const KNOWN_SIZE = 16;
const MOST_KNOWN = 64 * KNOWN_SIZE;
/** So many members may be missing of those of the record before. */
const MISSING = 4 * KNOWN_SIZE;

let run: u32 = 0;
let free: usize = KNOWN;

/** Where the slots of the record were that was read last. */
let lastSlots: usize = 0;

/** How many rows there are. */
export let rowCount: u32 = 0;
/** Behind the JSON of what is handed out of them, but for the bracket that ends it. */
export let keys: usize = KEYS;

/** Forgets the body before. */
export function beginRecords(): void {
  run++;
  free = KNOWN;
  rowCount = 0;
  keys = KEYS;
}

function remember(shape: usize): void {
  store<u32>(shape, run, RUN);
  store<u32>(shape, free as u32, KNOWN_LIST);
  store<u32>(shape, free as u32, KNOWN_LAST);
  if (free < KNOWN_END) free += MOST_KNOWN;
}

/** Where the slot of the first entry is that is handed out. */
export function firstHandedOut(shape: usize): usize {
  return lastSlots + ((load<u32>(shape, SHOWN_END) - load<u32>(shape, ENTRIES)) / ENTRY_SIZE) * 4;
}

/** Writes what is shown of a record; to behind it, or 0. */
export function record(shape: usize, from: usize): usize {
  if (load<u8>(from) != 0x7b) return 0;
  const first = openSlots(load<u32>(shape, SLOTS));
  if (first == 0) return 0;
  if (load<u32>(shape, RUN) != run) remember(shape);
  let end = members(shape, from, first);
  if (end != 0 && load<u32>(shape, FIRST_OPEN) != 0 && !fillOpen(shape, first)) end = 0;
  closeSlots(first);
  lastSlots = first;
  return end;
}

/** Hands out what the open places of a record need. */
function fillOpen(shape: usize, first: usize): bool {
  const last: usize = load<u32>(shape, SHOWN_END);
  for (let entry: usize = load<u32>(shape, FIRST_OPEN); entry < last; entry += ENTRY_SIZE) {
    const own: usize = load<u32>(entry, SHAPE);
    if (load<u32>(own) == kinds.open && !handOutNeeds(own, first, first + load<u32>(entry, SLOT))) return false;
  }
  return true;
}

/** The members are shown as they come where they come in the order in which they are shown; others wait until it is their turn. */
function members(shape: usize, from: usize, first: usize): usize {
  let known: usize = load<u32>(shape, KNOWN_LIST);
  let next: usize = load<u32>(shape, ENTRIES);
  const last: usize = load<u32>(shape, SHOWN_END);
  let at = afterSpace(from + 1);
  let byte: u32 = load<u8>(at);
  if (byte != 0x7d) {
    while (true) {
      if (known < load<u32>(shape, KNOWN_LAST) && isSame(load<u32>(known), at, load<u32>(known, 4))) place = known;
      else if (!find(shape, known, at)) return 0;
      const entry: usize = load<u32>(place, 8);
      if (place != UNKNOWN) known = place + KNOWN_SIZE;
      if (entry == 0) at = skip(place, at);
      else {
        at = afterSpace(at + load<u32>(place, 4));
        if (!keep(first, entry, at)) return 0;
        if (entry == next && next < last) {
          at = show(first, entry, at);
          next += ENTRY_SIZE;
        } else at = valueEnd(at);
        // An entry without a name is a place that is left open: it waits for nothing.
        while (next < last && (load<u32>(first + load<u32>(next, SLOT)) != 0 || load<u32>(next, NAME + 4) == 0)) {
          if (show(first, next, load<u32>(first + load<u32>(next, SLOT))) == 0) return 0;
          next += ENTRY_SIZE;
        }
      }
      if (at == 0) return 0;
      at = afterSpace(at);
      byte = load<u8>(at);
      if (byte == 0x7d) break;
      if (byte != 0x2c) return 0;
      at = afterSpace(at + 1);
    }
  }
  for (; next < last; next += ENTRY_SIZE)
    if (show(first, next, load<u32>(first + load<u32>(next, SLOT))) == 0) return 0;
  return writeText(shape + TAIL) ? at + 1 : 0;
}

/** What is known of the member that was found last. */
let place: usize = 0;

/** Finds out which member begins here, and remembers it; false where none does. */
function find(shape: usize, known: usize, at: usize): bool {
  const last: usize = load<u32>(shape, KNOWN_LAST);
  for (let later = known + KNOWN_SIZE; later < min(last, known + MISSING); later += KNOWN_SIZE) {
    if (!isSame(load<u32>(later), at, load<u32>(later, 4))) continue;
    place = later;
    return true;
  }
  if (load<u8>(at) != 0x22) return false;
  const end = textEnd(at);
  // A name with an escape may be any.
  if (end == 0 || marks != 0) return false;
  const from = behindColon(end);
  if (from == 0) return false;
  const list: usize = load<u32>(shape, KNOWN_LIST);
  place = list < KNOWN_END && known < list + MOST_KNOWN ? known : UNKNOWN;
  if (place == last) store<u32>(shape, (place + KNOWN_SIZE) as u32, KNOWN_LAST);
  store<u32>(place, at as u32);
  store<u32>(place, (from - at) as u32, 4);
  store<u32>(place, entryOf(shape, at + 1, (end - at - 2) as u32) as u32, 8);
  store<u32>(place, 0, 12);
  return true;
}

/** The first entry of a name; 0 where it is not asked for. */
function entryOf(shape: usize, name: usize, length: u32): usize {
  const end: usize = load<u32>(shape, ENTRIES_END);
  for (let entry: usize = load<u32>(shape, ENTRIES); entry < end; entry += ENTRY_SIZE)
    if (load<u32>(entry, NAME + 4) == length && isSame(name, load<u32>(entry, NAME), length)) return entry;
  return 0;
}

/** To behind a member that is not asked for. What it had in the record before is not looked at again. */
function skip(known: usize, at: usize): usize {
  const whole: usize = load<u32>(known, 12);
  // Only the byte behind a number shows that it ends there.
  if (whole != 0 && isSame(load<u32>(known), at, whole + 1)) return at + whole;
  const end = valueEnd(afterSpace(at + load<u32>(known, 4)));
  store<u32>(known, at as u32);
  store<u32>(known, end == 0 ? 0 : ((end - at) as u32), 12);
  return end;
}

/** Notes where the value of an entry stands; false where it has come before: of a name that comes twice the last one counts. */
function keep(first: usize, entry: usize, at: usize): bool {
  if (load<u32>(first + load<u32>(entry, SLOT)) != 0) return false;
  for (let next = entry; next != 0; next = load<u32>(next, ALSO)) store<u32>(first + load<u32>(next, SLOT), at as u32);
  return true;
}

/** Writes an entry and what stands before it; to behind its value, or 0. */
function show(first: usize, entry: usize, at: usize): usize {
  if (!writeText(entry + BEFORE)) return 0;
  const shape: usize = load<u32>(entry, SHAPE);
  if (load<u8>(at) == 0x22 && load<u32>(shape) == kinds.text) return writePlain(at, usualEnd(at));
  if (at == 0 && load<u32>(shape) == kinds.open) return leaveOpen(shape, first + load<u32>(entry, SLOT));
  if (at != 0 && load<u32>(at) != NULL) return value(shape, at);
  return load<u32>(entry, IS_REQUIRED) == 0 && writeNull() ? at + 4 : 0;
}

/** Hands out texts of a row, each as JSON, as the items of one list: `null` for one that is missing. */
function handOut(slot: usize, count: u32): bool {
  for (let index: u32 = 0; index < count; index++) {
    const at: usize = load<u32>(slot + index * 4);
    let length: usize = 4;
    if (at != 0 && load<u32>(at) != NULL) {
      if (load<u8>(at) != 0x22) return false;
      length = textEnd(at) - at;
      // It may hold half a character.
      if ((marks & UNUSUAL) != 0) return false;
    }
    if (keys + length + 64 > KEYS_END) return false;
    store<u8>(keys, keys == KEYS ? 0x5b : 0x2c);
    keys++;
    if (length == 4 && (at == 0 || load<u8>(at) != 0x22)) store<u32>(keys, NULL);
    else if (length > 48) memory.copy(keys, at, length);
    else for (let done: usize = 0; done < length; done += 16) v128.store(keys + done, v128.load(at + done));
    keys += length;
  }
  return true;
}

/** Writes a value of a shape, which is none of `null`; to behind it, or 0 where it is not as it should be. */
function value(shape: usize, at: usize): usize {
  switch (load<u32>(shape)) {
    case kinds.record:
      return record(shape, at);
    case kinds.list:
    case kinds.rows:
      return list(shape, at);
    case kinds.union:
      return union(shape, at);
    case kinds.pair:
      return pair(shape, at);
    default:
      return leaf(shape, at);
  }
}

/** A list holds no null. */
function list(shape: usize, from: usize): usize {
  if (load<u8>(from) != 0x5b || !writeByte(0x5b)) return 0;
  const isOfRows = load<u32>(shape) == kinds.rows;
  if (isOfRows && rowCount != 0) return 0;
  const item: usize = load<u32>(shape, ITEM);
  let at = afterSpace(from + 1);
  if (load<u8>(at) == 0x5d) return writeByte(0x5d) ? at + 1 : 0;
  while (true) {
    at = isOfRows ? row(shape, item, at) : value(item, at);
    if (at == 0) return 0;
    at = afterSpace(at);
    const byte = load<u8>(at);
    if ((byte != 0x5d && byte != 0x2c) || !writeByte(byte)) return 0;
    if (byte == 0x5d) return at + 1;
    at = afterSpace(at + 1);
  }
}

/** Writes a record of the one list of a body whose items can be told apart, and notes where it ends. */
function row(shape: usize, item: usize, from: usize): usize {
  if (rowCount == MOST_ROWS || !writeText(shape + ROW_BEFORE)) return 0;
  const end = record(item, from);
  if (end == 0 || !writeText(shape + ROW_BEHIND) || !handOut(firstHandedOut(item), load<u32>(shape, KEY_COUNT)))
    return 0;
  store<u32>(ENDS + rowCount * 4, (out - OUTPUT) as u32);
  rowCount++;
  return end;
}

/** A record whose first member, its tag, tells by its text which of several shapes it has. */
function union(shape: usize, from: usize): usize {
  if (load<u8>(from) != 0x7b) return 0;
  const name = afterSpace(from + 1);
  if (load<u8>(name) != 0x22) return 0;
  const nameEnd = textEnd(name);
  if (nameEnd == 0 || !isText(shape + 8, name, nameEnd)) return 0;
  const told = behindColon(nameEnd);
  if (load<u8>(told) != 0x22) return 0;
  const end = textEnd(told);
  if (end == 0) return 0;
  const behind = shape + 16 + load<u32>(shape, 4) * 12;
  for (let option = shape + 16; option < behind; option += 12)
    if (isText(option, told, end)) return record(load<u32>(option, 8), from);
  return 0;
}
