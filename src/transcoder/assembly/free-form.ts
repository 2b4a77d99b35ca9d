import { afterSpace, isDigit, scalarEnd } from './grammar';
import { NAMES, NAMES_END, write } from './memory';
import { marks, textEnd, UNUSUAL, writeNormal } from './text';

// Written and not yet copied: from here to wherever the walk stands.
let pending: usize = 0;
let names: usize = NAMES;

const DEEPEST: u32 = 64;

/**
 * Writes an object of any members as JSON.stringify writes it when its numbers are kept digit for digit; to behind it, or 0. It gives up
 * where an object of JavaScript would have its members in another order, or fewer: names that count, come twice or hold escapes.
 */
export function freeForm(from: usize): usize {
  if (load<u8>(from) != 0x7b) return 0;
  pending = from;
  names = NAMES;
  const end = nested(from, 1);
  return end != 0 && flush(end) ? end : 0;
}

function flush(end: usize): bool {
  const length = end - pending;
  return length == 0 || write(pending, length);
}

/** Leaves out white space; 0 where there is no room. */
function tight(at: usize): usize {
  return load<u8>(at) > 0x20 ? at : tightened(at);
}

function tightened(at: usize): usize {
  if (!flush(at)) return 0;
  pending = afterSpace(at);
  return pending;
}

function nested(from: usize, depth: u32): usize {
  const byte = load<u8>(from);
  if (byte != 0x7b && byte != 0x5b) return scalar(from);
  if (depth > DEEPEST) return 0;
  const first = names;
  const end = byte == 0x7b ? members(from, depth, first) : items(from, depth);
  names = first;
  return end;
}

function scalar(from: usize): usize {
  const end = scalarEnd(from);
  if (end == 0 || load<u8>(from) != 0x22 || (marks & UNUSUAL) == 0) return end;
  if (!flush(from) || !writeNormal(from, end)) return 0;
  pending = end;
  return end;
}

function items(from: usize, depth: u32): usize {
  let at = tight(from + 1);
  if (load<u8>(at) == 0x5d) return at + 1;
  while (true) {
    if (at == 0) return 0;
    at = nested(at, depth + 1);
    if (at == 0) return 0;
    at = tight(at);
    const byte = load<u8>(at);
    if (byte == 0x5d) return at + 1;
    if (byte != 0x2c) return 0;
    at = tight(at + 1);
  }
}

function members(from: usize, depth: u32, first: usize): usize {
  let at = tight(from + 1);
  if (load<u8>(at) == 0x7d) return at + 1;
  while (true) {
    if (load<u8>(at) != 0x22) return 0;
    const end = textEnd(at);
    if (end == 0 || marks != 0 || !isNew(at + 1, end - 1, first)) return 0;
    at = tight(end);
    if (load<u8>(at) != 0x3a) return 0;
    at = tight(at + 1);
    at = nested(at, depth + 1);
    if (at == 0) return 0;
    at = tight(at);
    const byte = load<u8>(at);
    if (byte == 0x7d) return at + 1;
    if (byte != 0x2c) return 0;
    at = tight(at + 1);
  }
}

/** Notes a name among those of its object; false where one of the same hash is there, where there is no room, and where it counts. */
function isNew(from: usize, end: usize, first: usize): bool {
  let hash: u64 = 0xcbf2_9ce4_8422_2325 ^ (end - from);
  let counts = end > from;
  for (let at = from; at < end; at++) {
    const byte = load<u8>(at);
    counts = counts && isDigit(byte);
    hash = (hash ^ byte) * 0x0000_0100_0000_01b3;
  }
  if (counts || names + 8 > NAMES_END) return false;
  for (let at = first; at < names; at += 8) if (load<u64>(at) == hash) return false;
  store<u64>(names, hash);
  names += 8;
  return true;
}
