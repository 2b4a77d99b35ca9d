import { connect, type Socket } from 'node:net';
import { ResponseParser, type WireResponse } from './response-parser.ts';

/** How what was sent is read: at once, never, a few bytes at a time, left after its first bytes, or left before them. */
export type Reading = 'all' | 'nothing' | 'slowly' | 'leaves' | 'hangs up';

/** How a stranger uses one connection. */
export interface Talk {
  /** Written one after the other, a moment apart. */
  readonly pieces: readonly (string | Buffer)[];
  readonly pauseMs?: number;
  readonly reading?: Reading;
  /** How many responses are waited for; 0 waits for the time alone. */
  readonly responses?: number;
  /** False for HEAD. */
  readonly hasBodies?: boolean;
  /** The connection is left after so long, whatever has come. */
  readonly waitMs: number;
  /** The connection is left when this resolves, where that is earlier. */
  readonly leaving?: Promise<void>;
  /** A stream is left so long after it has begun. */
  readonly streamMs?: number;
}

/** How a talk ended: by all responses, by the gateway closing the connection, or by the stranger's leaving. */
export type TalkEnd = 'answered' | 'closed' | 'left';

/** The bytes that a stranger received. */
export interface Heard {
  readonly end: TalkEnd;
  readonly responses: readonly WireResponse[];
  /** A response that has begun and not ended, such as a stream. */
  readonly begun: WireResponse | null;
  /** Bytes that are no response. */
  readonly unread: Buffer;
  readonly bytes: number;
  readonly milliseconds: number;
}

const slowBytes = 8_192;
const slowPauseMs = 20;

/** Talks to a server over a connection of its own; never rejects: what fails is an ending like any other. */
export function talk(url: string, { pieces, pauseMs = 5, ...options }: Talk): Promise<Heard> {
  const { reading = 'all', responses: wanted = 1, hasBodies = true, waitMs, leaving, streamMs = waitMs } = options;
  const { hostname, port } = new URL(url);
  const started = performance.now();
  const parser = new ResponseParser({ hasBodies });
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  socket.setNoDelay(true);
  let bytes = 0;
  return new Promise((resolve) => {
    const finish = (end: TalkEnd): void => {
      clearTimeout(timer);
      clearTimeout(streamTimer);
      stopReading();
      socket.destroy();
      if (end === 'closed') parser.end();
      const { responses, begun, unread } = parser;
      resolve({ end, responses, begun, unread, bytes, milliseconds: performance.now() - started });
    };
    const timer = setTimeout(() => finish('left'), waitMs);
    void leaving?.then(() => finish('left'));
    let streamTimer: NodeJS.Timeout | undefined;
    const take = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (reading === 'leaves') return finish('left');
      parser.take(chunk);
      if (parser.isStreaming) streamTimer ??= setTimeout(() => finish('left'), streamMs);
      if (wanted > 0 && parser.responses.length >= wanted) return finish('answered');
      return undefined;
    };
    const stopReading = read(socket, reading, take);
    socket.once('close', () => finish('closed'));
    socket.once('end', () => finish('closed'));
    // A connection that is reset or refused is closed: `close` follows.
    socket.on('error', () => {});
    const hangUp = (): unknown => setTimeout(() => finish('left'), pauseMs);
    void write(socket, pieces, pauseMs).then(() => reading === 'hangs up' && hangUp());
  });
}

/** Begins to read; returns what ends it. */
function read(socket: Socket, reading: Reading, take: (chunk: Buffer) => void): () => void {
  if (reading === 'nothing' || reading === 'hangs up') return () => {};
  if (reading !== 'slowly') {
    socket.on('data', take);
    return () => socket.off('data', take);
  }
  const timer = setInterval(() => {
    const chunk = (socket.read(slowBytes) ?? socket.read()) as Buffer | null;
    if (chunk !== null) take(chunk);
  }, slowPauseMs);
  // Without a listener nothing would be read into the buffer that the timer takes from.
  socket.on('readable', () => {});
  return () => clearInterval(timer);
}

async function write(socket: Socket, pieces: Talk['pieces'], pauseMs: number): Promise<void> {
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    if (socket.destroyed) return;
    socket.write(piece);
  }
}
