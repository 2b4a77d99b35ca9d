import { expect, test, vi } from 'vitest';
import { eventStreamOf } from '../../../src/http/response/event-stream.ts';

const api = { Response, ReadableStream, TextEncoder };

/** One result, then what a fault of the gateway does. */
async function* failing() {
  yield { data: { a: 1 } };
  throw new Error('A fault.');
}

const results: readonly (readonly [what: string, results: AsyncIterable<object>])[] = [
  ['comes of it', failing()],
  [
    'can be written',
    (async function* () {
      yield { data: { a: 1 } };
      yield { data: { a: 1n } };
    })(),
  ],
];

test.for(results)(
  'where no result %s, the stream ends with an error, at the id of the event before',
  async ([, given]) => {
    const failures: unknown[] = [];
    const resultOf = (failure: unknown) => {
      failures.push(failure);
      return { data: { failed: true } };
    };
    const response = eventStreamOf(given, { eventIdOf: () => '7', isTaken: () => true, resultOf }, api);
    expect(await response.text()).toBe(
      'id: 7\n\nid: 7\nevent: next\ndata: {"data":{"a":1}}\n\n' +
        'event: next\ndata: {"data":{"failed":true}}\n\nevent: complete\ndata:\n\n',
    );
    expect(failures).toEqual([expect.any(Error)]);
  },
);

test('an event stream gets a comment every 12 idle seconds, until the reader leaves', async () => {
  vi.useFakeTimers();
  try {
    const nothing = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) };
    const options = { eventIdOf: () => '7', isTaken: () => true, resultOf: () => ({ data: null }) };
    const reader = eventStreamOf(nothing, options, api).body?.pipeThrough(new TextDecoderStream()).getReader();
    expect(await reader?.read()).toEqual({ done: false, value: 'id: 7\n\n' });
    for (let count = 0; count < 3; count++) {
      const line = reader?.read();
      await vi.advanceTimersByTimeAsync(12_000);
      expect(await line).toEqual({ done: false, value: ':\n\n' });
    }
    await reader?.cancel();
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test('an event stream gets no comment while its reader has unread events', async () => {
  vi.useFakeTimers();
  try {
    const nothing = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) };
    let isTaken = false;
    const options = { eventIdOf: () => '7', isTaken: () => isTaken, resultOf: () => ({ data: null }) };
    const reader = eventStreamOf(nothing, options, api).body?.pipeThrough(new TextDecoderStream()).getReader();
    expect(await reader?.read()).toEqual({ done: false, value: 'id: 7\n\n' });
    const lines: unknown[] = [];
    const reading = reader?.read().then((line) => lines.push(line));
    await vi.advanceTimersByTimeAsync(10 * 12_000);
    expect(lines).toEqual([]);
    isTaken = true;
    await vi.advanceTimersByTimeAsync(12_000);
    await reading;
    expect(lines).toEqual([{ done: false, value: ':\n\n' }]);
    await reader?.cancel();
  } finally {
    vi.useRealTimers();
  }
});
