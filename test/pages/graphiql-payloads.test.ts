import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

interface Reader {
  push(bytes: Uint8Array): void;
  end(): void;
}

// A script of GraphiQL's page, which has no types.
const file = new URL('../../src/explorer/gateway.js', import.meta.url).href;
const { readPayloads } = (await import(file)) as {
  readonly readPayloads: (mediaType: string, use: (payload: unknown) => void) => Reader;
};

const eventsOf = (payloads: readonly string[]): string =>
  payloads.map((json) => `event: next\nid: 1\ndata: ${json}\n\n`).join(':\n\n') + 'event: complete\ndata:\n\n';

const encodings: Readonly<Record<string, (payloads: readonly string[]) => string>> = {
  'text/event-stream': eventsOf,
  'text/event-stream; ends=crlf': (payloads) => eventsOf(payloads).replaceAll('\n', '\r\n'),
  'text/event-stream; ends=cr': (payloads) => eventsOf(payloads).replaceAll('\n', '\r'),
  'multipart/mixed; boundary="-"': (payloads) =>
    payloads.map((json) => `\r\n---\r\nContent-Type: application/json\r\n\r\n${json}`).join('') + '\r\n-----\r\n',
  'multipart/mixed; boundary=a.b-c+d; deferSpec=20220824': (payloads) =>
    payloads.map((json) => `--a.b-c+d\r\nContent-Type: application/json\r\n\r\n${json}\r\n`).join('') + '--a.b-c+d--',
  'application/json': ([json = 'null']) => json,
};

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

  test('are read in a time that grows with their length, however small the pieces are in which they come', () => {
    const timeOf = (length: number): number => {
      const text = encodings[mediaType]?.([JSON.stringify('x'.repeat(length))]) ?? '';
      const times = Array.from({ length: 5 }, () => {
        const started = performance.now();
        expect(readIn(1_024, mediaType, text)).toHaveLength(1);
        return performance.now() - started;
      });
      // Whatever else runs only makes it longer.
      return Math.min(...times);
    };
    // The square would be sixty-four times as long.
    expect(timeOf(1_200_000)).toBeLessThan(40 * timeOf(150_000) + 20);
  });

  test('are null where one is no JSON, and where one is too long', () => {
    const long = JSON.stringify('x'.repeat(5_000_001));
    const write = (json: string): string => encodings[mediaType]?.([json]) ?? '';
    expect(readIn(7, mediaType, write('{"data":'))).toEqual([null]);
    expect(readIn(65_536, mediaType, write(long)).map((payload) => payload === null)).toEqual([true]);
  });
});

/** Reads a body in pieces of so many bytes. */
function readIn(size: number, mediaType: string, text: string): unknown[] {
  const payloads: unknown[] = [];
  const reader = readPayloads(mediaType, (payload) => payloads.push(payload));
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
  reader.end();
  return payloads;
}
