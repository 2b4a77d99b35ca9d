import { Big } from 'big.js';
import { GatewayError } from '../errors.ts';

/** Characters of a decimal that is added up: with a million digits each addition would take a while. */
const summandLength = 1_000;

/** The exponent of a decimal that is added up, positive or negative: written out, 1e1000000000 would fill the memory. */
const summandExponent = 1_000;

const zero = new Big(0);
const form = /^[+-]?\d*(?:\.(?<fraction>\d*))?(?:e(?<exponent>[+-]?\d+))?$/i;

/** A decimal that can be added up, and how many places it has; fewer than none where its exponent says so. */
export interface Summand {
  readonly value: Big;
  readonly places: number;
}

/** Reads a value of the scalar `Decimal`. The coordinate is that of the field that shows the sum. Throws UPSTREAM_BAD_RESPONSE for
 * a value that is too long or too large to be added up. */
export function summandOf(decimal: string, coordinate: string): Summand {
  const places = placesOf(decimal, coordinate);
  return { value: new Big(decimal.replace('+', '')), places };
}

/** An exact sum, with as many places as the summand that has most of them: of `"1.50"` and `"2"` it is `"3.50"`, of none `"0"`. */
export class DecimalSum {
  #total = zero;
  #places = 0;

  get value(): Big {
    return this.#total;
  }

  add({ value, places }: Summand): void {
    this.#total = this.#total.plus(value);
    this.#places = Math.max(this.#places, places);
  }

  toString(): string {
    return this.#total.toFixed(this.#places);
  }
}

/** The exact difference of two values of the scalar `Decimal`, with as many places as the one that has more. Throws as `summandOf` does. */
export function differenceOf(minuend: string, subtrahend: string, coordinate: string): string {
  const [from, taken] = [summandOf(minuend, coordinate), summandOf(subtrahend, coordinate)];
  return from.value.minus(taken.value).toFixed(Math.max(0, from.places, taken.places));
}

/** The median of some values, at least one: of an even number the exact mean of the two in the middle. Throws as `summandOf` does. */
export function medianOf(decimals: readonly string[], coordinate: string): string {
  const sorted = inOrder(decimals, coordinate);
  const [low = '', high = ''] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  if (sorted.length % 2 === 1) return low;
  const [one, other] = [summandOf(low, coordinate), summandOf(high, coordinate)];
  const doubled = one.value.plus(other.value);
  const places = Math.max(0, one.places, other.places);
  // Half of an odd last digit takes one place more.
  const half = doubled.times('0.5');
  return half.eq(half.round(places)) ? half.toFixed(places) : half.toFixed(places + 1);
}

/** Values by their size, the least first. Throws as `summandOf` does. */
export function inOrder(decimals: readonly string[], coordinate: string): readonly string[] {
  return decimals
    .map((decimal) => ({ decimal, ...summandOf(decimal, coordinate) }))
    .sort((a, b) => a.value.cmp(b.value))
    .map(({ decimal }) => decimal);
}

/** Items by their number, the largest first, and those for which it is null last. */
export function largestFirst<Item>(items: readonly Item[], numberOf: (item: Item) => Big | null): readonly Item[] {
  return items
    .map((item) => ({ item, size: numberOf(item) }))
    .sort(({ size: a }, { size: b }) => (a === null || b === null ? Number(a === null) - Number(b === null) : b.cmp(a)))
    .map(({ item }) => item);
}

/** The exact sum of some values of the scalar `Decimal`, as `DecimalSum` has it. Throws as `summandOf` does. */
export function sumOf(decimals: readonly string[], coordinate: string): string {
  const sum = new DecimalSum();
  for (const decimal of decimals) sum.add(summandOf(decimal, coordinate));
  return sum.toString();
}

function placesOf(decimal: string, coordinate: string): number {
  if (decimal.length > summandLength) throw tooLarge(`at most ${summandLength} digits`, coordinate);
  const { fraction = '', exponent = '0' } = form.exec(decimal)?.groups ?? {};
  if (Math.abs(Number(exponent)) > summandExponent)
    throw tooLarge(`an exponent of at most ${summandExponent}`, coordinate);
  return fraction.length - Number(exponent);
}

function tooLarge(expected: string, coordinate: string): GatewayError {
  return new GatewayError('UPSTREAM_BAD_RESPONSE', {
    message: `The upstream sent a decimal that cannot be added up: ${expected} was expected.`,
    violation: { coordinate, kind: 'wrong_type' },
  });
}
