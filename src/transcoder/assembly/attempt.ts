import { afterSpace, isDigit, numberEnd, valueEnd } from './grammar';
import { isMoment } from './leaf';
import { closeSlots, openSlots, out, write, writeByte } from './memory';
import { entryOf } from './name';
import { assemble, member, members, object } from './record';
import { NULL_TEXT } from './shape';

const CODE_NAME = memory.data<u8>([0x63, 0x6f, 0x64, 0x65, 0, 0, 0, 0]);

/** An attempt's error: an object, or a number, which is an object of a code. */
export function attemptError(shape: usize, from: usize): usize {
  const byte = load<u8>(from);
  if (byte != 0x2d && !isDigit(byte)) return object(shape, from);
  const first = openSlots(load<u32>(shape, 4));
  if (first == 0) return 0;
  const start = out;
  const code = entryOf(shape, CODE_NAME, 4);
  const end = code < 0 ? numberEnd(from) : member(shape, code, first, from);
  closeSlots(first);
  return end != 0 && assemble(shape, first, start) ? end : 0;
}

// Of the last object with a single member that was read: where that stands, and how long it is.
export let single: usize = 0;
export let singleLength: u32 = 0;

/** Reads the one member of a record that its shape has; to behind the record, or 0. */
export function only(shape: usize, from: usize): usize {
  const first = openSlots(1);
  if (first == 0) return 0;
  const end = members(shape, from, first);
  single = load<u32>(first);
  singleLength = load<u32>(first, 4);
  closeSlots(first);
  return end;
}

/**
 * Writes the newest record of a list, the first of those, as src/lists/attempted-delivery.ts finds it; `null` where there is none. It
 * gives up where a time is not as the API writes it.
 */
export function newest(shape: usize, timeShape: usize, from: usize): usize {
  if (load<u8>(from) != 0x5b) return 0;
  const start = out;
  let best: usize = 0;
  let bestTime: usize = 0;
  let bestLength: u32 = 0;
  let at = afterSpace(from + 1);
  if (load<u8>(at) == 0x5d) return write(NULL_TEXT, 4) ? at + 1 : 0;
  while (true) {
    const end = only(timeShape, at);
    // A time that had to be written holds escapes.
    if (end == 0 || out != start) return 0;
    const hasTime = single != 0 && load<u8>(single) == 0x22;
    if (hasTime) {
      if (!isMoment(single + 1, single + singleLength - 1)) return 0;
    }
    if (best == 0 || (hasTime && (bestTime == 0 || isLater(single, singleLength, bestTime, bestLength)))) {
      best = at;
      bestTime = hasTime ? single : 0;
      bestLength = singleLength;
    }
    at = afterSpace(end);
    const byte = load<u8>(at);
    if (byte == 0x5d) break;
    if (byte != 0x2c) return 0;
    at = afterSpace(at + 1);
  }
  return object(shape, best) == 0 ? 0 : at + 1;
}

// Of a time as it stands: its whole seconds end, and its fraction begins, behind so many characters.
const SECONDS_END: u32 = 20;
const FRACTION: u32 = 21;

/** Whether a time is later than another. Each ends with `Z"`; what it has no digits for is zero. */
function isLater(time: usize, length: u32, other: usize, otherLength: u32): bool {
  for (let at: u32 = 0; at < SECONDS_END; at++) {
    const byte = load<u8>(time + at);
    const otherByte = load<u8>(other + at);
    if (byte != otherByte) return byte > otherByte;
  }
  for (let at: u32 = FRACTION; at + 2 < max(length, otherLength); at++) {
    const digit: u32 = at + 2 < length ? load<u8>(time + at) : 0x30;
    const otherDigit: u32 = at + 2 < otherLength ? load<u8>(other + at) : 0x30;
    if (digit != otherDigit) return digit > otherDigit;
  }
  return false;
}

/** Writes how many items a list has. */
export function count(from: usize): usize {
  if (load<u8>(from) != 0x5b) return 0;
  let items: u32 = 0;
  let at = afterSpace(from + 1);
  if (load<u8>(at) != 0x5d) {
    while (true) {
      items++;
      at = valueEnd(at);
      if (at == 0) return 0;
      at = afterSpace(at);
      const byte = load<u8>(at);
      if (byte == 0x5d) break;
      if (byte != 0x2c) return 0;
      at = afterSpace(at + 1);
    }
  }
  let unit: u32 = 1;
  while (items / unit >= 10) unit *= 10;
  for (; unit > 0; unit /= 10) if (!writeByte(0x30 + ((items / unit) % 10))) return 0;
  return at + 1;
}
