import { ENTRIES, ENTRY_LIST, ENTRY_SIZE } from './name';
import { FALSE_TEXT, NULL_TEXT } from './shape';

// What stands for what is missing, or null.
export const SHOWN_AS_NULL: u32 = 1;

/** False where there must be a value. */
export function fillAbsent(slot: usize, absence: u32): bool {
  store<u32>(slot, (absence == SHOWN_AS_NULL ? NULL_TEXT : FALSE_TEXT) as u32);
  store<u32>(slot, absence == SHOWN_AS_NULL ? 4 : 5, 4);
  return absence != 0;
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
export function filled(shape: usize, first: usize, entry: i32): usize {
  const slot = first + ((entry as usize) << 3);
  const isThere = load<u32>(slot) != 0;
  return isThere || fillAbsent(slot, load<u32>(load<u32>(shape, ENTRY_LIST) + entry * ENTRY_SIZE, 28)) ? slot : 0;
}
