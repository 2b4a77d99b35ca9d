import { Big } from 'big.js';
import { summandExponent, summandLength } from '../bounds.ts';
import { GatewayError } from '../errors.ts';

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
