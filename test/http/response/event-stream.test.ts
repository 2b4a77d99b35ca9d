import { ServerResponse, type IncomingMessage } from 'node:http';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Request } from '../../../src/http/request/request.ts';
import { sendEvents } from '../../../src/http/response/event-stream.ts';

/** A stream that has begun, with what was written to its connection. */
function begin() {
  const written: string[] = [];
  const res = Object.assign(new ServerResponse({ method: 'GET' } as IncomingMessage), {
    write: (text: string | Buffer) => written.push(String(text)),
  });
  const reader = { unread: 0 };
  Object.defineProperty(res, 'writableLength', { get: () => reader.unread });
  const endings: (() => void)[] = [];
  const accepted = { events: 'text/event-stream' };
  const request = { res, accepted, requestId: 'an-id', whenEnded: (listener: () => void) => endings.push(listener) };
  const stream = { eventId: () => '7', begin: () => {} };
  sendEvents(stream, request as unknown as Request);
  return { written, reader, leave: () => endings.forEach((end) => end()) };
}

test('an event stream gets a comment every 12 idle seconds, but while its reader has unread events, until he leaves', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { written, reader, leave } = begin();
  for (let count = 1; count <= 3; count++) {
    vi.advanceTimersByTime(12_000);
    expect(written.slice(1)).toEqual(Array.from({ length: count }, () => ':\n\n'));
  }
  reader.unread = 1;
  vi.advanceTimersByTime(10 * 12_000);
  expect(written).toHaveLength(4);
  reader.unread = 0;
  vi.advanceTimersByTime(12_000);
  expect(written).toHaveLength(5);
  leave();
  expect(vi.getTimerCount()).toBe(0);
});
