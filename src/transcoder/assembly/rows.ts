import { afterSpace } from './json';
import { ENDS, INPUT, KEYS, KEYS_END, MOST_ROWS, NULL, out, OUTPUT, writeByte, writeText } from './memory';
import { firstHandedOut, record } from './record';
import { textEnd } from './text';

// Of the shape of rows.
const ROW = 4;
/** How many members of a row are handed out. */
const KEY_COUNT = 8;
const BEFORE = 12;
const BEHIND = 20;

/** How many rows there are. */
export let rowCount: u32 = 0;
/** Behind the JSON of what is handed out of them, but for the bracket that ends it. */
export let keys: usize = KEYS;
/** Where the first one stands in the body, and where it ends. */
export let firstRow: usize = 0;
export let firstRowEnd: usize = 0;

export function beginRows(): void {
  rowCount = 0;
  keys = KEYS;
  firstRow = INPUT;
  firstRowEnd = INPUT;
}

/** Writes a list of records, and notes where each of them ends. There is one such list in a body. */
export function rows(shape: usize, from: usize): usize {
  if (rowCount != 0 || load<u8>(from) != 0x5b || !writeByte(0x5b)) return 0;
  const row: usize = load<u32>(shape, ROW);
  let at = afterSpace(from + 1);
  if (load<u8>(at) == 0x5d) return writeByte(0x5d) ? at + 1 : 0;
  firstRow = at;
  while (true) {
    if (rowCount == MOST_ROWS || !writeText(shape + BEFORE)) return 0;
    at = record(row, at);
    if (at == 0 || !writeText(shape + BEHIND) || !handOut(firstHandedOut(row), load<u32>(shape, KEY_COUNT))) return 0;
    store<u32>(ENDS + rowCount * 4, (out - OUTPUT) as u32);
    if (rowCount++ == 0) firstRowEnd = at;
    at = afterSpace(at);
    const byte = load<u8>(at);
    if ((byte != 0x5d && byte != 0x2c) || !writeByte(byte)) return 0;
    if (byte == 0x5d) return at + 1;
    at = afterSpace(at + 1);
  }
}

/** Hands out texts of a row, each as JSON, as the items of one list: `null` for one that is missing. */
function handOut(slot: usize, count: u32): bool {
  for (let index: u32 = 0; index < count; index++) {
    const at: usize = load<u32>(slot + index * 4);
    let length: usize = 4;
    if (at != 0 && load<u32>(at) != NULL) {
      if (load<u8>(at) != 0x22) return false;
      length = textEnd(at) - at;
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
