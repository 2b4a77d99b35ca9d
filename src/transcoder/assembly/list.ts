import { only, single, singleLength } from './attempt';
import { afterSpace, valueEnd } from './grammar';
import { isMoment } from './leaf';
import { MOST_ROWS, out, ROWS, TABLES, TIME_SIZE, TIMES, write, writeByte } from './memory';
import { beginRow, endRow } from './note';
import { lastSlots, object } from './record';
import { shown, shownLength, value } from './shape';

/** Of a list that is shown in part: before which row nothing is shown, and how many rows are. */
let skip: u32 = 0;
let limit: u32 = 0;
/** How many it has. */
export let windowRows: u32 = 0;

export function beginLists(firstRow: u32, most: u32): void {
  skip = firstRow;
  limit = most;
  windowRows = 0;
}

/** In a record a list holds no null. */
export function list(itemShape: usize, from: usize): usize {
  if (load<u8>(from) != 0x5b || !writeByte(0x5b)) return 0;
  let at = afterSpace(from + 1);
  if (load<u8>(at) == 0x5d) return writeByte(0x5d) ? at + 1 : 0;
  while (true) {
    at = item(itemShape, at);
    if (at == 0) return 0;
    at = afterSpace(at);
    const byte = load<u8>(at);
    if (byte == 0x5d) return writeByte(0x5d) ? at + 1 : 0;
    if (byte != 0x2c || !writeByte(0x2c)) return 0;
    at = afterSpace(at + 1);
  }
}

/** Writes an item where the last one ended. */
function item(shape: usize, at: usize): usize {
  const start = out;
  const end = value(shape, at);
  if (end == 0) return 0;
  return shown == start || write(shown, shownLength) ? end : 0;
}

/** A list of which only some rows are shown; of the others nothing is looked at but what a row's identifier is read from. */
export function window(itemShape: usize, keyShape: usize, from: usize): usize {
  if (load<u8>(from) != 0x5b || !writeByte(0x5b)) return 0;
  let at = afterSpace(from + 1);
  if (load<u8>(at) != 0x5d) {
    while (true) {
      if (windowRows >= skip && windowRows - skip < limit) {
        if (windowRows > skip && !writeByte(0x2c)) return 0;
        at = row(itemShape, at, windowRows);
      } else at = hiddenRow(keyShape, at, windowRows);
      if (at == 0) return 0;
      windowRows++;
      at = afterSpace(at);
      const byte = load<u8>(at);
      if (byte == 0x5d) break;
      if (byte != 0x2c) return 0;
      at = afterSpace(at + 1);
    }
  }
  return writeByte(0x5d) ? at + 1 : 0;
}

/** Notes where the identifier of a row stands that is not shown: nowhere, if it is no text. */
function hiddenRow(keyShape: usize, at: usize, index: u32): usize {
  if (index >= MOST_ROWS) return valueEnd(at);
  const note = ROWS + (index as usize) * 24;
  memory.fill(note, 0, 24);
  if (load<u8>(at) != 0x7b) return valueEnd(at);
  const end = only(keyShape, at);
  if (end == 0 || single == 0 || load<u8>(single) != 0x22) return end;
  store<u32>(note, single as u32);
  store<u32>(note, singleLength, 4);
  return end;
}

/** Writes a row, and notes where it is, and where its identifier and its time stand. */
export function row(shape: usize, at: usize, index: u32): usize {
  if (index >= MOST_ROWS) return 0;
  const start = out;
  beginRow();
  const end = object(shape, at);
  endRow();
  const note = ROWS + (index as usize) * 24;
  store<u64>(note, load<u64>(lastSlots + ((load<u32>(TABLES, 8) as usize) << 3)));
  store<u64>(note, load<u64>(lastSlots + ((load<u32>(TABLES, 12) as usize) << 3)), 8);
  store<u32>(note, start as u32, 16);
  store<u32>(note, (out - start) as u32, 20);
  keepTime(TIMES + (index as usize) * TIME_SIZE, load<u32>(note, 8), load<u32>(note, 12));
  return end;
}

function keepTime(to: usize, text: usize, length: usize): void {
  if (length < 2 || !isMoment(text + 1, text + length - 1)) {
    store<u8>(to, 0);
    return;
  }
  v128.store(to, v128.load(text + 1));
  v128.store(to, v128.load(text + 17), 16);
}
