import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodings, readIn } from './payloads.ts';

// Longer than any separator, and full of what looks like one.
const lookalike = fc
  .array(
    fc.constantFrom('--a.b-c+d', '---', '-', 'data:', '\r\n', 'é', '\u0085', '\u2028', 'event: complete', '\u2029'),
    {
      minLength: 100,
      maxLength: 300,
      size: 'max',
    },
  )
  .map((parts) => parts.join(''));

describe.each(Object.keys(encodings))('The payloads of %s', (mediaType) => {
  test('are the same wherever the bytes are cut', () => {
    const payload = fc.oneof(
      fc.jsonValue().filter((value) => value !== null),
      lookalike,
    );
    const most = mediaType === 'application/json' ? 1 : 5;
    const cases = fc.array(payload, { minLength: 1, maxLength: most });
    fc.assert(
      fc.property(cases, fc.integer({ min: 1, max: 40 }), (payloads, size) => {
        const text = encodings[mediaType]?.(payloads.map((value) => JSON.stringify(value))) ?? '';
        expect(readIn(size, mediaType, text)).toEqual(
          payloads.map((value) => JSON.parse(JSON.stringify(value)) as unknown),
        );
      }),
    );
  });

  test('are null where one is no JSON, and where one is too long', () => {
    const long = JSON.stringify('x'.repeat(5_000_001));
    const write = (json: string): string => encodings[mediaType]?.([json]) ?? '';
    expect(readIn(7, mediaType, write('{"data":'))).toEqual([null]);
    expect(readIn(65_536, mediaType, write(long)).map((payload) => payload === null)).toEqual([true]);
  });
});
