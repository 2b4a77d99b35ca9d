import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { numberOf, parseExactly } from '../../src/json.ts';

const digits = fc.stringMatching(/^-?(?:0|[1-9]\d{0,24})(?:\.\d{1,12})?(?:[eE][+-]?\d{1,3})?$/);
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('1.0', ',1.50,', ':-0}', '"', '\\', '\\"', ': 1e5 ]', '{"a":1.0}'),
);
// No names of digits: JavaScript moves those to the front. None with escapes: V8 takes some for others (nodejs/node#63785).
const name = text.filter((candidate) => !/^\d+$/.test(candidate) && !JSON.stringify(candidate).includes('\\'));
const space = fc.constantFrom('', '', ' ', '\n\t', '  ');

/** A JSON text, once with blanks between its tokens and once without. */
const written = fc.letrec<{ value: readonly [string, string] }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc
      .oneof(
        digits,
        fc.constantFrom('true', 'false', 'null'),
        text.map((value) => JSON.stringify(value)),
      )
      .map((token) => [token, token] as const),
    fc.tuple(fc.array(tie('value'), { maxLength: 4 }), space).map(([items, blank]) => listOf(items, blank, '[', ']')),
    fc
      .tuple(fc.uniqueArray(fc.tuple(name, tie('value')), { maxLength: 4, selector: ([key]) => key }), space)
      .map(([members, blank]) => {
        const items = members.map(([key, value]) => {
          const start = JSON.stringify(key);
          return [`${start}${blank}:${blank}${value[0]}`, `${start}:${value[1]}`] as const;
        });
        return listOf(items, blank, '{', '}');
      }),
  ),
})).value;

function listOf(items: readonly (readonly [string, string])[], blank: string, open: string, close: string) {
  const spaced = items.map(([item]) => blank + item + blank).join(',');
  return [`${open}${spaced}${close}`, `${open}${items.map(([, item]) => item).join(',')}${close}`] as const;
}

test('a body is printed again character for character, except for white space', () => {
  fc.assert(
    fc.property(written, ([spaced, dense]) => {
      expect(JSON.stringify(parseExactly(`{"a": ${spaced}}`))).toBe(`{"a":${dense}}`);
    }),
    { numRuns: 500 },
  );
});

test.for([
  '{"a":1.0',
  '{1.5:1}',
  '{"a":1.5 "b"}',
  '{"a":1.}',
  '{"a":-}',
  '{"a":1.0,}',
  '{"a":1.0}"',
  // The second member of a name takes the place of the first.
  '{"a":-01.5,"a":1}',
  '{"a":[00],"b":1e5,"a":1}',
  `{"price":1.50,"id":${'1'.repeat(200_000)}x}`,
])('is no JSON: %s', (body) => {
  expect(() => parseExactly(body)).toThrow(SyntaxError);
});

test('a number is a number, however it is stored', () => {
  const body = parseExactly('{"a":1.50,"b":7,"c":"1.50","d":1e400}') as Record<string, unknown>;
  expect(Object.values(body).map(numberOf)).toEqual([1.5, 7, undefined, Infinity]);
});
