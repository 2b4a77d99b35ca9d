import { afterSpace, behindColon, isDigit, numberEnd, valueEnd } from './grammar';
import { begin, INPUT, openSlots, out, RESULT, TABLES, writeByte } from './memory';
import { beginLists, row, windowRows } from './list';
import { forgetNotes } from './note';
import { members, object } from './record';
import { fillAll } from './slot';
import { marks, textEnd } from './text';

// What a body is. src/graphql/execution/transcoder/tables.ts has the same numbers.
const PAGE: u32 = 0;
const RECORD: u32 = 1;
const PARTS: u32 = 2;

// In RESULT: where what is shown begins and how long it is, how many rows there are, what `meta` says, and the slots of a record.
const SHOWN: usize = RESULT;
const COUNT: usize = RESULT + 8;
const META: usize = RESULT + 16;
const RECORD_SLOTS: usize = RESULT + 64;
const MOST_SLOTS: u32 = 64;

/**
 * Walks the body at INPUT, by the tables at TABLES. Of a record whose list is shown in part, `most` rows are shown, from `firstRow` on.
 * 1 where all of it is as it should be, and RESULT tells what came of it; 0 where only the JSON plan can tell.
 */
export function transcode(length: u32, firstRow: u32, most: u32): u32 {
  begin();
  beginLists(firstRow, most);
  forgetNotes();
  const end = INPUT + length;
  for (let at = end; at < end + 64; at += 16) v128.store(at, i64x2.splat(0));
  for (let at = SHOWN; at < RECORD_SLOTS; at += 8) store<u64>(at, 0);
  const start = afterSpace(INPUT);
  if (load<u8>(start) != 0x7b) return 0;
  const last = bodyEnd(start);
  return last != 0 && afterSpace(last) == end && load<u32>(SHOWN) != 0 ? 1 : 0;
}

function bodyEnd(from: usize): usize {
  let hasMeta = false;
  let at = afterSpace(from + 1);
  if (load<u8>(at) == 0x7d) return 0;
  while (true) {
    if (load<u8>(at) != 0x22) return 0;
    const end = textEnd(at);
    if (end == 0 || marks != 0) return 0;
    const length = end - at - 2;
    // "data" and "meta" as they lie in memory.
    const word = length == 4 ? load<u32>(at + 1) : 0;
    at = behindColon(end);
    if (at == 0) return 0;
    if (word == 0x6174_6164) {
      if (load<u32>(SHOWN) != 0) return 0;
      at = data(at);
    } else if (word == 0x6174_656d) {
      if (hasMeta) return 0;
      hasMeta = true;
      at = load<u8>(at) == 0x7b ? meta(at) : valueEnd(at);
    } else at = valueEnd(at);
    if (at == 0) return 0;
    at = afterSpace(at);
    const byte = load<u8>(at);
    if (byte == 0x7d) return at + 1;
    if (byte != 0x2c) return 0;
    at = afterSpace(at + 1);
  }
}

function data(at: usize): usize {
  const shape: usize = load<u32>(TABLES, 4);
  const kind = load<u32>(TABLES);
  if (kind == PAGE) return page(shape, at);
  return kind == PARTS ? parts(shape, at) : record(shape, at);
}

function record(shape: usize, from: usize): usize {
  const start = out;
  const end = object(shape, from);
  store<u32>(SHOWN, start as u32);
  store<u32>(SHOWN, (out - start) as u32, 4);
  return end;
}

/** The rows of a list. */
function page(shape: usize, from: usize): usize {
  const start = out;
  let rows: u32 = 0;
  if (load<u8>(from) != 0x5b || !writeByte(0x5b)) return 0;
  let at = afterSpace(from + 1);
  if (load<u8>(at) != 0x5d) {
    while (true) {
      if (rows > 0 && !writeByte(0x2c)) return 0;
      at = row(shape, at, rows++);
      if (at == 0) return 0;
      at = afterSpace(at);
      const byte = load<u8>(at);
      if (byte == 0x5d) break;
      if (byte != 0x2c) return 0;
      at = afterSpace(at + 1);
    }
  }
  if (!writeByte(0x5d)) return 0;
  store<u32>(SHOWN, start as u32);
  store<u32>(SHOWN, (out - start) as u32, 4);
  store<u32>(COUNT, rows);
  return at + 1;
}

/** One record, whose members are handed out one by one. */
function parts(shape: usize, from: usize): usize {
  const count = load<u32>(shape, 4);
  if (count > MOST_SLOTS) return 0;
  const first = openSlots(count);
  const end = members(shape, from, first);
  if (end == 0 || !fillAll(shape, first)) return 0;
  memory.copy(RECORD_SLOTS, first, (count as usize) << 3);
  store<u32>(SHOWN, first as u32);
  store<u32>(COUNT, windowRows);
  return end;
}

/** Notes the four counts where they are numbers: where each stands, and how long it is. */
function meta(from: usize): usize {
  let at = afterSpace(from + 1);
  if (load<u8>(at) == 0x7d) return at + 1;
  while (true) {
    if (load<u8>(at) != 0x22) return 0;
    const end = textEnd(at);
    if (end == 0 || marks != 0) return 0;
    const note = noteOf(at + 1, end - at - 2);
    at = behindColon(end);
    if (at == 0) return 0;
    const byte = load<u8>(at);
    const isNumber = byte == 0x2d || isDigit(byte);
    const behind = isNumber ? numberEnd(at) : valueEnd(at);
    if (behind == 0) return 0;
    if (note != 0) {
      // The second one counts, whatever it is.
      if (load<u32>(note) != 0) return 0;
      store<u32>(note, at as u32);
      store<u32>(note, isNumber ? ((behind - at) as u32) : 0, 4);
    }
    at = afterSpace(behind);
    const next = load<u8>(at);
    if (next == 0x7d) return at + 1;
    if (next != 0x2c) return 0;
    at = afterSpace(at + 1);
  }
}

/** Where a count is noted, by its name; 0 for any other. */
function noteOf(name: usize, length: usize): usize {
  const head = load<u64>(name);
  // "total_re", "sults"; "total_pa", "ges"; "page_num", "ber"; "page_siz", "e"
  if (length == 13 && head == 0x65725f6c61746f74 && load<u64>(name + 5) == 0x73746c757365725f) return META;
  if (length == 11 && head == 0x61705f6c61746f74 && load<u32>(name + 7) == 0x73656761) return META + 8;
  if (length == 11 && head == 0x6d756e5f65676170 && load<u32>(name + 7) == 0x7265626d) return META + 16;
  if (length == 9 && head == 0x7a69735f65676170 && load<u8>(name + 8) == 0x65) return META + 24;
  return 0;
}
