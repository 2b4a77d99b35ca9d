import * as fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { formatDecimal, liveRows, parseExactly, type Decimal } from '../../../client/src/index.ts';

const integer = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n });

test('integers keep their digits at any size, and other values are as JSON.parse has them', () => {
  const plain = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
  fc.assert(
    fc.property(integer, plain, (large, value) => {
      const json = `{"large":${large},"within":[${large}],"text":"${large}","value":${JSON.stringify(value)}}`;
      const isSafe = Number.isSafeInteger(Number(large));
      for (const form of ['bigint', 'text'] as const) {
        const kept = isSafe ? Number(large) : form === 'text' ? String(large) : large;
        const rest = JSON.parse(json) as object;
        expect(parseExactly(json, form)).toEqual({ ...rest, large: kept, within: [kept] });
      }
    }),
  );
});

test('fractions and exponents are doubles', () => {
  expect(parseExactly('[1.5, 1e300, -0.1, 9007199254740993]')).toEqual([1.5, 1e300, -0.1, 9007199254740993n]);
});

test('a decimal is shown with all its digits, and at least as many as its currency has', () => {
  const digits = fc.tuple(integer, fc.stringMatching(/^\d{0,40}$/));
  fc.assert(
    fc.property(digits, ([whole, fraction]) => {
      const text = (fraction === '' ? `${whole}` : `${whole}.${fraction}`) as Decimal;
      expect(formatDecimal(text, { locale: 'en' }).replaceAll(',', '')).toBe(text);
    }),
  );
});

test.for([
  ['4696.5205', 'en', 'USD', '$4,696.5205'],
  ['-0.50', 'en', 'JPY', '-¥0.50'],
  ['9007199254740993.10', 'de', 'EUR', '9.007.199.254.740.993,10\u00A0€'],
  ['5000', 'en', 'usd', '$5,000.00'],
  ['5000', 'en', 'US Dollars', '5,000 US Dollars'],
  ['5000', 'en', '', '5,000'],
  ['1.5e-3', 'en', null, '0.0015'],
  ['1.5e3', 'en', null, '1,500'],
  [`1e-400`, 'en', 'USD', '1e-400 USD'],
  ['1e400', 'en', null, '1e400'],
] as const)('%s is written in %s with %s as %s', ([value, locale, currency, text]) => {
  expect(formatDecimal(value as Decimal, { locale, currency })).toBe(text);
});

test('an engine that formats by way of a double shows a decimal as it is', () => {
  const format = vi.spyOn(Intl.NumberFormat.prototype as unknown as { format: unknown }, 'format', 'get');
  format.mockReturnValue((value: string) => String(Number(value)));
  onTestFinished(() => format.mockRestore());
  expect(formatDecimal('9007199254740993.10', { locale: 'en', currency: 'USD' })).toBe('9007199254740993.10 USD');
});

test('a live list shows a row that has arrived again as it came last, and every row without an id', () => {
  const row = (id: string | null, status: string) => ({ id, status });
  const again = [row('a', 'failed'), row('b', 'failed'), row('a', 'delivered')];
  expect(liveRows(again, [])).toEqual([row('a', 'delivered'), row('b', 'failed')]);
  expect(liveRows([...again, row('c', 'failed')], [row('b', 'delivered')])).toEqual([
    row('c', 'failed'),
    row('a', 'delivered'),
    row('b', 'delivered'),
  ]);
  const unnamed = [row(null, 'failed'), row(null, 'delivered')];
  expect(liveRows(unnamed, [row(null, 'listed')])).toEqual([...unnamed.toReversed(), row(null, 'listed')]);
});

test('an engine without source text fails, and does not round in silence', () => {
  const native = JSON.parse;
  const parsing = vi.spyOn(JSON, 'parse');
  parsing.mockImplementation((text, revive) => native(text, revive && ((name, value) => revive(name, value))));
  onTestFinished(() => parsing.mockRestore());
  expect(() => parseExactly('[9007199254740993]')).toThrow(TypeError);
});
