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

const at = 'ServiceHistory.amounts';
const sumOf = (decimals: readonly string[]): string => sumAt(decimals, at);

function unitsOf(text: string, to = places): bigint {
  const [, sign, whole = '', fraction = ''] = /^(-?)(\d+)\.?(\d*)$/.exec(text) ?? [];
  const units = BigInt(whole + fraction.padEnd(to, '0'));
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
      { numRuns: 1000 },
    );
  });

  test.for([
    [[], '0'],
    [['1.50', '2'], '3.50'],
    [['-0.00'], '0.00'],
    [['1.', '+1', '.5'], '2.5'],
  ] as const)('of %j is %s', ([decimals, total]) => {
    expect(sumOf(decimals)).toBe(total);
  });

  test.for([
    ['1'.repeat(1_001), 'at most 1000 digits'],
    [`1e${'0'.repeat(1_000)}1`, 'at most 1000 digits'],
    ['1e1001', 'an exponent of at most 1000'],
    ['1e-1001', 'an exponent of at most 1000'],
    ['-2E+1000000000', 'an exponent of at most 1000'],
  ] as const)('refuses what would take long or fill memory', ([huge, expected]) => {
    const message = `The upstream sent a decimal that cannot be added up: ${expected} was expected.`;
    const violation = { coordinate: at, kind: 'wrong_type' };
    const refused = { code: 'UPSTREAM_BAD_RESPONSE', message, details: expect.objectContaining({ violation }) };
    expect(() => sumOf(['1.00', huge])).toThrow(expect.objectContaining(refused));
  });

  test('takes a thousand characters, exponents of a thousand, and very many decimals', () => {
    expect(sumOf(Array.from({ length: 300_000 }, () => '0.5'))).toBe('150000.0');
    expect(sumOf(['1'.repeat(1_000)])).toBe('1'.repeat(1_000));
    expect(sumOf(['1e1000'])).toBe(`1${'0'.repeat(1_000)}`);
    expect(sumOf(['1e-1000'])).toBe(`0.${'0'.repeat(999)}1`);
  });
});

test.for([
  ['3.50', '1', '2.50'],
  ['1', '1.00', '0.00'],
  ['1e2', '1e1', '90'],
  ['-0.1', '-0.3', '0.2'],
] as const)('the difference of %s and %s is %s', ([minuend, subtrahend, difference]) => {
  expect(differenceOf(minuend, subtrahend, 'ServiceChange.change')).toBe(difference);
});

test('decimals are ordered by their size, and equal ones stay as they came', () => {
  const inOrderNow = inOrder(['2', '1.0', '+1', '-3', '10e-1', '.5', '-3.01'], at);
  expect(inOrderNow).toEqual(['-3.01', '-3', '.5', '1.0', '+1', '10e-1', '2']);
});

describe('the median of decimals', () => {
  test.for([
    [['+1.50', '9', '-4'], '+1.50'],
    [['1', '2'], '1.5'],
    [['1.00', '2'], '1.50'],
    [['1e1', '1e0'], '5.5'],
    [['1e2', '2e2'], '150'],
    [['-1', '1'], '0'],
  ] as const)('of %j is %s', ([decimals, median]) => {
    expect(medianOf(decimals, 'ChargesForecast.median')).toBe(median);
  });

  test('is exact', () => {
    fc.assert(
      fc.property(fc.array(decimal, { minLength: 1, maxLength: 9 }), (decimals) => {
        const sorted = decimals.map(({ units }) => units).sort((a, b) => (a < b ? -1 : Number(a > b)));
        const low = sorted[Math.ceil(sorted.length / 2) - 1] ?? 0n;
        const high = sorted[Math.floor(sorted.length / 2)] ?? 0n;
        const texts = decimals.map(({ text }) => text);
        const median = sumOf([medianOf(texts, 'ChargesForecast.median')]);
        expect(unitsOf(median, places + 1)).toBe((low + high) * 5n);
      }),
    );
  });
});
