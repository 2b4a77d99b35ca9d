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

/** How payloads are written, by media type. */
export const encodings: Readonly<Record<string, (payloads: readonly string[]) => string>> = {
  'text/event-stream': eventsOf,
  'text/event-stream; ends=crlf': (payloads) => eventsOf(payloads).replaceAll('\n', '\r\n'),
  'text/event-stream; ends=cr': (payloads) => eventsOf(payloads).replaceAll('\n', '\r'),
  'multipart/mixed; boundary="-"': (payloads) =>
    payloads.map((json) => `\r\n---\r\nContent-Type: application/json\r\n\r\n${json}`).join('') + '\r\n-----\r\n',
  'multipart/mixed; boundary=a.b-c+d; deferSpec=20220824': (payloads) =>
    payloads.map((json) => `--a.b-c+d\r\nContent-Type: application/json\r\n\r\n${json}\r\n`).join('') + '--a.b-c+d--',
  'application/json': ([json = 'null']) => json,
};

/** Reads a body in pieces of so many bytes. */
export function readIn(size: number, mediaType: string, text: string): unknown[] {
  const payloads: unknown[] = [];
  const reader = readPayloads(mediaType, (payload) => payloads.push(payload));
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
  reader.end();
  return payloads;
}
