import { afterSpace, behindColon, isNull, valueEnd } from './grammar';
import { closeSlots, copy, moveOut, openSlots, out, write } from './memory';
import { compute } from './computation';
import { FALSE_TEXT, NULL_TEXT, shown, shownLength, value } from './shape';
import { marks, textEnd } from './text';

// Of an object's shape.
const ENTRIES = 4;
const EMISSIONS = 8;
const FACTOR = 16;
const SHIFT = 24;
const BUCKETS = 28;
const ENTRY_LIST = 32;
const EMISSION_LIST = 36;
const TAIL = 40;
const TAIL_LENGTH = 44;
// Of each of its entries, and of each part of what is written.
const ENTRY_SIZE = 40;
const EMISSION_SIZE = 16;

/** Where the slots of the object were that was read last. */
export let lastSlots: usize = 0;

/** Writes the part of the answer that a record becomes; to behind it, or 0. */
export function object(shape: usize, from: usize): usize {
  const first = openSlots(load<u32>(shape, ENTRIES));
  if (first == 0) return 0;
  const start = out;
  const end = members(shape, from, first);
  lastSlots = first;
  closeSlots(first);
  return end != 0 && assemble(shape, first, start) ? end : 0;
}

/** Reads the members of a record into slots; to behind it, or 0. */
export function members(shape: usize, from: usize, first: usize): usize {
  if (load<u8>(from) != 0x7b) return 0;
  let at = afterSpace(from + 1);
  if (load<u8>(at) == 0x7d) return at + 1;
  while (true) {
    if (load<u8>(at) != 0x22) return 0;
    const end = textEnd(at);
    // A name with an escape may be any.
    if (end == 0 || marks != 0) return 0;
    const index = entryOf(shape, at + 1, (end - at - 2) as u32);
    at = behindColon(end);
    if (at == 0) return 0;
    at = index < 0 ? valueEnd(at) : member(shape, index, first, at);
    if (at == 0) return 0;
    at = afterSpace(at);
    const byte = load<u8>(at);
    if (byte == 0x7d) return at + 1;
    if (byte != 0x2c) return 0;
    at = afterSpace(at + 1);
  }
}

/** Reads the value of a member, once for each entry of its name; to behind it, or 0. */
export function member(shape: usize, index: i32, first: usize, at: usize): usize {
  let end: usize = 0;
  for (let next = index; next >= 0;) {
    const entry: usize = load<u32>(shape, ENTRY_LIST) + next * ENTRY_SIZE;
    const slot = first + ((next as usize) << 3);
    // Of a name that comes twice the last one counts: that is not for here.
    if (load<u32>(slot) != 0) return 0;
    if (isNull(at)) {
      if (!fillAbsent(slot, load<u32>(entry, 28))) return 0;
      end = at + 4;
    } else {
      end = value(load<u32>(entry, 24), at);
      if (end == 0) return 0;
      store<u32>(slot, shown as u32);
      store<u32>(slot, shownLength, 4);
    }
    next = load<i32>(entry, 32);
  }
  return end;
}

// What stands for what is missing, or null.
const SHOWN_AS_NULL: u32 = 1;

/** False where there must be a value. */
function fillAbsent(slot: usize, absence: u32): bool {
  store<u32>(slot, (absence == SHOWN_AS_NULL ? NULL_TEXT : FALSE_TEXT) as u32);
  store<u32>(slot, absence == SHOWN_AS_NULL ? 4 : 5, 4);
  return absence != 0;
}

/** The first entry of a name; negative where it is not asked for. */
export function entryOf(shape: usize, name: usize, length: u32): i32 {
  let head = load<u64>(name);
  let tail: u64 = 0;
  if (length > 8) tail = load<u64>(name + length - 8);
  else if (length < 8) head &= ((1 as u64) << (length << 3)) - 1;
  const hash = (head ^ rotl<u64>(tail, 23) ^ length) * load<u64>(shape, FACTOR);
  const bucket = (hash >> load<u32>(shape, SHIFT)) as u32;
  const index = (load<u8>(load<u32>(shape, BUCKETS) + bucket) as i32) - 1;
  if (index < 0) return -1;
  const entry = load<u32>(shape, ENTRY_LIST) + index * ENTRY_SIZE;
  if (load<u64>(entry) != head || load<u64>(entry, 8) != tail || load<u32>(entry, 20) != length) return -1;
  if (length <= 16) return index;
  const other: usize = load<u32>(entry, 16);
  for (let at: usize = 8; at < length - 8; at++) if (load<u8>(name + at) != load<u8>(other + at)) return -1;
  return index;
}

/** Fills the slots of what is missing; false where something must be there. */
export function fillAll(shape: usize, first: usize): bool {
  const count = load<u32>(shape, ENTRIES);
  for (let index: u32 = 0; index < count; index++) {
    if (filled(shape, first, index) == 0) return false;
  }
  return true;
}

/** The slot of an entry, filled although its member is missing; 0 where it must be there. */
function filled(shape: usize, first: usize, entry: i32): usize {
  const slot = first + ((entry as usize) << 3);
  const isThere = load<u32>(slot) != 0;
  return isThere || fillAbsent(slot, load<u32>(load<u32>(shape, ENTRY_LIST) + entry * ENTRY_SIZE, 28)) ? slot : 0;
}

/** Puts the object together behind what its members have written, and then in its place. */
export function assemble(shape: usize, first: usize, start: usize): bool {
  const from = out;
  const count = load<u32>(shape, EMISSIONS);
  let emission: usize = load<u32>(shape, EMISSION_LIST);
  for (let index: u32 = 0; index < count; index++, emission += EMISSION_SIZE) {
    if (!write(load<u32>(emission), load<u32>(emission, 4))) return false;
    const entry = load<i32>(emission, 8);
    const computation: usize = load<u32>(emission, 12);
    const slot = filled(shape, first, entry);
    if (slot == 0) return false;
    if (computation != 0) {
      const other = load<i32>(computation, 4);
      const otherSlot = other < 0 ? slot : filled(shape, first, other);
      if (otherSlot == 0 || !compute(computation, slot, otherSlot)) return false;
    } else if (!write(load<u32>(slot), load<u32>(slot, 4))) return false;
  }
  if (!write(load<u32>(shape, TAIL), load<u32>(shape, TAIL_LENGTH))) return false;
  if (from == start) return true;
  const length = out - from;
  copy(start, from, length);
  moveOut(start + length);
  return true;
}
