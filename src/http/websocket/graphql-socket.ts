import { ServerResponse, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { CloseCode, GRAPHQL_TRANSPORT_WS_PROTOCOL as subprotocol } from 'graphql-ws';
import { WebSocket } from 'ws';
import { writtenAtOnce } from '../../bounds.ts';
import { isJsonObject, type JsonObject } from '../../json.ts';
import { excessOfBody, parseBody } from '../request/body-reader.ts';
import { takeSome } from '../response/event-stream.ts';

/** Operations of one socket that run and are not streams yet. The results of so many may wait for a client that reads nothing. */
const socketOperationsRunning = 16;

/** Characters of the id of an operation, which each of its messages repeats. A UUID has 36. */
export const operationIdLength = 100;

/** A message on its way to the client. */
interface Outgoing {
  readonly pieces: (string | Buffer)[];
  readonly bytes: number;
  readonly taken: () => void;
}

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
  readonly #outgoing: Outgoing[] = [];
  /** The bytes of messages that the connection has not taken. */
  #unread = 0;
  #isWriting = false;
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
   * Sends one message, in parts where it is large. `taken` is called when the connection has taken all of it. Returns the bytes of the
   * message where some of them wait.
   */
  write(pieces: readonly (string | Buffer)[], taken: () => void = () => {}): number {
    const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
    this.#outgoing.push({ pieces: [...pieces], bytes, taken });
    this.#unread += bytes;
    this.#writeSome();
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
    if (!this.isOpen || this.#outgoing.length > 0 || this.#ws.bufferedAmount > 0) return;
    if (++this.#pingsUnanswered > 2) this.destroy();
    else this.#ws.ping();
  }

  /** Takes no more operations, and ends with 1001 when those under way have ended: the client asks elsewhere for what it missed. */
  stop(): void {
    this.#isStopping = true;
    this.#goOn();
  }

  /** The bytes of messages that have not been handed to the connection. */
  get left(): number {
    return this.#outgoing.reduce((sum, { pieces }) => pieces.reduce((more, { length }) => more + length, sum), 0);
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

  #writeSome(): void {
    if (this.#isWriting || this.#outgoing.length === 0 || !this.isOpen) return;
    this.#isWriting = true;
    const whole: Outgoing[] = [];
    const done = (error?: Error | null): void => {
      if (error == null) this.#noteTaken(whole);
    };
    // All of it in one write.
    this.connection.cork();
    for (let bytes = 0, isLast = false; !isLast;) {
      const message = this.#outgoing[0] as Outgoing;
      const data = Buffer.concat(takeSome(message.pieces).map(bytesOf));
      const fin = message.pieces.length === 0;
      if (fin) {
        whole.push(message);
        this.#outgoing.shift();
      }
      bytes += data.length;
      isLast = bytes >= writtenAtOnce || this.#outgoing.length === 0;
      this.#ws.send(data, { binary: false, fin }, isLast ? done : undefined);
    }
    this.connection.uncork();
  }

  #noteTaken(messages: readonly Outgoing[]): void {
    this.#isWriting = false;
    for (const { bytes } of messages) this.#unread -= bytes;
    for (const { taken } of messages) taken();
    this.#writeSome();
    this.#goOn();
  }

  #goOn(): void {
    this.#regulate();
    while (!this.#isBehind && this.#running < socketOperationsRunning && this.#waiting.length > 0) {
      this.#running++;
      this.#waiting.shift()?.();
    }
    const isDone = this.#operations === 0 && this.#outgoing.length === 0 && !this.#isWriting;
    if (this.#isStopping && isDone) this.close(1001, 'Going away');
  }

  #regulate(): void {
    if (this.#isBehind === this.#ws.isPaused) return;
    if (this.#isBehind) this.#ws.pause();
    else this.#ws.resume();
  }
}

function bytesOf(piece: string | Buffer): Buffer {
  return typeof piece === 'string' ? Buffer.from(piece) : piece;
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
