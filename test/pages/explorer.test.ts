import { describe, expect, test } from 'vitest';
import { mergePayload, parseExactly } from '../../explorer/answer.ts';

describe('GraphiQL shows an answer', () => {
  test('with numbers as they were sent', () => {
    const text = '{"a":9007199254740993,"b":[1.10,1e400,-0],"c":1.5,"d":"9007199254740993"}';
    expect(JSON.stringify(parseExactly(text))).toBe(text);
  });

  test('with the pieces of @defer in their places, also where they overlap', () => {
    const first = mergePayload(null, { data: { a: { b: 1, list: [{ c: 1 }] } }, hasNext: true });
    const merged = mergePayload(first, {
      incremental: [
        { path: [], data: { a: { d: 2 } } },
        { path: ['a', 'list', 0], data: { e: null }, errors: [{ message: 'no e' }] },
      ],
      extensions: { cost: 1 },
      hasNext: false,
    });
    expect(merged).toEqual({
      data: { a: { b: 1, d: 2, list: [{ c: 1, e: null }] } },
      errors: [{ message: 'no e' }],
      extensions: { cost: 1 },
    });
  });
});
