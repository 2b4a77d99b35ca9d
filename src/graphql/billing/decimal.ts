import { Big } from 'big.js';
import { summandExponent, summandLength } from '../../bounds.ts';
import { GatewayError } from '../../errors.ts';

const zero = new Big(0);
const form = /^[+-]?\d*(?:\.(?<fraction>\d*))?(?:e(?<exponent>[+-]?\d+))?$/i;

/**
 * The exact sum of some values of the scalar `Decimal`, with as many places as the one that has most of them: `"1.50"` and `"2"`
 * are `"3.50"`, none are `"0"`. The coordinate is that of the field that shows it. Throws UPSTREAM_BAD_RESPONSE for a value that
 * is too long or too large to be added up.
 */
export function sumOf(decimals: readonly string[], coordinate: string): string {
  const places = decimals.map((decimal) => placesOf(decimal, coordinate));
  const total = decimals.reduce((sum, decimal) => sum.plus(decimal.replace('+', '')), zero);
  return total.toFixed(places.reduce((most, each) => Math.max(most, each), 0));
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
