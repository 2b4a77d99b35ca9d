import * as fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { liveRows, parseExactly } from '../../../client/src/index.ts';

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

test('a live list has each row once: those that have arrived first, the newest before the others', () => {
  const rows = (...ids: readonly string[]) => ids.map((id) => ({ id }));
  expect(liveRows(rows('c', 'd'), rows('b', 'a'))).toEqual(rows('d', 'c', 'b', 'a'));
  expect(liveRows(rows('b', 'c'), rows('b', 'a'))).toEqual(rows('c', 'b', 'a'));
});

test('an engine without source text fails, and does not round in silence', () => {
  const native = JSON.parse;
  const parsing = vi.spyOn(JSON, 'parse');
  parsing.mockImplementation((text, revive) => native(text, revive && ((name, value) => revive(name, value))));
  try {
    expect(() => parseExactly('[9007199254740993]')).toThrow(TypeError);
  } finally {
    parsing.mockRestore();
  }
});
