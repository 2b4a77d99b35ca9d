import { ServerResponse, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { CloseCode, GRAPHQL_TRANSPORT_WS_PROTOCOL as subprotocol } from 'graphql-ws';
import { WebSocket } from 'ws';
import { writtenAtOnce } from '../../bounds.ts';
import { isJsonObject, type JsonObject } from '../../json.ts';
import { excessOfBody, parseBody } from '../request/body-reader.ts';

/** Operations of one socket that run and are not streams yet. The results of so many may wait for a client that reads nothing. */
const socketOperationsRunning = 16;

/** Characters of the id of an operation, which each of its messages repeats. A UUID has 36. */
export const operationIdLength = 100;

/** Takes a message of the client. Rejects for a fault of the gateway alone. */
type TakeMessage = (message: string) => Promise<void>;

/**
 * One WebSocket, between graphql-ws, which knows the protocol, and ws, which knows frames. A client that does not read what it is
 * sent is not read either: its messages, and the operations that it has asked for, wait until it does.
 */
export class GraphqlSocket {
  readonly protocol = subprotocol;
  /** The upgrade, as the request of each operation. */
  req: IncomingMessage;
  /** Rules may set headers of a response. Nothing is written of them. */
  readonly res: ServerResponse;
  /** The caller in state that requests share, empty where there is no key; null until `connection_init`. */
  identity: string | null = null;
  readonly #ws: WebSocket;
  readonly connection: Socket;
  readonly #fail: (error: unknown) => void;
  #take: TakeMessage = () => Promise.resolve();
  /** The bytes of messages that the connection has not taken. */
  #unread = 0;
  /** Operations that wait until they may run. */
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #operations = 0;
  #pingsUnanswered = 0;
  #isStopping = false;

  /** `fail` hears of faults of the gateway. */
  constructor(ws: WebSocket, connection: Socket, req: IncomingMessage, fail: (error: unknown) => void) {
    this.#ws = ws;
    this.connection = connection;
    this.req = req;
    this.res = new ServerResponse(req);
    this.#fail = fail;
    ws.on('message', (data, isBinary) => this.#hear(data as Buffer, isBinary));
    ws.on('pong', () => (this.#pingsUnanswered = 0));
    // The end of the socket follows, with its code.
    ws.on('error', () => {});
  }

  get isOpen(): boolean {
    return this.#ws.readyState === WebSocket.OPEN;
  }

  onMessage(take: TakeMessage): void {
    this.#take = take;
  }

  send(text: string): void {
    this.write([text]);
  }

  /**
   * Sends one message. `taken` is called when the connection has taken all of it. Returns the bytes of the message where some of them
   * wait.
   */
  write(pieces: readonly (string | Buffer)[], taken: () => void = () => {}): number {
    const buffers = pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece));
    const bytes = buffers.reduce((sum, { length }) => sum + length, 0);
    this.#unread += bytes;
    const done = (error?: Error | null): void => {
      if (error != null) return;
      this.#unread -= bytes;
      taken();
      this.#goOn();
    };
    // Of a large message each piece has a frame: the readers of an event share its bytes.
    const frames = bytes > writtenAtOnce ? buffers : [Buffer.concat(buffers, bytes)];
    this.connection.cork();
    for (const [index, frame] of frames.entries()) {
      const fin = index === frames.length - 1;
      this.#ws.send(frame, { binary: false, fin }, fin ? done : undefined);
    }
    this.connection.uncork();
    this.#regulate();
    return this.#isBehind ? bytes : 0;
  }

  close(code = 1000, reason = ''): void {
    // The reason of graphql-ws would quote the client.
    const isQuote = (code as CloseCode) === CloseCode.SubscriberAlreadyExists;
    if (this.isOpen) this.#ws.close(code, isQuote ? 'Subscriber already exists' : reason);
  }

  /** Cuts the connection off. */
  destroy(): void {
    this.#ws.terminate();
  }

  /** Begins an operation, and returns how many there are now. */
  beginOperation(): number {
    return ++this.#operations;
  }

  endOperation(): void {
    this.#operations--;
    // What graphql-ws has to say of it comes first.
    setImmediate(() => this.#goOn());
  }

  /** Resolves when an operation may run, until `endRun`: few do at a time, and none while the client has not read what came before. */
  beginRun(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#goOn();
    });
  }

  endRun(): void {
    this.#running--;
    this.#goOn();
  }

  /** Asks for a sign of life; cuts the connection off where the client has answered none of the last two times. */
  ping(): void {
    // Whoever watches over readers decides about this one.
    if (!this.isOpen || this.#ws.bufferedAmount > 0) return;
    if (++this.#pingsUnanswered > 2) this.destroy();
    else this.#ws.ping();
  }

  /** Takes no more operations, and ends with 1001 when those under way have ended: the client asks elsewhere for what it missed. */
  stop(): void {
    this.#isStopping = true;
    this.#goOn();
  }

  get #isBehind(): boolean {
    return this.#unread > writtenAtOnce;
  }

  #hear(data: Buffer, isBinary: boolean): void {
    if (!this.isOpen) return;
    this.#pingsUnanswered = 0;
    const message = isBinary ? null : messageIn(data);
    if (message === null) return this.close(CloseCode.BadRequest, 'Invalid message received');
    if (this.#isStopping && message['type'] === 'subscribe') return;
    // It is parsed already, which graphql-ws takes as well.
    this.#take(message as unknown as string).catch((error: unknown) => {
      this.#fail(error);
      this.close(CloseCode.InternalServerError, 'Internal server error');
    });
  }

  #goOn(): void {
    this.#regulate();
    while (!this.#isBehind && this.#running < socketOperationsRunning && this.#waiting.length > 0) {
      this.#running++;
      this.#waiting.shift()?.();
    }
    if (this.#isStopping && this.#operations === 0 && this.#unread === 0) this.close(1001, 'Going away');
  }

  #regulate(): void {
    if (this.#isBehind === this.#ws.isPaused) return;
    if (this.#isBehind) this.#ws.pause();
    else this.#ws.resume();
  }
}

const types: ReadonlySet<unknown> = new Set(['connection_init', 'ping', 'pong', 'subscribe', 'complete']);

/** The message of a client; null where it is none that graphql-ws could take, or one that would take long. */
function messageIn(data: Buffer): JsonObject | null {
  const message = excessOfBody(data) === null ? parseBody(data) : null;
  if (!isJsonObject(message) || !types.has(message['type'])) return null;
  const { id = '', payload } = message;
  if (typeof id !== 'string' || id.length > operationIdLength) return null;
  // An identifier may stand in place of a query, which graphql-ws wants to see.
  const isWithout = message['type'] === 'subscribe' && isJsonObject(payload) && payload['query'] == null;
  return isWithout ? { ...message, payload: { ...payload, query: '' } } : message;
}
