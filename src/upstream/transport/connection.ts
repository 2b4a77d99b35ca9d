import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';

/** Where a connection is in its exchange: nothing is sent; a request is, and nothing has come back; a response has begun to come. */
type Phase = 'idle' | 'sent' | 'answering';

/** The failures of connections that had served a response before, and on which nothing had come back this time. */
const staleFailures = new WeakSet<object>();

/** Whether an error ended a connection that the server had closed while it was idle, so that the request may never have been seen. */
export function isStale(error: object): boolean {
  return staleFailures.has(error);
}

/**
 * Watches the connections that `connect` opens, itself or through a proxy. What undici does not do is done to their bytes: it ends a
 * connection at `100 Continue`, and passes over `102 Processing`, so it is shown the latter. It does not tell either whether a connection
 * that failed had been used before.
 */
export function watched(connect: buildConnector.connector): buildConnector.connector {
  return (target, callback) => {
    connect(target, (...result) => {
      const [, socket] = result as readonly [unknown, (Socket | null)?];
      if (socket != null) watch(socket);
      callback(...result);
    });
  };
}

// `HTTP/1.1 100`: where the digits of the status are.
const [firstDigit, lastDigit] = [9, 11];
const [zero, one, two, lineFeed, carriageReturn] = Buffer.from('012\n\r') as Iterable<number> as readonly number[];

function watch(socket: Socket): void {
  const [read, write] = [socket.read.bind(socket), socket.write.bind(socket)];
  let phase: Phase = 'idle';
  let hasServed = false;
  const heads = new InterimHeads();

  socket.write = function (...given: readonly unknown[]) {
    phase = 'sent';
    heads.begin();
    return write(...(given as Parameters<typeof write>));
  };
  socket.read = function (size?: number) {
    const chunk = read(size) as Buffer | null;
    if (chunk === null || phase === 'idle') return chunk;
    phase = heads.pass(chunk) ? 'idle' : 'answering';
    hasServed ||= phase === 'idle';
    return chunk;
  };
  socket.on('error', (error) => {
    if (hasServed && phase === 'sent') staleFailures.add(error);
  });
}

/** The informational responses before a response, as they come. */
class InterimHeads {
  /** Where in its first line, or behind it, a head is. */
  #at = 0;
  #isContinue = false;
  #isLineEmpty = false;

  begin(): void {
    this.#at = 0;
  }

  /** Turns each status 100 into 102; true once the head of the response itself has begun. */
  pass(chunk: Buffer): boolean {
    for (let index = 0; index < chunk.length; index++) {
      const byte = chunk[index];
      if (this.#at <= lastDigit) {
        if (this.#at === firstDigit && byte !== one) return true;
        if (this.#at === firstDigit + 1) this.#isContinue = byte === zero;
        if (this.#at === lastDigit && byte === zero && this.#isContinue) chunk[index] = two ?? 0;
        this.#at++;
        this.#isLineEmpty = false;
      } else if (byte === lineFeed) {
        if (this.#isLineEmpty) this.#at = 0;
        this.#isLineEmpty = true;
      } else if (byte !== carriageReturn) this.#isLineEmpty = false;
    }
    return false;
  }
}
