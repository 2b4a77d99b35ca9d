import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { differenceOf, inOrder, medianOf, sumOf as sumAt } from '../../../src/billing/decimal.ts';

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

function unitsOf(text: string, at = places): bigint {
  const [, sign, whole = '', fraction = ''] = /^(-?)(\d+)\.?(\d*)$/.exec(text) ?? [];
  const units = BigInt(whole + fraction.padEnd(at, '0'));
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

describe('the size of a decimal that can be added up', () => {
  const refusal = (expected: string) =>
    expect.objectContaining({
      code: 'UPSTREAM_BAD_RESPONSE',
      message: `The upstream sent a decimal that cannot be added up: ${expected} was expected.`,
      violation: { coordinate: 'ServiceHistory.amounts', kind: 'wrong_type' },
    });

  test('is bounded in its characters', () => {
    expect(sumOf(['1'.repeat(1_000)])).toBe('1'.repeat(1_000));
    expect(() => sumOf(['1'.repeat(1_001)])).toThrow(refusal('at most 1000 digits'));
  });

  test('is bounded in its exponent, positive and negative', () => {
    expect(sumOf(['1e1000'])).toBe(`1${'0'.repeat(1_000)}`);
    expect(sumOf(['1e-1000'])).toBe(`0.${'0'.repeat(999)}1`);
    for (const exponent of ['1001', '-1001'])
      expect(() => sumOf([`1e${exponent}`])).toThrow(refusal('an exponent of at most 1000'));
  });
});

test.for([
  ['3.50', '1', '2.50'],
  ['1', '3.5', '-2.5'],
  ['1.0', '1', '0.0'],
  ['1', '1.00', '0.00'],
  ['1e2', '1e1', '90'],
  ['-0.1', '-0.3', '0.2'],
] as const)('the difference of %s and %s is %s', ([minuend, subtrahend, difference]) => {
  expect(differenceOf(minuend, subtrahend, 'ServiceChange.change')).toBe(difference);
});

test('decimals are ordered by their size, and equal ones stay as they came', () => {
  const decimals = ['2', '1.0', '+1', '-3', '10e-1', '.5', '-3.01'];
  expect(inOrder(decimals, 'ServiceHistory.amounts')).toEqual(['-3.01', '-3', '.5', '1.0', '+1', '10e-1', '2']);
});

describe('the median of decimals', () => {
  test.for([
    [['5'], '5'],
    [['+1.50', '9', '-4'], '+1.50'],
    [['10', '9', '8'], '9'],
    [['1', '2'], '1.5'],
    [['1.0', '3.0'], '2.0'],
    [['0.1', '0.2'], '0.15'],
    [['1', '1.01'], '1.005'],
    [['1.00', '2'], '1.50'],
    [['2', '1.00'], '1.50'],
    [['1e2', '2e2'], '150'],
    [['1e1', '1e0'], '5.5'],
    [['-1', '1'], '0'],
    [['7', '-100', '3', '100'], '5'],
  ] as const)('of %j is %s', ([decimals, median]) => {
    expect(medianOf(decimals, 'ChargesForecast.median')).toBe(median);
  });

  test('is exact', () => {
    fc.assert(
      fc.property(fc.array(decimal, { minLength: 1, maxLength: 9 }), (decimals) => {
        const sorted = decimals.map(({ units }) => units).sort((a, b) => (a < b ? -1 : Number(a > b)));
        const low = sorted[Math.ceil(sorted.length / 2) - 1] ?? 0n;
        const high = sorted[Math.floor(sorted.length / 2)] ?? 0n;
        const median = sumOf([
          medianOf(
            decimals.map(({ text }) => text),
            'ChargesForecast.median',
          ),
        ]);
        expect(unitsOf(median, places + 1)).toBe((low + high) * 5n);
      }),
    );
  });
});
