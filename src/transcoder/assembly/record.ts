import { afterSpace, behindColon, isNull, valueEnd } from './grammar';
import { closeSlots, copy, moveOut, openSlots, out, write } from './memory';
import { compute } from './computation';
import { isWhole, noteMember, noteValue, passNoted } from './note';
import { ENTRIES, ENTRY_LIST, ENTRY_SIZE, entryOf, FIRST, FOLLOWER, guessedEnd, NEXT_OF_NAME } from './name';
import { writePlain } from './plain';
import { shown, shownLength, value } from './shape';
import { fillAbsent, filled } from './slot';
import { marks, textEnd } from './text';

// Of an object's shape.
const EMISSIONS = 8;
const EMISSION_LIST = 36;
const TAIL = 40;
const TAIL_LENGTH = 44;
// Of each part of what is written.
const EMISSION_SIZE = 16;

/** Where the slots of the object were that was read last. */
export let lastSlots: usize = 0;

// Of the object that was read last: its first emission that is still to be written, and where it is to be written.
let pending: usize = 0;
let place: usize = 0;

/** Writes the part of the answer that a record becomes; to behind it, or 0. */
export function object(shape: usize, from: usize): usize {
  const first = openSlots(load<u32>(shape, ENTRIES));
  if (first == 0) return 0;
  const end = read(shape, from, first, load<u32>(shape, EMISSIONS));
  lastSlots = first;
  closeSlots(first);
  return end != 0 && finish(shape, first, pending, place) ? end : 0;
}

/** Reads the members of a record into slots; to behind it, or 0. */
export function members(shape: usize, from: usize, first: usize): usize {
  return read(shape, from, first, 0);
}

/**
 * As `members`; but those that come in the order in which they are shown are written at once, as many as there are emissions. What is
 * left of the emissions is to be written when all members have come.
 */
function read(shape: usize, from: usize, first: usize, emissions: u32): usize {
  let emission: usize = load<u32>(shape, EMISSION_LIST);
  const last = emission + emissions * EMISSION_SIZE;
  let written = out;
  const entries: usize = load<u32>(shape, ENTRY_LIST);
  const isGuessing = load<u32>(shape, ENTRIES) != 0;
  let guess = shape + FIRST;
  pending = emission;
  place = written;
  if (load<u8>(from) != 0x7b) return 0;
  let at = afterSpace(from + 1);
  if (load<u8>(at) == 0x7d) return at + 1;
  while (true) {
    if (load<u8>(at) != 0x22) return 0;
    let index = load<i32>(guess);
    let end = isGuessing ? guessedEnd(entries + index * ENTRY_SIZE, at + 1) : 0;
    if (end == 0) {
      end = unguessed(shape, at);
      if (end == 0) return 0;
      index = found;
      if (index >= 0) store<i32>(guess, index);
    }
    if (index < 0) at = end;
    else {
      at = load<u8>(end) == 0x3a && load<u8>(end + 1) > 0x20 ? end + 1 : behindColon(end);
      if (at == 0) return 0;
      const entry = entries + index * ENTRY_SIZE;
      guess = entry + FOLLOWER;
      if (emission < last && out == written && isShownNext(emission, index, entry)) {
        const slot = first + ((index as usize) << 3);
        const before: usize = load<u32>(emission);
        const end = writePlain(before, load<u32>(emission, 4), load<u32>(entry, 24), load<u32>(entry, 28), slot, at);
        at = end != 0 ? end : writeMember(shape, index, first, at, emission);
        emission += EMISSION_SIZE;
        written = out;
      } else at = member(shape, index, first, at);
    }
    if (at == 0) return 0;
    at = afterSpace(at);
    const byte = load<u8>(at);
    if (byte == 0x7d) {
      pending = emission;
      place = written;
      return at + 1;
    }
    if (byte != 0x2c) return 0;
    at = afterSpace(at + 1);
  }
}

/** The entry that was found last; negative where a member is not asked for. */
let found: i32 = 0;

/** From a name that was not expected: to behind it where it is asked for, else to behind its member; 0 where it is none. */
function unguessed(shape: usize, from: usize): usize {
  found = -1;
  let at = passNoted(from, shape);
  if (at == 0) {
    const end = textEnd(from);
    // A name with an escape may be any.
    if (end == 0 || marks != 0) return 0;
    found = entryOf(shape, from + 1, (end - from - 2) as u32);
    if (found >= 0) return end;
    at = behindColon(end);
    if (at == 0) return 0;
    noteMember(from, at, shape);
  } else if (isWhole) return at;
  at = valueEnd(at);
  noteValue(at);
  return at;
}

/** Whether an emission shows the value of this entry as it is, and no other entry has its name. */
function isShownNext(emission: usize, index: i32, entry: usize): bool {
  return load<i32>(emission, 8) == index && load<u32>(emission, 12) == 0 && load<i32>(entry, NEXT_OF_NAME) < 0;
}

/** Reads the value of a member, and writes it as an emission has it; to behind it, or 0. */
function writeMember(shape: usize, index: i32, first: usize, from: usize, emission: usize): usize {
  if (!write(load<u32>(emission), load<u32>(emission, 4))) return 0;
  const start = out;
  const end = member(shape, index, first, from);
  if (end == 0) return 0;
  const slot = first + ((index as usize) << 3);
  const made: usize = load<u32>(slot);
  moveOut(start);
  if (made != start && !write(made, load<u32>(slot, 4))) return 0;
  if (made == start) moveOut(start + load<u32>(slot, 4));
  // It was made further on, where the next one will be.
  if (made > start) store<u32>(slot, start as u32);
  return end;
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
    next = load<i32>(entry, NEXT_OF_NAME);
  }
  return end;
}

/** Puts an object together of its slots behind what its members have written, and then in its place. */
export function assemble(shape: usize, first: usize, start: usize): bool {
  return finish(shape, first, load<u32>(shape, EMISSION_LIST), start);
}

/** As `assemble`, of what is left from an emission on. */
function finish(shape: usize, first: usize, next: usize, start: usize): bool {
  const from = out;
  const end = load<u32>(shape, EMISSION_LIST) + load<u32>(shape, EMISSIONS) * EMISSION_SIZE;
  for (let emission = next; emission < end; emission += EMISSION_SIZE) {
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
