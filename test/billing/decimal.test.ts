import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sumOf as sumAt } from '../../src/billing/decimal.ts';

const places = 30;
// Every form that the scalar lets through, beside the value that it stands for in units of its thirtieth place.
const decimal = fc
  .record({
    sign: fc.constantFrom('', '+', '-'),
    whole: fc.bigInt({ min: 0n, max: 10n ** 40n }).map(String),
    fraction: fc.stringMatching(/^\d{0,20}$/),
    exponent: fc.option(fc.integer({ min: -10, max: 10 }), { nil: null }),
  })
  .map(({ sign, whole, fraction, exponent }) => {
    const units = BigInt(whole + fraction) * 10n ** BigInt(places - fraction.length + (exponent ?? 0));
    const point = fraction === '' ? '' : `.${fraction}`;
    return {
      text: `${sign}${whole}${point}${exponent === null ? '' : `e${exponent}`}`,
      units: sign === '-' ? -units : units,
      places: Math.max(0, fraction.length - (exponent ?? 0)),
    };
  });

const sumOf = (decimals: readonly string[]): string => sumAt(decimals, 'ServiceHistory.amounts');

function unitsOf(text: string): bigint {
  const [, sign, whole = '', fraction = ''] = /^(-?)(\d+)\.?(\d*)$/.exec(text) ?? [];
  const units = BigInt(whole + fraction.padEnd(places, '0'));
  return sign === '-' ? -units : units;
}

describe('the sum of decimals', () => {
  test('is exact, and has as many places as the one with most', () => {
    fc.assert(
      fc.property(fc.array(decimal, { maxLength: 8 }), (decimals) => {
        const total = sumOf(decimals.map(({ text }) => text));
        expect(unitsOf(total)).toBe(decimals.reduce((sum, { units }) => sum + units, 0n));
        const [, fraction = ''] = total.split('.');
        expect(fraction).toHaveLength(Math.max(0, ...decimals.map((each) => each.places)));
      }),
      { numRuns: 2000 },
    );
  });

  test('is the same in any order', () => {
    fc.assert(
      fc.property(fc.array(decimal, { maxLength: 8 }), (decimals) => {
        const texts = decimals.map(({ text }) => text);
        expect(sumOf(texts.toReversed())).toBe(sumOf(texts));
      }),
    );
  });

  test.for([
    [[], '0'],
    [['1.50', '2'], '3.50'],
    [['0.1', '0.2'], '0.3'],
    [['-5.00', '5'], '0.00'],
    [['-0.00'], '0.00'],
    [['9007199254740993', '.5'], '9007199254740993.5'],
    [['1.', '+1'], '2'],
  ] as const)('of %j is %s', ([decimals, total]) => {
    expect(sumOf(decimals)).toBe(total);
  });

  test.for(['1e1001', '1e-1001', '1e999999999999', '-2E+1000000000'])('refuses %s, which would fill memory', (huge) => {
    expect(() => sumOf(['1.00', huge])).toThrow(/exponent of at most 1000/);
  });

  test.for(['1'.repeat(1_001), `0.${'1'.repeat(1_100_000)}`, `1e${'0'.repeat(1_000)}1`])(
    'refuses what is too long to be added up often',
    (long) => {
      expect(() => sumOf(['1.00', long])).toThrow(/at most 1000 digits/);
    },
  );

  test('of very many decimals is as exact', () => {
    expect(sumOf(Array.from({ length: 300_000 }, () => '0.5'))).toBe('150000.0');
  });
});
