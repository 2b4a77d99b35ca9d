import { afterSpace } from './grammar';
import { NOTES, NOTES_END } from './memory';

// The rows of a list are alike as a rule. What is not shown of a row is noted, member by member: where the next row has the same bytes
// in the same place, they need not be looked at again.

// For each note: where the member begins, how long it is up to its value, and as a whole, and the shape of its object. The length as a
// whole is 0 where it was not a scalar; the shape is 0 where nothing of the object is shown.
const NOTE_SIZE: usize = 16;

/** Behind the notes of this body. */
let end: usize = NOTES;
/** The note of the next member; `NOTES_END` where nothing is noted. */
let next: usize = NOTES_END;
/** The note of the member whose value comes next; 0 where it has none. */
let opened: usize = 0;

/** Whether the member that was passed last was the noted one, value and all. */
export let isWhole: bool = false;

/** Forgets the body before. */
export function forgetNotes(): void {
  end = NOTES;
  endRow();
}

/** What is read from here on is compared with the notes, from the first one on. */
export function beginRow(): void {
  next = NOTES;
  opened = 0;
}

/** What is read from here on is not part of a row. */
export function endRow(): void {
  next = NOTES_END;
  opened = 0;
}

/**
 * Passes over what a member has in common with the noted one: to behind it where `isWhole`, else to its value. 0 where another name
 * stands there, and where the note is of another shape: this one may show the name.
 */
export function passNoted(from: usize, shape: usize): usize {
  isWhole = false;
  opened = 0;
  if (next >= end || (shape != 0 && load<u32>(next, 12) != (shape as u32))) return 0;
  const toValue: usize = load<u32>(next, 4);
  const whole: usize = load<u32>(next, 8);
  // Only the byte behind a number shows that it ends there.
  const same = sameBytes(load<u32>(next), from, whole == 0 ? toValue : whole + 1);
  if (same < toValue) return 0;
  isWhole = whole != 0 && same > whole;
  if (!isWhole) {
    opened = next;
    store<u32>(next, from as u32);
    store<u32>(next, 0, 8);
  }
  next += NOTE_SIZE;
  return isWhole ? from + whole : afterSpace(from + toValue);
}

/** Notes a member from its beginning to its value. */
export function noteMember(from: usize, value: usize, shape: usize): void {
  opened = 0;
  if (next >= NOTES_END) return;
  opened = next;
  store<u32>(next, from as u32);
  store<u32>(next, (value - from) as u32, 4);
  store<u32>(next, 0, 8);
  store<u32>(next, shape as u32, 12);
  next += NOTE_SIZE;
  if (next > end) end = next;
}

/** Notes where the value ends that comes next, unless it holds others. */
export function noteValue(behind: usize): void {
  if (opened != 0) store<u32>(opened, (behind - load<u32>(opened)) as u32, 8);
  opened = 0;
}

/** The value that comes next holds others. */
export function leaveValueOpen(): void {
  opened = 0;
}

/** How many bytes are the same at two places, at most so many. */
function sameBytes(left: usize, right: usize, most: usize): usize {
  for (let at: usize = 0; at < most; at += 16) {
    const others = ~i8x16.bitmask(i8x16.eq(v128.load(left + at), v128.load(right + at))) & 0xffff;
    if (others != 0) return min(at + ctz(others), most);
  }
  return most;
}
