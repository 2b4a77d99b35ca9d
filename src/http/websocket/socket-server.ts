import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { parse, type ExecutionArgs, type GraphQLFormattedError, type GraphQLSchema } from 'graphql';
import {
  CloseCode,
  type Context,
  GRAPHQL_TRANSPORT_WS_PROTOCOL as subprotocol,
  makeServer,
  type Server,
} from 'graphql-ws';
import { WebSocketServer, type WebSocket } from 'ws';
import { callerPart, cutOffMs, keepAliveMs, unknownCallersPart } from '../../bounds.ts';
import type { Config } from '../../config.ts';
import { GatewayError } from '../../errors.ts';
import type { JsonObject } from '../../json.ts';
import { describeFailure } from '../../telemetry/log.ts';
import type { Upgrades } from '../connection/listener.ts';
import type { CheckOrigin } from '../origins.ts';
import { ambiguityOf } from '../request/request.ts';
import { GraphqlSocket, SocketOperation, type SocketOperationParts } from './socket-operation.ts';

/** Bytes of a message from a client: a document within LIMIT_TOKENS has some thirty thousand. Larger ones can be sent by POST. */
export const socketMessage = 65_536;

/** Fragments of one message, and chunks that wait until a fragment is whole: each takes a hundred bytes besides its own. */
export const socketParts = { fragments: 100, chunks: 1_000 } as const;

/** Milliseconds for a client to answer the end of its socket, before the connection is cut off. */
const socketClosingMs = 2_000;

/** What the server of sockets needs besides what its operations need. */
export interface SocketServerOptions extends SocketOperationParts {
  readonly config: Config;
  readonly schema: GraphQLSchema;
  /** Origins whose pages may open a socket besides their own. */
  readonly checkOrigin: CheckOrigin;
  /** Names the caller of a request in state that requests share; empty where it has no key. */
  readonly identityOf: (headers: IncomingHttpHeaders) => string;
  /** The callers whose key the API has accepted. */
  readonly known: { has(identity: string): boolean };
}

const path = '/graphql';
const handshakeKey = /^[+/0-9A-Za-z]{22}==$/;
// What is asked for is found by the rules for documents. graphql-ws wants to know of an operation before that.
const anyOperation = parse('subscription { webhookDeliveries { id } }');

// The type library does not know them.
const newerLimits = {
  maxFragments: socketParts.fragments,
  maxBufferedChunks: socketParts.chunks,
  closeTimeout: socketClosingMs,
};

/**
 * The server of GraphQL over WebSocket, by the protocol `graphql-transport-ws`. What each socket may send and leave unread is bounded, and
 * so are all of them: a caller may have a quarter. So may all sockets together of which nobody knows whose they are: they have not begun,
 * or the API has not accepted their key. Where these are too many, the oldest of them gives way, however lively it is.
 */
export class SocketServer implements Upgrades {
  readonly #options: SocketServerOptions;
  /** The oldest first. */
  readonly #open = new Set<GraphqlSocket>();
  readonly #frames = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    handleProtocols: () => subprotocol,
    // One message in a tick of the event loop, so that others have theirs.
    allowSynchronousEvents: false,
    maxPayload: socketMessage,
    ...newerLimits,
  });
  readonly #protocol: Server<GraphqlSocket>;
  readonly #pinging: NodeJS.Timeout;
  #isStopping = false;

  constructor(options: SocketServerOptions) {
    const { config, schema } = options;
    this.#options = options;
    this.#protocol = makeServer<JsonObject, GraphqlSocket>({
      connectionInitWaitTimeout: config.requestHeadersTimeoutMs,
      onConnect: (context) => this.#begin(context),
      onSubscribe: ({ extra }, id, payload) => ({
        schema,
        document: anyOperation,
        contextValue: new SocketOperation(extra, id, payload, options),
      }),
      subscribe: ({ contextValue }: ExecutionArgs) => contextValue as SocketOperation,
      onError: (_context, _id, _payload, [error]) =>
        error?.originalError instanceof AggregateError
          ? (error.originalError.errors as readonly GraphQLFormattedError[])
          : undefined,
    });
    const everyMs = Math.min(keepAliveMs, config.responseStallTimeoutMs);
    this.#pinging = setInterval(() => this.#open.forEach((each) => each.ping()), everyMs).unref();
  }

  get size(): number {
    return this.#open.size;
  }

  accepts(req: IncomingMessage): boolean {
    return isUpgrade(req) && this.#refusalOf(req) === null;
  }

  take(req: IncomingMessage, connection: Duplex, head: Buffer): void {
    this.#frames.handleUpgrade(req, connection, head, (ws) => this.#add(ws, connection, req));
  }

  /** Throws what is wrong with a request for a WebSocket that was not taken over. */
  refuse(req: IncomingMessage): void {
    if (isUpgrade(req))
      throw this.#refusalOf(req) ?? refusal('Wait for the responses to earlier requests before you open a WebSocket.');
  }

  /** Ends each socket with 1001 once its operations have ended. */
  stop(): void {
    this.#isStopping = true;
    for (const socket of this.#open) socket.stop();
    clearInterval(this.#pinging);
    setTimeout(() => this.#open.forEach((socket) => socket.destroy()), cutOffMs).unref();
  }

  /** Null where a socket may be opened. Clients without an Origin, which no browser is, may. */
  #refusalOf(req: IncomingMessage): GatewayError | null {
    const { headers } = req;
    const protocols = headers['sec-websocket-protocol']?.split(',').map((name) => name.trim());
    if (protocols?.includes(subprotocol) !== true)
      return refusal(`A WebSocket is opened here with Sec-WebSocket-Protocol: ${subprotocol}.`);
    if (headers['sec-websocket-version'] !== '13' || !handshakeKey.test(headers['sec-websocket-key'] ?? ''))
      return refusal('A WebSocket is opened with Sec-WebSocket-Version: 13 and a Sec-WebSocket-Key of 16 bytes.');
    const ambiguity = ambiguityOf(req);
    if (ambiguity !== null) return ambiguity;
    if (!this.#options.checkOrigin(headers))
      return new GatewayError('FORBIDDEN', {
        message: 'Pages of this Origin may not open a WebSocket here (CORS_ORIGINS).',
      });
    if (!this.#isFull) return null;
    return new GatewayError('UPSTREAM_UNAVAILABLE', {
      message: 'Too many WebSockets are open here. Try again in a moment.',
      retryAfterSeconds: 1,
    });
  }

  /** Whether there is no room for one more, and no socket that would give way. */
  get #isFull(): boolean {
    const isFull = this.#open.size >= this.#options.config.websocketMaxSockets;
    return this.#isStopping || (isFull && this.#findUnknown().length === 0);
  }

  #findUnknown(): readonly GraphqlSocket[] {
    const { known } = this.#options;
    return [...this.#open].filter(({ identity }) => identity === null || !known.has(identity));
  }

  /** Adds a socket that has not begun. */
  #add(ws: WebSocket, connection: Duplex, req: IncomingMessage): void {
    const { config, log, metrics } = this.#options;
    const fail = (error: unknown): void => log.error({ error: describeFailure(error) }, 'internal error');
    const socket = new GraphqlSocket(ws, connection as Socket, req, fail);
    const closed = this.#protocol.opened(socket, socket);
    ws.once('close', (code) => {
      this.#open.delete(socket);
      // What else a client may name would be a label of its choice.
      metrics.countSocketClosed(code < 1_016 || code in CloseCode ? String(code) : 'other');
      closed(code).catch(fail);
    });
    this.#open.add(socket);
    const { websocketMaxSockets: most } = config;
    const unknown = this.#findUnknown();
    const excess = Math.max(unknown.length - partOf(most, unknownCallersPart), this.#open.size - most, 0);
    for (const oldest of unknown.slice(0, excess)) {
      this.#open.delete(oldest);
      oldest.destroy();
    }
  }

  /** Begins a socket with the key of its caller. False where the socket is closed instead. */
  #begin(context: Context<JsonObject, GraphqlSocket>): boolean {
    const { extra: socket, connectionParams = {} } = context;
    const authorization = authorizationIn(socket.req.headers, connectionParams);
    if (authorization === null) {
      socket.close(CloseCode.BadRequest, 'The authorization must be one text');
      return false;
    }
    socket.req = ofOperations(socket.req, authorization);
    const identity = this.#options.identityOf(socket.req.headers);
    const own = [...this.#open].filter((other) => other.identity === identity);
    if (own.length >= partOf(this.#options.config.websocketMaxSockets, callerPart)) {
      socket.close(CloseCode.TooManyInitialisationRequests, 'Too many sockets of this caller');
      return false;
    }
    socket.identity = identity;
    socket.context = context;
    return true;
  }
}

// Results come whole, and streams as events.
const accept = 'application/graphql-response+json, text/event-stream; q=0.5';

/** The upgrade as the request of each operation. An id of the upgrade, or of a stream's last event, would be that of all of them. */
function ofOperations(req: IncomingMessage, authorization: string | undefined): IncomingMessage {
  const { 'x-request-id': _id, 'last-event-id': _last, ...others } = req.headers;
  const headers = { ...others, accept, ...(authorization !== undefined && { authorization }) };
  return Object.assign(Object.create(req) as IncomingMessage, { headers });
}

function isUpgrade({ method, url = '', headers }: IncomingMessage): boolean {
  const isThere = url === path || url.startsWith(`${path}?`);
  const { connection = '', upgrade } = headers;
  return isThere && method === 'GET' && upgrade?.toLowerCase() === 'websocket' && /\bupgrade\b/i.test(connection);
}

function refusal(message: string): GatewayError {
  return new GatewayError('BAD_USER_INPUT', { message });
}

function partOf(most: number, part: number): number {
  return Math.max(1, Math.floor(most / part));
}

/**
 * The Authorization of a socket, as a header has it: that of `connection_init`, whose name may have any case, or that of the upgrade.
 * Undefined where there is none; null where it is no text, or where there are two that differ.
 */
function authorizationIn({ authorization }: IncomingHttpHeaders, parameters: JsonObject): string | undefined | null {
  const named = Object.entries(parameters).filter(([name]) => name.toLowerCase() === 'authorization');
  const values = [authorization, ...named.map(([, value]) => value)];
  const given = new Set(values.filter((value) => value != null));
  const [only] = given;
  if (given.size === 0) return undefined;
  return given.size === 1 && typeof only === 'string' ? only : null;
}
