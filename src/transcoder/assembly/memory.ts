// Where what lies in the memory, which never grows. src/graphql/execution/transcoder/memory.ts has the same numbers.

/** What came of a run, in words of 32 bits. */
export const RESULT: usize = 0x1_0000;
/** What a row has that is not shown, for the next row. */
export const NOTES: usize = 0x1_1000;
export const NOTES_END: usize = 0x1_1800;
/** The tables of the plan. */
export const TABLES: usize = 0x1_2000;
/** Where the values of open objects stand: an address and a length each. */
const SLOTS: usize = 0x3_2000;
const SLOTS_END: usize = 0x4_2000;
/** For each row where its identifier and its time stand, and what it is shown as: an address and a length each. */
export const ROWS: usize = 0x4_2000;
export const MOST_ROWS: u32 = 1_024;
/** The hashes of the names of open free-form objects. */
export const NAMES: usize = 0x4_8000;
export const NAMES_END: usize = 0x4_a000;
/** The body, with zeros behind it, at which everything stops. */
export const INPUT: usize = 0x5_0000;
/** The time of each row, in 32 bytes: behind the longest body. A zero where it is no timestamp as the API writes it. */
export const TIMES: usize = 0x15_2000;
export const TIME_SIZE: usize = 32;
/** What is written, and what is put together on the way. */
export const OUTPUT: usize = 0x16_0000;
// Blocks of 16 bytes are copied over the end.
export const OUTPUT_END: usize = 0x60_0000 - 64;

/** Where the next byte is written. */
export let out: usize = OUTPUT;
/** Where the next object has its slots. */
export let slots: usize = SLOTS;

export function begin(): void {
  out = OUTPUT;
  slots = SLOTS;
}

export function moveOut(to: usize): void {
  out = to;
}

/** Room for the slots of an object, all empty; 0 where there is none. */
export function openSlots(count: u32): usize {
  const first = slots;
  const end = first + ((count as usize) << 3);
  if (end > SLOTS_END) return 0;
  for (let at = first; at < end; at += 8) store<u64>(at, 0);
  slots = end;
  return first;
}

export function closeSlots(first: usize): void {
  slots = first;
}

/** Copies forward in blocks of 16 bytes, the last one over the end. */
export function copy(to: usize, from: usize, length: usize): void {
  if (length > 1_024) {
    memory.copy(to, from, length);
    return;
  }
  for (let at: usize = 0; at < length; at += 16) v128.store(to + at, v128.load(from + at));
}

/** Writes bytes; false where there is no room. */
export function write(from: usize, length: usize): bool {
  const to = out;
  if (to + length > OUTPUT_END) return false;
  out = to + length;
  // Most of what is written is short.
  v128.store(to, v128.load(from));
  if (length > 16) copy(to + 16, from + 16, length - 16);
  return true;
}

export function writeByte(byte: u32): bool {
  if (out >= OUTPUT_END) return false;
  store<u8>(out, byte);
  out++;
  return true;
}
