import type { Reading } from '../hostile/connection.ts';
import type { Credential } from './key.ts';
import { shortened } from './text.ts';

/** How a request goes over the wire. */
export type Sending = 'whole' | 'in halves' | 'half' | 'twice at once' | 'many at once';

/** How a request declares the length of its body, truly or not. */
export type Framing = 'length' | 'chunked' | 'too short' | 'too long' | 'both' | 'none';

/** The dialect of HTTP: all but the first are refused, or may be understood differently by others. */
export type Dialect =
  'HTTP/1.1' | 'HTTP/1.0' | 'HTTP/2' | 'bare line feeds' | 'no host' | 'folded' | 'a space before colons' | 'a NUL';

export type Header = readonly [name: string, value: string];

/** One request of a stranger, with its manners. */
export interface StrangerRequest extends Credential {
  readonly method: string;
  readonly target: string;
  /** Besides the host, the key and the length. */
  readonly headers: readonly Header[];
  readonly body: Buffer | null;
  readonly framing: Framing;
  readonly sending: Sending;
  readonly reading: Reading;
  readonly dialect: Dialect;
}

const lengthLines: Readonly<Record<Framing, (length: number) => readonly string[]>> = {
  length: (length) => [`content-length: ${length}`],
  chunked: () => ['transfer-encoding: chunked'],
  'too short': (length) => [`content-length: ${Math.max(0, length - 3)}`],
  'too long': (length) => [`content-length: ${length + 7}`],
  both: (length) => [`content-length: ${length}`, 'transfer-encoding: chunked'],
  none: () => [],
};

/** The bytes of a request, once. */
export function wireOf({ authorization, method, target, headers, body, framing, dialect }: StrangerRequest): Buffer {
  const hasHost = dialect === 'no host' || headers.some(([name]) => name === 'host');
  const lines = [
    `${method} ${target} ${dialect === 'HTTP/1.0' || dialect === 'HTTP/2' ? dialect : 'HTTP/1.1'}`,
    ...(hasHost ? [] : ['host: gateway']),
    ...(authorization === null ? [] : [`authorization: ${authorization}`]),
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...lengthLines[framing](body?.length ?? 0),
  ];
  const head = Buffer.from(headOf(lines, dialect), 'latin1');
  if (body === null) return head;
  if (framing !== 'chunked' && framing !== 'both') return Buffer.concat([head, body]);
  return Buffer.concat([head, Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')]);
}

function headOf(lines: readonly string[], dialect: Dialect): string {
  const head = `${lines.join('\r\n')}\r\n\r\n`;
  if (dialect === 'bare line feeds') return head.replaceAll('\r\n', '\n');
  if (dialect === 'folded') return head.replaceAll(': ', ':\r\n ');
  if (dialect === 'a space before colons') return head.replaceAll(': ', ' : ');
  return dialect === 'a NUL' ? head.replaceAll(': ', ': \0') : head;
}

/** A request as a report shows it, so that it can be sent again by hand. */
export function describeRequest(request: StrangerRequest): string {
  const { standing, sending, reading, framing, dialect } = request;
  const headers = request.headers.filter(([name]) => !isCounted(name));
  const many = request.headers.length - headers.length;
  const manners = [standing, `sent ${sending}`, `read: ${reading}`, `framed: ${framing}`];
  if (dialect !== 'HTTP/1.1') manners.push(dialect);
  if (many > 0) manners.push(`${many} more headers`);
  const text = wireOf({ ...request, headers })
    .toString('utf8')
    .replaceAll('\r\n', '\n');
  return `(${manners.join(', ')})\n${shortened(text)}`;
}

function isCounted(name: string): boolean {
  return /^x-\d+$/.test(name);
}
