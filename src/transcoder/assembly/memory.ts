// Where what lies in the memory, which never grows. Below are the constants of the code.

/** What is known of each form of texts: see leaf.ts. */
export const FORMS: usize = 0x2_f000;
export const FORM_SIZE = 256;
/** What came of a run: see index.ts. */
export const RESULT: usize = 0x3_0000;
/** The tables of the plan. */
export const TABLES: usize = 0x3_1000;
export const TABLES_END: usize = 0x5_1000;
/** The members of the record before, for each shape: see record.ts. */
export const KNOWN: usize = 0x5_1000;
export const KNOWN_END: usize = 0x6_1000;
/** Where the values of open records stand. */
const SLOTS: usize = 0x6_1000;
const SLOTS_END: usize = 0x6_a000;
/** Where each row ends in what is written. */
export const ENDS: usize = 0x6_a000;
export const MOST_ROWS: u32 = 1_024;
/** The hashes of the names of open free-form objects; a member that there is no room to remember. */
export const NAMES: usize = 0x6_b000;
export const NAMES_END: usize = 0x6_b400;
export const UNKNOWN: usize = 0x6_b400;
/** What is handed out of each row, as JSON. */
export const KEYS: usize = 0x6_c000;
export const KEYS_END: usize = 0xa_c000;
/** The body, with zeros behind it, at which everything stops. */
export const INPUT: usize = 0xb_0000;
/** What is written. */
export const OUTPUT: usize = 0x1c_0000;
// Blocks of 16 bytes are copied over the end.
export const OUTPUT_END: usize = 0x4f_0000 - 64;
/** The places that are left open: where each is in what is written, its number, and which of what is handed out for them is its own. */
export const GAPS: usize = 0x4f_0000;
export const GAP_SIZE = 12;
export const MOST_GAPS: u32 = 5_461;
/** What is handed out for them, as JSON. */
export const OPENED: usize = 0x50_0000;
export const OPENED_END: usize = 0x60_0000 - 64;

/** Where the next byte is written. */
export let out: usize = OUTPUT;
let slots: usize = SLOTS;

export function begin(): void {
  out = OUTPUT;
  slots = SLOTS;
}

export function moveOut(to: usize): void {
  out = to;
}

/** Slots of an address each, all zero; 0 where there is no room. */
export function openSlots(count: usize): usize {
  const first = slots;
  const end = first + (((count + 3) >> 2) << 4);
  if (end > SLOTS_END) return 0;
  for (let at = first; at < end; at += 16) v128.store(at, i64x2.splat(0));
  slots = end;
  return first;
}

export function closeSlots(first: usize): void {
  slots = first;
}

/** Writes bytes; false where there is no room. */
export function write(from: usize, length: usize): bool {
  const to = out;
  if (to + length > OUTPUT_END) return false;
  out = to + length;
  // Most of what is written is short.
  v128.store(to, v128.load(from));
  if (length > 16) copyRest(to, from, length);
  return true;
}

function copyRest(to: usize, from: usize, length: usize): void {
  if (length > 256) memory.copy(to, from, length);
  else for (let at: usize = 16; at < length; at += 16) v128.store(to + at, v128.load(from + at));
}

/** Writes the text that a table names by its address and length. */
export function writeText(table: usize): bool {
  return write(load<u32>(table), load<u32>(table, 4));
}

export function writeByte(byte: u32): bool {
  if (out >= OUTPUT_END) return false;
  store<u8>(out, byte);
  out++;
  return true;
}

// "null" as it lies in memory.
export const NULL: u32 = 0x6c6c_756e;

export function writeNull(): bool {
  if (out + 4 > OUTPUT_END) return false;
  store<u32>(out, NULL);
  out += 4;
  return true;
}
