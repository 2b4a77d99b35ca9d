import { compressedFrom } from '../../bounds.ts';
import type { Piece } from '../../graphql/execution/written-data.ts';
import type { Request } from '../request/request.ts';
import { headersForCaller } from './cache-headers.ts';
import { compress, type ChooseCoding, type Coding } from './compression.ts';

/**
 * Writes a whole response, compressed where that is worth it and the client takes it. `release` is called when the pieces are not needed
 * any more.
 */
export type WriteResponse = (
  request: Request,
  status: number,
  contentType: string,
  pieces: readonly Piece[],
  release?: () => void,
) => Promise<void> | undefined;

/** Creates a writer of responses. */
export function createResponseWriter(chooseCoding: ChooseCoding): WriteResponse {
  return (request, status, contentType, pieces, release) => {
    const { req, res } = request;
    const whole = joined(pieces);
    let length = 0;
    for (const piece of whole) length += piece.length;
    const coding = length < compressedFrom ? null : chooseCoding(req);
    if (coding !== null) {
      const bytes = Buffer.concat(whole.map(bytesOf), length);
      release?.();
      return writeCompressed(request, status, contentType, bytes, coding);
    }
    writeHead(request, status, contentType, length);
    if (whole.length > 1 && release !== undefined) res.once('close', () => res.writableFinished && release());
    const last = whole.length - 1;
    for (let at = 0; at < last; at++) res.write(whole[at], 'latin1');
    res.end(whole[last], 'latin1');
    return undefined;
  };
}

/** A text as a piece. Where each of its characters is one byte, Latin-1 has the same bytes as UTF-8 and costs a fraction. */
export function pieceOf(text: string): Piece {
  return Buffer.byteLength(text) === text.length ? text : Buffer.from(text);
}

/** As few pieces as there can be: texts beside each other become one. */
function joined(pieces: readonly Piece[]): readonly Piece[] {
  const whole: Piece[] = [];
  let text = '';
  for (const piece of pieces) {
    if (typeof piece === 'string') text += piece;
    else {
      if (text !== '') whole.push(text);
      whole.push(piece);
      text = '';
    }
  }
  if (text !== '') whole.push(text);
  return whole;
}

function bytesOf(piece: Piece): Buffer {
  return typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece;
}

function writeHead(request: Request, status: number, contentType: string, length: number, coding?: Coding) {
  const headers = headersForCaller(request, contentType, length);
  if (coding !== undefined) headers.push('content-encoding', coding);
  request.res.writeHead(status, headers);
}

async function writeCompressed(
  request: Request,
  status: number,
  contentType: string,
  bytes: Buffer,
  coding: Coding,
): Promise<void> {
  const body = await compress(coding, bytes);
  // The client has left, so nobody would read the response.
  if (request.signal.aborted) return;
  writeHead(request, status, contentType, body.length, coding);
  request.res.end(body);
}

/**
 * Responses that leave together: all that are ready when the event loop has read what has come, one right behind another. To send a
 * response wakes its reader, and each that is woken by itself costs as much as a tenth of a small request where the reader is on the
 * same machine. Nothing waits for a response that is not ready.
 */
export class WriteBatch {
  #waiting: (() => void)[] = [];

  /** Has a function send a response, soon, and behind those that were added before. */
  add(send: () => void): void {
    if (this.#waiting.push(send) === 1) setImmediate(this.#sendAll);
  }

  readonly #sendAll = (): void => {
    const sending = this.#waiting;
    this.#waiting = [];
    let sent = 0;
    try {
      while (sent < sending.length) sending[sent++]?.();
    } finally {
      // Whatever one of them throws, the others are sent.
      while (sent < sending.length) this.add(sending[sent++] as () => void);
    }
  };
}
