import { isDigit } from './grammar';
import { writeByte } from './memory';

// So many digits before and behind the point fit into 64 bits, four times.
const MOST_DIGITS = 11;
const MOST_PLACES = 6;

let total: i64 = 0;
let places = 0;
let hasMinus = false;

/**
 * Writes the exact sum of decimals, as src/graphql/billing/decimal.ts does; false where that is not for here. Each slot holds decimals as
 * texts, or `null` for one that is missing, with a space between them.
 */
export function writeSum(slot: usize, other: usize): bool {
  total = 0;
  places = 0;
  hasMinus = false;
  if (!addAll(load<u32>(slot), load<u32>(slot, 4)) || !addAll(load<u32>(other), load<u32>(other, 4))) return false;
  // What a zero with a sign is written as is for the library to tell.
  return (total != 0 || !hasMinus) && writeTotal();
}

function addAll(from: usize, length: u32): bool {
  const end = from + length;
  for (let at = from; at < end; at++) {
    // A space, or a letter of `null`.
    if (load<u8>(at) != 0x22) continue;
    at = add(at + 1);
    if (at == 0) return false;
  }
  return true;
}

/** Adds a decimal; to the quotation mark that ends it, or 0 where it is too long, or has an exponent. */
function add(from: usize): usize {
  const sign = load<u8>(from);
  let at = sign == 0x2b || sign == 0x2d ? from + 1 : from;
  let value: i64 = 0;
  let digits = 0;
  for (; isDigit(load<u8>(at)); at++) {
    value = value * 10 + (load<u8>(at) - 0x30);
    if (++digits > MOST_DIGITS) return 0;
  }
  let own = 0;
  if (load<u8>(at) == 0x2e) {
    for (at++; isDigit(load<u8>(at)); at++) {
      value = value * 10 + (load<u8>(at) - 0x30);
      if (++own > MOST_PLACES) return 0;
    }
  }
  if (load<u8>(at) != 0x22) return 0;
  for (; places < own; places++) total *= 10;
  for (; own < places; own++) value *= 10;
  if (sign == 0x2d) hasMinus = true;
  total += sign == 0x2d ? -value : value;
  return at;
}

function writeTotal(): bool {
  if (!writeByte(0x22) || (total < 0 && !writeByte(0x2d))) return false;
  let rest = (total < 0 ? -total : total) as u64;
  let unit: u64 = 1;
  let count = 1;
  for (; count <= places || rest / unit >= 10; count++) unit *= 10;
  for (; count > 0; count--) {
    if (count == places && !writeByte(0x2e)) return false;
    if (!writeByte(0x30 + ((rest / unit) as u32))) return false;
    rest %= unit;
    unit /= 10;
  }
  return writeByte(0x22);
}
