import { connect } from 'node:net';

/** How one connection is used, to the letter. */
export interface Talk {
  /** Written one after the other, a moment apart. */
  readonly pieces: readonly (string | Buffer)[];
  /** How many responses are waited for; 0 waits for the end of the connection. */
  readonly responses?: number;
  /** The connection is left after so long, whatever has come. */
  readonly waitMs: number;
  /** The connection is left when this resolves, where that is earlier. */
  readonly leaving?: Promise<void>;
}

/** An HTTP/1.1 response as it came over the wire. */
export interface WireResponse {
  readonly status: number;
  readonly body: Buffer;
}

/** What came of a talk, and how it ended: by all responses, by the server closing the connection, or by leaving. */
export interface Heard {
  readonly end: 'answered' | 'closed' | 'left';
  readonly responses: readonly WireResponse[];
}

const pauseMs = 5;

/** Talks to a server over a connection of its own; never rejects: what fails is an ending like any other. */
export function talk(url: string, { pieces, responses: wanted = 1, waitMs, leaving }: Talk): Promise<Heard> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  socket.setNoDelay(true);
  const chunks: Buffer[] = [];
  return new Promise((resolve) => {
    const finish = (end: Heard['end'], responses = responsesIn(Buffer.concat(chunks))): void => {
      clearTimeout(timer);
      socket.removeAllListeners('data').destroy();
      resolve({ end, responses });
    };
    const timer = setTimeout(() => finish('left'), waitMs);
    void leaving?.then(() => finish('left'));
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      if (wanted === 0) return;
      const responses = responsesIn(Buffer.concat(chunks));
      if (responses.length >= wanted) finish('answered', responses);
    });
    socket.once('close', () => finish('closed'));
    socket.once('end', () => finish('closed'));
    // A connection that is reset or refused is closed: `close` follows.
    socket.on('error', () => {});
    void (async () => {
      for (const [index, piece] of pieces.entries()) {
        if (index > 0) await new Promise((next) => setTimeout(next, pauseMs));
        if (socket.destroyed) return;
        socket.write(piece);
      }
    })();
  });
}

/** The whole responses at the beginning of some bytes, each with its length or in chunks. */
function responsesIn(bytes: Buffer): readonly WireResponse[] {
  const responses: WireResponse[] = [];
  for (let at = 0; ;) {
    const end = bytes.indexOf('\r\n\r\n', at) + 4;
    if (end < 4) return responses;
    const head = bytes.toString('latin1', at, end);
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? NaN);
    const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
    const found = /^transfer-encoding: chunked/im.test(head) ? chunked(bytes, end) : plain(bytes, end, length);
    if (found === null) return responses;
    // An informational response comes before the final one.
    if (status >= 200) responses.push({ status, body: found.body });
    at = found.end;
  }
}

interface Body {
  readonly body: Buffer;
  readonly end: number;
}

function plain(bytes: Buffer, start: number, length: number): Body | null {
  const end = start + length;
  return end > bytes.length ? null : { body: bytes.subarray(start, end), end };
}

function chunked(bytes: Buffer, start: number): Body | null {
  const pieces: Buffer[] = [];
  for (let at = start; ;) {
    const line = bytes.indexOf('\r\n', at);
    if (line < 0) return null;
    const length = Number.parseInt(bytes.toString('latin1', at, line), 16);
    at = line + 2 + length + 2;
    if (at > bytes.length) return null;
    if (length === 0) return { body: Buffer.concat(pieces), end: at };
    pieces.push(bytes.subarray(line + 2, at - 2));
  }
}
