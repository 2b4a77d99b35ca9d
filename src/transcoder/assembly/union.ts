import { afterSpace, behindColon } from './grammar';
import { object } from './record';
import { textEnd } from './text';

/** A record whose first member tells which of several shapes it has. */
export function union(shape: usize, from: usize): usize {
  if (load<u8>(from) != 0x7b) return 0;
  const name = afterSpace(from + 1);
  if (load<u8>(name) != 0x22) return 0;
  const nameEnd = textEnd(name);
  if (nameEnd == 0 || !isSame(name, nameEnd, load<u32>(shape, 8), load<u32>(shape, 12))) return 0;
  const told = behindColon(nameEnd);
  if (load<u8>(told) != 0x22) return 0;
  const end = textEnd(told);
  if (end == 0) return 0;
  const count = load<u32>(shape, 4);
  for (let index: u32 = 0; index < count; index++) {
    const option = shape + 16 + index * 12;
    if (isSame(told, end, load<u32>(option), load<u32>(option, 4))) return object(load<u32>(option, 8), from);
  }
  return 0;
}

function isSame(from: usize, end: usize, other: usize, length: u32): bool {
  if (end - from != length) return false;
  for (let at: usize = 0; at < length; at++) if (load<u8>(from + at) != load<u8>(other + at)) return false;
  return true;
}
