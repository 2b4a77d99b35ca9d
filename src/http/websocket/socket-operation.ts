import { ServerResponse, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { CloseCode, type Context, GRAPHQL_TRANSPORT_WS_PROTOCOL as subprotocol } from 'graphql-ws';
import { WebSocket } from 'ws';
import type { ExecutionResult } from 'graphql';
import { writtenAtOnce } from '../../bounds.ts';
import { isJsonObject, type JsonObject } from '../../json.ts';
import { GatewayError } from '../../errors.ts';
import type { WrittenEvent } from '../../live/stream.ts';
import { excessOfBody, parseBody } from '../request/body-reader.ts';
import type { Readers } from '../connection/stalled-readers.ts';
import type { ReadOperation } from '../documents.ts';
import { type GraphqlExecution, Run, type RequestWriter } from '../operation-run.ts';
import { clientClosedRequest, Request, type RequestParts } from '../request/request.ts';
import { operationRefusal } from '../response/error-response.ts';
import { ownParts } from '../response/event-stream.ts';
import { printResult } from '../response/response-writer.ts';

/** Operations of one socket that run and are not streams yet. The results of so many may wait for a client that reads nothing. */
const socketOperationsRunning = 16;

/** Characters of the id of an operation, which each of its messages repeats. A UUID has 36. */
export const operationIdLength = 100;

/**
 * One WebSocket, between graphql-ws, which knows the protocol, and ws, which knows frames. A client that does not read what it is
 * sent is not read either: its messages, and the operations that it has asked for, wait until it does.
 */
export class GraphqlSocket {
  readonly protocol = subprotocol;
  /** The upgrade, as the request of each operation. */
  req: IncomingMessage;
  /** The caller in state that requests share, empty where there is no key; null until `connection_init`. */
  identity: string | null = null;
  /** What graphql-ws knows of the socket; null until then, too. */
  context: Context<JsonObject, GraphqlSocket> | null = null;
  readonly #ws: WebSocket;
  readonly connection: Socket;
  readonly #fail: (error: unknown) => void;
  /** The bytes of messages that the connection has not taken. */
  #unread = 0;
  /** Operations that wait until they may run. */
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #pingsUnanswered = 0;
  #isStopping = false;

  /** `fail` hears of faults of the gateway. */
  constructor(ws: WebSocket, connection: Socket, req: IncomingMessage, fail: (error: unknown) => void) {
    this.#ws = ws;
    this.connection = connection;
    this.req = req;
    this.#fail = fail;
    ws.on('pong', () => (this.#pingsUnanswered = 0));
    // The end of the socket follows, with its code.
    ws.on('error', () => {});
  }

  get isOpen(): boolean {
    return this.#ws.readyState === WebSocket.OPEN;
  }

  /** `take` rejects for a fault of the gateway alone. */
  onMessage(take: (message: string) => Promise<void>): void {
    const failed = (error: unknown): void => {
      this.#fail(error);
      this.close(CloseCode.InternalServerError, 'Internal server error');
    };
    this.#ws.on('message', (data, isBinary) => {
      if (!this.isOpen) return;
      this.#pingsUnanswered = 0;
      const message = isBinary ? null : messageIn(data as Buffer);
      if (message === null) return this.close(CloseCode.BadRequest, 'Invalid message received');
      if (this.#isStopping && message['type'] === 'subscribe') return;
      // It is parsed already, which graphql-ws takes as well. The last operation may have ended with it.
      take(message as unknown as string).then(() => this.#goOn(), failed);
    });
  }

  send(text: string): void {
    this.write([text]);
  }

  /** Sends one message. `taken` is called when the connection has taken all of it. */
  write(pieces: readonly (string | Buffer)[], taken: () => void = () => {}): void {
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

  /** How many operations there are, streams included. */
  get operations(): number {
    return Object.keys(this.context?.subscriptions ?? {}).length;
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

  #goOn(): void {
    this.#regulate();
    while (!this.#isBehind && this.#running < socketOperationsRunning && this.#waiting.length > 0) {
      this.#running++;
      this.#waiting.shift()?.();
    }
    if (this.#isStopping && this.operations === 0 && this.#unread === 0) this.close(1001, 'Going away');
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

/** Operations of one socket at once, streams included: a page has some ten. */
export const socketOperations = 100;

export interface SocketOperationParts extends RequestParts {
  readonly execution: GraphqlExecution;
  readonly readOperation: ReadOperation;
  readonly readers: Readers;
}

/** How an operation ends: its client has got all, or has left, or gets only these errors. */
type Outcome = 'answered' | 'left' | AggregateError;

/** The endpoints of operations in the log and the metrics. */
const endpoints = { operation: '/graphql (websocket)', stream: '/graphql (websocket stream)' };
const mediaType = 'application/graphql-response+json';
const ended = { done: true, value: undefined } as const;

/**
 * One operation of a socket: a request of its own, with its own id, record and deadline. graphql-ws reads it as an iterable that yields
 * nothing: results go past it as bytes, which are those of a response over HTTP, and which the streams of an event share.
 */
export class SocketOperation implements AsyncIterableIterator<never>, RequestWriter {
  readonly request: Request;
  readonly #socket: GraphqlSocket;
  readonly #parameters: unknown;
  readonly #parts: SocketOperationParts;
  /** What comes before a result. */
  readonly #head: string;
  readonly #over = Promise.withResolvers<Outcome>();
  #status = clientClosedRequest;

  constructor(socket: GraphqlSocket, id: string, parameters: unknown, parts: SocketOperationParts) {
    const { req } = socket;
    this.#socket = socket;
    this.#parameters = parameters;
    this.#parts = parts;
    // Rules may set headers of a response. Nothing is written of them.
    this.request = new Request(req, new ServerResponse(req), parts);
    this.request.endpoint = endpoints.operation;
    this.#head = `{"id":${JSON.stringify(id)},"type":"next","payload":`;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Resolves when the client has got all, or has left. Rejects with the errors of one that was not executed. It is called once. */
  async next(): Promise<typeof ended> {
    const outcome = await Promise.race([this.#answer(), this.#over.promise]);
    this.request.end(this.#status, outcome === 'left');
    if (outcome instanceof AggregateError) throw outcome;
    return ended;
  }

  /** The client has left the operation, or the socket. */
  return(): Promise<typeof ended> {
    this.#over.resolve('left');
    return Promise.resolve(ended);
  }

  write(events: readonly WrittenEvent[], taken: () => void): void {
    for (const [index, event] of events.entries()) {
      this.request.noteErrors(event.result.errorCodes);
      const parts = ownParts(event.result.parts, this.request);
      this.#socket.write([this.#head, ...parts, '}'], index === events.length - 1 ? taken : undefined);
    }
  }

  end(): void {
    this.#over.resolve('answered');
  }

  /** Sends the response or the events, but the errors of an operation that was not executed. */
  async #answer(): Promise<Outcome> {
    const { execution, readOperation } = this.#parts;
    if (this.#socket.operations > socketOperations) return this.#refuse(tooManyOperations());
    await this.#socket.beginRun();
    try {
      if (this.request.signal.aborted) return 'left';
      const run = readOperation(this.#parameters, this.request);
      execution.begin(run);
      const executed = await execution.execute(run);
      if (!('begin' in executed)) return await this.#respond(executed, run);
      this.#status = 200;
      this.request.endpoint = endpoints.stream;
      executed.begin(this);
    } catch (error) {
      return this.#refuse(error as Error);
    } finally {
      this.#socket.endRun();
    }
    return this.#over.promise;
  }

  #refuse(failure: Error): Promise<Outcome> {
    const refusal = operationRefusal(failure);
    return this.#respond({ errors: refusal.errors }, new Run(this.request, undefined, refusal));
  }

  async #respond(executed: ExecutionResult, run: Run): Promise<Outcome> {
    const result = this.#parts.execution.finish(executed, run);
    const pieces = run.isLong ? await printResult(result) : [JSON.stringify(result)];
    if (this.request.signal.aborted) return 'left';
    this.#status = run.refusal?.statusIn(mediaType) ?? 200;
    if (result.data === undefined) return new AggregateError(result.errors ?? []);
    return new Promise((resolve) => {
      this.#socket.write([this.#head, ...pieces, '}'], () => resolve('answered'));
      this.#parts.readers.note(this.#socket.connection, this.#socket.req.headers);
    });
  }
}

function tooManyOperations(): GatewayError {
  return new GatewayError('RATE_LIMITED', {
    message: `This socket has ${socketOperations} operations under way, the most that it may have. End one before you begin another.`,
  });
}
