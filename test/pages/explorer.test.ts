import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mergePayload, parseExactly } from '../../explorer/answer.ts';
import { readEvents } from '../../explorer/events.ts';

/** Reads a body in pieces of so many bytes. */
async function readIn(size: number, text: string): Promise<readonly string[]> {
  const bytes = new TextEncoder().encode(text);
  async function* chunks(): AsyncGenerator<Uint8Array, void> {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  return Array.fromAsync(readEvents(chunks()));
}

describe('GraphiQL reads events', () => {
  // Some programs take these for ends of lines (HTML, "Server-sent events": only CRLF, LF and CR are).
  const json = fc
    .array(fc.constantFrom('é', '\u0085', '\u2028', '\u2029', '\v', '\f', 'data:', 'event: complete', '{'), {
      minLength: 1,
    })
    .map((parts) => JSON.stringify(parts.join('')));

  test.for(['\n', '\r\n', '\r'])('that end lines by %j, wherever the bytes are cut', async (end) => {
    await fc.assert(
      fc.asyncProperty(fc.array(json, { maxLength: 5 }), fc.integer({ min: 1, max: 40 }), async (payloads, size) => {
        const events = payloads.map((payload) => `:\n\nevent: next\nid: 1\ndata: ${payload}\n\n`).join('');
        const text = `${events}event: complete\ndata:\n\n`.replaceAll('\n', end);
        expect(await readIn(size, text)).toEqual(payloads);
      }),
    );
  });
});

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
