import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { writtenAtOnce } from '../../bounds.ts';
import { queuedBytes } from './stalled-readers.ts';

/** Of the bytes of finished answers that wait for readers, a caller may have one of so many parts. */
const readerCallerPart = 4;

export interface ReaderRoomOptions {
  /** What finished answers that wait for their readers may hold together, in bytes. */
  readonly mostBytes: number;
  /** Names the caller of a request. */
  readonly identityOf: (headers: IncomingMessage['headers']) => string;
  /** The callers whose key the API has accepted. All others share one part. */
  readonly known: { has(identity: string): boolean };
  /** Called for each connection that is closed for lack of room. */
  readonly countClosed: () => void;
}

/** What waits for the reader of one connection. */
interface Waiting {
  readonly caller: string;
  bytes: number;
  /** How many of them the system has not taken yet. */
  readonly left: () => number;
  readonly since: number;
}

/**
 * The finished answers that wait for their readers, over HTTP and WebSocket. Their bytes have one bound, and a caller may have a
 * quarter of it: beyond it, the connection ends whose reader is the slowest of that caller. A caller's only one may be larger.
 */
export class ReaderRoom {
  readonly #options: ReaderRoomOptions;
  readonly #waiting = new Map<Socket, Waiting>();
  readonly #ofCallers = new Map<string, number>();
  #bytes = 0;

  constructor(options: ReaderRoomOptions) {
    this.#options = options;
  }

  /** Counts what has not gone out at once of a response that has ended, until its reader has it or leaves. */
  note(res: ServerResponse): void {
    const { socket } = res;
    if (socket === null || socket.writableLength <= writtenAtOnce) return;
    const identity = this.#options.identityOf(res.req.headers);
    res.once(
      'close',
      this.hold(socket, identity, socket.writableLength, () => queuedBytes(socket)),
    );
  }

  /** Counts bytes that wait for the reader of a connection, until the returned function is called. */
  hold(socket: Socket, identity: string, bytes: number, left: () => number): () => void {
    const { known, mostBytes } = this.#options;
    const waiting = this.#waiting.get(socket) ?? {
      caller: known.has(identity) ? identity : '',
      bytes: 0,
      left,
      since: performance.now(),
    };
    const { caller } = waiting;
    this.#waiting.set(socket, waiting);
    this.#count(waiting, bytes);
    while (this.#bytesOf(caller) > mostBytes / readerCallerPart && this.#closeSlowest(caller, true));
    while (this.#bytes > mostBytes && this.#closeSlowest(this.#largest(), false));
    return () => {
      // Else it was closed for lack of room.
      if (this.#waiting.get(socket) !== waiting) return;
      this.#count(waiting, -bytes);
      if (waiting.bytes === 0) this.#waiting.delete(socket);
    };
  }

  #bytesOf(caller: string): number {
    return this.#ofCallers.get(caller) ?? 0;
  }

  #count(waiting: Waiting, bytes: number): void {
    waiting.bytes += bytes;
    this.#bytes += bytes;
    const { caller } = waiting;
    const ofCaller = this.#bytesOf(caller) + bytes;
    if (ofCaller === 0) this.#ofCallers.delete(caller);
    else this.#ofCallers.set(caller, ofCaller);
  }

  #largest(): string {
    return [...this.#ofCallers].reduce((most, other) => (other[1] > most[1] ? other : most))[0];
  }

  /** Closes the connection of a caller that is read most slowly; false where one is left that may stay. */
  #closeSlowest(caller: string, mayStay: boolean): boolean {
    const now = performance.now();
    const own = [...this.#waiting].flatMap(([socket, waiting]) =>
      waiting.caller === caller ? [{ socket, waiting, pace: paceOf(waiting, now) }] : [],
    );
    if ((mayStay ? own.length : this.#waiting.size) <= 1) return false;
    const { socket, waiting } = own.reduce((slowest, other) => (other.pace < slowest.pace ? other : slowest));
    this.#waiting.delete(socket);
    this.#count(waiting, -waiting.bytes);
    this.#options.countClosed();
    socket.resetAndDestroy();
    return true;
  }
}

/** Bytes for each millisecond. A reader who has just begun to wait counts as a fast one. */
function paceOf({ bytes, left, since }: Waiting, now: number): number {
  return Math.max(writtenAtOnce, bytes - left()) / (now - since + 1);
}

/** The responses of a server, of which a room counts what waits. It costs those nothing that go out at once. */
export function countedResponses(room: ReaderRoom): typeof ServerResponse {
  class Counted extends ServerResponse {
    override end(...given: readonly unknown[]): this {
      super.end(...(given as []));
      room.note(this);
      return this;
    }
  }
  return Counted as typeof ServerResponse;
}
