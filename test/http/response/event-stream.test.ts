import type { ServerResponse } from 'node:http';
import { expect, test, vi } from 'vitest';
import type { RequestWriter } from '../../../src/http/run.ts';
import type { Request } from '../../../src/http/request/request.ts';
import { eventStreamOf } from '../../../src/http/response/event-stream.ts';

const api = { Response, ReadableStream };

/** A stream that has begun, with what was written to its connection. */
async function begin() {
  const written: string[] = [];
  const res = { write: (text: string | Buffer) => written.push(String(text)), writableLength: 0 };
  const endings: (() => void)[] = [];
  const request = {
    accepted: { events: 'text/event-stream' },
    res: res as unknown as ServerResponse,
    whenEnded: (listener: () => void) => endings.push(listener),
  } as unknown as Request;
  const writer = Promise.withResolvers<RequestWriter>();
  const stream = {
    eventId: () => '7',
    begin: writer.resolve,
    leave: () => {},
  };
  const body = eventStreamOf(stream, request, api).text();
  return { written, res, body, writer: await writer.promise, leave: () => endings.forEach((end) => end()) };
}

test('an event stream gets a comment every 12 idle seconds, until the reader leaves', async () => {
  vi.useFakeTimers();
  try {
    const { written, leave } = await begin();
    for (let count = 1; count <= 3; count++) {
      await vi.advanceTimersByTimeAsync(12_000);
      expect(written.slice(1)).toEqual(Array.from({ length: count }, () => ':\n\n'));
    }
    leave();
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test('an event stream gets no comment while its reader has unread events', async () => {
  vi.useFakeTimers();
  try {
    const { written, res, leave } = await begin();
    res.writableLength = 1;
    await vi.advanceTimersByTimeAsync(10 * 12_000);
    expect(written.slice(1)).toEqual([]);
    res.writableLength = 0;
    await vi.advanceTimersByTimeAsync(12_000);
    expect(written.slice(1)).toEqual([':\n\n']);
    leave();
  } finally {
    vi.useRealTimers();
  }
});
