// Of an object's shape.
export const ENTRIES = 4;
/** Which entry came first in the last object of the shape. */
export const FIRST = 12;
const FACTOR = 16;
const SHIFT = 24;
const BUCKETS = 28;
export const ENTRY_LIST = 32;

// Of each of its entries.
export const ENTRY_SIZE = 40;
/** Which entry came behind it in the last object: the objects of a list have their members in the same order as a rule. */
export const FOLLOWER = 36;
/** The next entry of the same name; negative where there is none. */
export const NEXT_OF_NAME = 32;

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
  return isSameMiddle(entry, name, length) ? index : -1;
}

/** To behind the quotation mark that ends the name of an entry; 0 where another name stands there. */
export function guessedEnd(entry: usize, name: usize): usize {
  const length: usize = load<u32>(entry, 20);
  const end = name + length;
  if (load<u8>(end) != 0x22) return 0;
  if (length >= 16) return isSameLong(name, load<u32>(entry, 16), length) ? end + 1 : 0;
  let head = load<u64>(name);
  if (length < 8) head &= ((1 as u64) << (length << 3)) - 1;
  else if (length > 8 && load<u64>(end - 8) != load<u64>(entry, 8)) return 0;
  return head == load<u64>(entry) ? end + 1 : 0;
}

/** Whether two names of sixteen bytes and more are the same. */
function isSameLong(name: usize, other: usize, length: usize): bool {
  let same = i8x16.eq(v128.load(name + length - 16), v128.load(other + length - 16));
  for (let at: usize = 0; at + 16 < length; at += 16)
    same = v128.and(same, i8x16.eq(v128.load(name + at), v128.load(other + at)));
  return i8x16.all_true(same);
}

/** Whether a name has what the entry's has between its first and its last eight bytes. */
function isSameMiddle(entry: usize, name: usize, length: usize): bool {
  const other: usize = load<u32>(entry, 16);
  for (let at: usize = 8; at + 8 < length; at += 8) if (load<u64>(name + at) != load<u64>(other + at)) return false;
  return true;
}
