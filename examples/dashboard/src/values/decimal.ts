import { Big } from 'big.js';

/** A decimal number as text, as the schema's `Decimal`: money is never read into a double to be calculated with. */
export type Decimal = string;

// 1e1000000000 is a Decimal too, and written out it would fill the memory.
const largestExponent = 1_000;

function read(decimal: Decimal): Big {
  const number = new Big(decimal.replace('+', ''));
  if (Math.abs(number.e) <= largestExponent) return number;
  throw new RangeError(`This is no amount that can be calculated with: ${decimal}`);
}

/** The exact difference `a - b`. */
export function difference(a: Decimal, b: Decimal): Decimal {
  return read(a).minus(read(b)).toFixed();
}
