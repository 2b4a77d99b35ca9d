import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';
import { writtenAtOnce } from '../../bounds.ts';

/** Bytes of what waits for it that a reader takes in RESPONSE_STALL_TIMEOUT_MS at least: the slowest phone takes ten times that. */
const leastTaken = 16_384;

// Checks are counted, not milliseconds: a process that was paused for a while must not blame its readers for the time.
const checksPerTimeout = 4;

/** The watch over the readers of a server's responses. */
export interface StallWatch {
  /** Whether no connection has bytes that its reader has not taken. */
  haveTakenAll(): boolean;
  stop(): void;
}

/**
 * Closes each connection whose reader has taken less than `least` bytes of the waiting data in `timeoutMs`, or up to a quarter longer;
 * what the system takes for it counts. A connection without waiting data stays: an idle one, or one whose response is not made yet.
 * `count` is called for each connection that is closed. The watch costs requests nothing: it checks all connections four times in each
 * period.
 */
export function closeStalledReaders(
  server: Server,
  timeoutMs: number,
  count: () => void,
  least = leastTaken,
): StallWatch {
  const open = new Map<Socket, { taken: number; checks: number }>();
  server.on('connection', (socket: Socket) => {
    open.set(socket, { taken: 0, checks: 0 });
    socket.once('close', () => open.delete(socket));
  });

  function check(): void {
    for (const [socket, progress] of open) {
      const taken = takenBytes(socket);
      if (socket.writableLength === 0 || taken - progress.taken >= least) Object.assign(progress, { taken, checks: 0 });
      else if (++progress.checks > checksPerTimeout) {
        count();
        // A reset: otherwise the kernel would go on offering the rest for minutes.
        socket.resetAndDestroy();
      }
    }
  }

  const timer = setInterval(check, timeoutMs / checksPerTimeout).unref();
  return {
    haveTakenAll: () => open.keys().every(({ writableLength }) => writableLength === 0),
    stop: () => clearInterval(timer),
  };
}

/** The part of Node's private handle of a connection that is read here. Nothing of it is changed. */
interface Handle {
  /** Bytes that were handed to the handle. */
  readonly bytesWritten: number;
  /** Bytes of those that the system has not taken. */
  readonly writeQueueSize: number;
}

function handleOf(socket: Socket): Handle | null {
  // Node offers no public name for the handle.
  // oxlint-disable-next-line eslint/no-underscore-dangle
  return (socket as Socket & { readonly _handle: Handle | null })._handle;
}

/** Returns how many bytes written to a connection the system has taken. The number never falls. */
function takenBytes(socket: Socket): number {
  const handle = handleOf(socket);
  return handle === null ? 0 : handle.bytesWritten - handle.writeQueueSize;
}

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
  readonly socket: Socket;
  readonly caller: string;
  bytes: number;
  readonly since: number;
  /** What the system had taken before them. */
  readonly takenBefore: number;
}

/**
 * The finished answers that wait for their readers, over HTTP and WebSocket. Their bytes have one bound, and a caller may have a
 * quarter of it: beyond it, the connection ends whose reader is the slowest of that caller. A caller's only one may be larger.
 */
export class ReaderRoom {
  readonly #options: ReaderRoomOptions;
  readonly #waiting = new Map<Socket, Waiting>();

  constructor(options: ReaderRoomOptions) {
    this.#options = options;
  }

  /** Counts what has not gone out at once of a response that has ended, until its reader has it or leaves. */
  note(res: ServerResponse): void {
    const { socket } = res;
    if (socket === null || socket.writableLength <= writtenAtOnce) return;
    res.once('close', this.hold(socket, this.#options.identityOf(res.req.headers), socket.writableLength));
  }

  /** Counts bytes that wait for the reader of a connection, until the returned function is called. */
  hold(socket: Socket, identity: string, bytes: number): () => void {
    // One that was closed for lack of room may have had other answers under way.
    if (socket.destroyed) return () => {};
    const caller = this.#options.known.has(identity) ? identity : '';
    const begun = { since: performance.now(), takenBefore: socket.bytesWritten - bytes };
    const waiting = this.#waiting.get(socket) ?? { socket, caller, bytes: 0, ...begun };
    this.#waiting.set(socket, waiting);
    waiting.bytes += bytes;
    this.#makeRoom(waiting.caller);
    return () => {
      waiting.bytes -= bytes;
      // Else it was closed for lack of room.
      if (waiting.bytes === 0 && this.#waiting.get(socket) === waiting) this.#waiting.delete(socket);
    };
  }

  #makeRoom(caller: string): void {
    const { mostBytes } = this.#options;
    for (;;) {
      const byCaller = Map.groupBy(this.#waiting.values(), (waiting) => waiting.caller);
      const own = byCaller.get(caller) ?? [];
      if (own.length > 1 && bytesOf(own) > mostBytes / readerCallerPart) this.#closeSlowest(own);
      else if (this.#waiting.size > 1 && bytesOf([...this.#waiting.values()]) > mostBytes)
        this.#closeSlowest([...byCaller.values()].reduce((most, one) => (bytesOf(one) > bytesOf(most) ? one : most)));
      else return;
    }
  }

  #closeSlowest(among: readonly Waiting[]): void {
    const now = performance.now();
    const { socket } = among.reduce((slowest, one) => (paceOf(one, now) < paceOf(slowest, now) ? one : slowest));
    this.#waiting.delete(socket);
    this.#options.countClosed();
    socket.resetAndDestroy();
  }
}

function bytesOf(all: readonly Waiting[]): number {
  return all.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Bytes for each millisecond. A reader who has just begun to wait counts as a fast one. */
function paceOf({ socket, since, takenBefore }: Waiting, now: number): number {
  return Math.max(writtenAtOnce, takenBytes(socket) - takenBefore) / (now - since + 1);
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
