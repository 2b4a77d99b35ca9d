import { ServerResponse, type IncomingHttpHeaders } from 'node:http';
import type { Server, Socket } from 'node:net';
import { writtenAtOnce } from '../../bounds.ts';
import type { Config } from '../../config.ts';

/** Bytes of what waits for it that a reader takes in RESPONSE_STALL_TIMEOUT_MS at least: the slowest phone takes ten times that. */
const leastTaken = 16_384;

// Checks are counted, not milliseconds: a process that was paused for a while must not blame its readers for the time.
const checksPerTimeout = 4;

/** Of the bytes of finished answers that wait for readers, a caller may have one of so many parts. */
const readerCallerPart = 4;

/**
 * Bytes of finished answers that may wait for readers, for each of events: by default 256 MiB. A report has some ten megabytes, and a
 * caller's quarter has room for a few of them; an event has some kilobytes.
 */
const answersPerEventByte = 4;

interface ReadersOptions extends Pick<Config, 'responseStallTimeoutMs' | 'subscriptionBufferBytes'> {
  /** Bytes of what waits for it that a reader takes in that time at least. */
  readonly least?: number;
  /** Names the caller of a request. */
  readonly identityOf: (headers: IncomingHttpHeaders) => string;
  /** The callers whose key the API has accepted. All others share one part. */
  readonly known: { has(identity: string): boolean };
  /** Called for each connection that is closed. */
  readonly countClosed: () => void;
}

/** The reader of one connection. */
interface Reader {
  readonly socket: Socket;
  /** What the system had taken for it when it last kept its pace, and the checks since then. */
  taken: number;
  checks: number;
  /** Whose its last finished answer is; null where it has had none. */
  caller: string | null;
  /** When that was written, and what the system had taken by then. */
  since: number;
  takenBefore: number;
}

/**
 * The readers of all connections, over HTTP and WebSocket. The connection of a reader is closed in two cases:
 * - It has taken less than `least` bytes of the waiting data in `responseStallTimeoutMs`, or up to half of that longer; what the system
 *   takes for it counts. One without waiting data stays: an idle one, or one whose response is not made yet. This costs requests nothing.
 * - Finished answers that wait exceed their bound, or those of one caller a quarter of it: the slowest ends of the caller who has
 *   most. A caller's only one may be larger.
 */
export class Readers {
  readonly #options: ReadersOptions;
  readonly #open = new Map<Socket, Reader>();
  readonly #timer: NodeJS.Timeout;

  constructor(options: ReadersOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#closeStalled(), options.responseStallTimeoutMs / checksPerTimeout).unref();
  }

  /** Whether no connection has bytes that its reader has not taken. */
  get haveTakenAll(): boolean {
    return this.#open.keys().every(({ writableLength }) => writableLength === 0);
  }

  /** Watches the connections of a server. */
  watch(server: Server): void {
    server.on('connection', (socket: Socket) => {
      this.#open.set(socket, { socket, taken: 0, checks: 0, caller: null, since: 0, takenBefore: 0 });
      socket.once('close', () => this.#open.delete(socket));
    });
  }

  /** Notes that an answer to a request has been written whole, of which much may wait for its reader. */
  note(socket: Socket, headers: IncomingHttpHeaders): void {
    const reader = this.#open.get(socket);
    if (reader === undefined || bytesOf(reader) === 0) return;
    const identity = this.#options.identityOf(headers);
    const caller = this.#options.known.has(identity) ? identity : '';
    Object.assign(reader, { caller, since: performance.now(), takenBefore: takenBytes(socket) });
    while (this.#closeOneOf(caller));
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #closeStalled(): void {
    const { least = leastTaken } = this.#options;
    for (const reader of this.#open.values()) {
      const taken = takenBytes(reader.socket);
      // It has its answer; what waits from now on may be a stream.
      if (reader.socket.writableLength === 0) reader.caller = null;
      if (reader.socket.writableLength === 0 || taken - reader.taken >= least)
        Object.assign(reader, { taken, checks: 0 });
      else if (++reader.checks > checksPerTimeout) this.#close(reader);
    }
  }

  /** Closes one connection if too much waits for this caller, or for all together. */
  #closeOneOf(caller: string): boolean {
    const mostBytes = answersPerEventByte * this.#options.subscriptionBufferBytes;
    const waiting = [...this.#open.values()].filter((reader) => reader.caller !== null && bytesOf(reader) > 0);
    const byCaller = Map.groupBy(waiting, (reader) => reader.caller);
    const own = byCaller.get(caller) ?? [];
    if (own.length > 1 && sumOf(own) > mostBytes / readerCallerPart) this.#close(slowestOf(own));
    else if (waiting.length > 1 && sumOf(waiting) > mostBytes)
      this.#close(slowestOf([...byCaller.values()].reduce((most, one) => (sumOf(one) > sumOf(most) ? one : most))));
    else return false;
    return true;
  }

  #close({ socket }: Reader): void {
    this.#open.delete(socket);
    this.#options.countClosed();
    // A reset: otherwise the kernel would go on offering the rest for minutes.
    socket.resetAndDestroy();
  }
}

/** The bytes that wait for a reader; none where so few do that they are just being written. */
function bytesOf({ socket: { writableLength } }: Reader): number {
  return writableLength > writtenAtOnce ? writableLength : 0;
}

function sumOf(readers: readonly Reader[]): number {
  return readers.reduce((sum, reader) => sum + bytesOf(reader), 0);
}

/** The one that has not kept its pace for longest; of several, the one with the least pace since its answer was written. */
function slowestOf(readers: readonly Reader[]): Reader {
  const now = performance.now();
  // One whose answer has just been written has had no time to take it, and counts as a fast one.
  const paceOf = ({ socket, since, takenBefore }: Reader): number =>
    Math.max(writtenAtOnce, takenBytes(socket) - takenBefore) / (now - since);
  const [slowest] = readers.toSorted((a, b) => b.checks - a.checks || paceOf(a) - paceOf(b));
  return slowest as Reader;
}

/** The part of Node's private handle of a connection that is read here. Nothing of it is changed. */
interface Handle {
  /** Bytes that were handed to the handle. */
  readonly bytesWritten: number;
  /** Bytes of those that the system has not taken. */
  readonly writeQueueSize: number;
}

/** Returns how many bytes written to a connection the system has taken. The number never falls. */
function takenBytes(socket: Socket): number {
  // Node offers no public name for the handle.
  // oxlint-disable-next-line eslint/no-underscore-dangle
  const { _handle: handle } = socket as Socket & { readonly _handle: Handle | null };
  return handle === null ? 0 : handle.bytesWritten - handle.writeQueueSize;
}

/** The responses of a server, whose ends are noted. It costs those nothing that go out at once. */
export function notedResponses(readers: Readers): typeof ServerResponse {
  class Noted extends ServerResponse {
    override end(...given: readonly unknown[]): this {
      super.end(...(given as []));
      if (this.socket !== null) readers.note(this.socket, this.req.headers);
      return this;
    }
  }
  return Noted as typeof ServerResponse;
}
