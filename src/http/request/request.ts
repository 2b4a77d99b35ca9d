import type { IncomingMessage, ServerResponse } from 'node:http';
import { randomUUID } from 'node:crypto';
import { isUtf8 } from 'node:buffer';
import type { Config } from '../../config.ts';
import { CancelSource, type CancelSignal, type Lifetime } from '../../cancellation.ts';
import { describeFailure, isQuiet, type ClientName, type Log, type RequestLine } from '../../telemetry/log.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { RequestTrace, Tracing } from '../../telemetry/tracing.ts';
import { GatewayError } from '../../errors.ts';
import { readAccept, type Accepted } from './media-types.ts';

/** Characters of a client's name, of its version, and of a user agent in the log; browsers name themselves in about 120. */
export const clientText = { name: 100, version: 50, userAgent: 200 } as const;

/** Codes of errors that are noted of one request. A stream may fail for days, and the log line names each code once. */
const codesOfRequest = 10_000;

/** Characters of a `tracestate` that is continued; each span holds it until it is exported. W3C asks for 512 at least. */
const traceStateLength = 2_048;

/** What all requests of a port share. */
export interface RequestParts {
  readonly config: Pick<Config, 'explain' | 'signupUrl'>;
  /** Removes the key of an Authorization header from a text, and cuts the text to `limit` characters where one is given. */
  readonly hideKey: (text: string, authorization: string | undefined, limit?: number) => string;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Null where there are no traces. */
  readonly tracing: Tracing | null;
}

/** The address of GraphQL, and of a request whose target is none. */
export const graphqlUrl = new URL('http://gateway.invalid/graphql');

// nginx's status for a client that left before there was a response.
export const clientClosedRequest = 499;

/**
 * One request with its response, from the socket to the log line: what its client asks for, what is noted of it, and when it is over. An
 * operation of a WebSocket is one too.
 */
export class Request implements Lifetime {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly url: URL;
  readonly requestId: string;
  /** Whether the client wants the head of the response alone (RFC 9110, section 9.3.2). */
  readonly isHead: boolean;
  /** Whether the request reads, and changes nothing: by GET, or by HEAD. */
  readonly isRead: boolean;
  /** Whether it brings an operation in its body: by POST, or by QUERY, which says that it changes nothing (RFC 10008). */
  readonly takesOperation: boolean;
  /** The media types that the client takes. */
  readonly accepted: Accepted;
  /** Aborts when the client leaves before its response is whole. */
  readonly signal = new CancelSource();
  /** The spans of the request; null where there are none. */
  readonly trace: RequestTrace | null;

  // What the log line and the metrics report. They report nothing else.
  /** The path of an endpoint, the name of a stream, or `other` for an unknown address; never a text of the client. */
  endpoint = 'other';
  /** The name of the GraphQL operation, without the caller's key; null where it has none, or was not found. */
  operationName: string | null = null;
  /** The name of the trusted operation, out of the operator's own documents; null where the document is none of those. */
  trustedOperation: string | null = null;
  /** Calls of the API that the request has caused so far. */
  upstreamCalls = 0;
  /** The codes of the errors that were sent, in their order, the first ten thousand. */
  readonly errorCodes: string[] = [];

  readonly #parts: RequestParts;
  readonly #started = performance.now();
  readonly #listeners: (() => void)[] = [];

  constructor(req: IncomingMessage, res: ServerResponse, parts: RequestParts, url = graphqlUrl) {
    this.req = req;
    this.res = res;
    this.url = url;
    this.isHead = req.method === 'HEAD';
    this.isRead = req.method === 'GET' || this.isHead;
    this.takesOperation = req.method === 'POST' || req.method === 'QUERY';
    this.accepted = readAccept(req.headers.accept);
    this.#parts = parts;
    this.requestId = requestIdOf(req.headers['x-request-id'], this.hideKey);
    this.trace = parts.tracing && beginTrace(parts.tracing, req, this.hideKey);
  }

  /** Removes the caller's key from a text that the caller wrote, and cuts the text to `limit` characters where one is given. */
  readonly hideKey = (text: string, limit?: number): string =>
    this.#parts.hideKey(text, this.req.headers.authorization, limit);

  /** Whether it is a browser's for a page. */
  get takesPage(): boolean {
    return this.isRead && this.accepted.takesPage;
  }

  /** The client's `Last-Event-ID`, from which a stream resumes; null where it sent none. */
  get lastEventId(): string | null {
    return this.req.headers['last-event-id']?.toString() || null;
  }

  /** Whether the response shows which upstream calls the operation causes (`X-Explain: 1`). */
  get wantsExplanation(): boolean {
    return this.#parts.config.explain === true && this.req.headers['x-explain'] === '1';
  }

  /** Whether the response shows what the operation costs (`X-Cost: 1`). */
  get wantsCost(): boolean {
    return this.req.headers['x-cost'] === '1';
  }

  /** Where a key is to be had; null where nobody says. */
  get signupUrl(): string | null {
    return this.#parts.config.signupUrl;
  }

  get client(): ClientName {
    return clientOf(this.req, this.hideKey);
  }

  noteErrors(codes: readonly string[]): void {
    this.errorCodes.push(...codes.slice(0, codesOfRequest - this.errorCodes.length));
  }

  /** Logs what an INTERNAL_SERVER_ERROR hides from the client. What follows from the client's leaving is no fault of the gateway. */
  logInternalError(cause: unknown, signal: CancelSignal = this.signal): void {
    const { requestId, trace } = this;
    if (!signal.aborted)
      this.#parts.log.error({ requestId, ...trace?.ids, error: describeFailure(cause) }, 'internal error');
  }

  /** Calls a listener once, when the request has ended in any way. */
  whenEnded(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Has it end with its response, in whatever way that ends. */
  endWithResponse(): this {
    // One listener for all: each costs as much as a promise.
    this.res.on('close', () => {
      const { headersSent, statusCode, writableFinished } = this.res;
      this.end(headersSent ? statusCode : clientClosedRequest, !writableFinished);
    });
    return this;
  }

  /** Writes its log line, and calls the listeners. It is aborted where the client has left before its response was whole. */
  end(status: number, isAborted: boolean): void {
    if (isAborted) this.signal.abort(new Error('The client has left.'));
    this.#report(status, isAborted);
    for (const listener of this.#listeners.splice(0)) listener();
  }

  #report(status: number, aborted: boolean): void {
    const { log, metrics } = this.#parts;
    const { requestId, endpoint, operationName, trustedOperation, errorCodes, upstreamCalls, trace } = this;
    const milliseconds = performance.now() - this.#started;
    metrics.countRequest(endpoint, String(status), milliseconds / 1000);
    if (trustedOperation !== null)
      metrics.countTrustedOperation(trustedOperation, errorCodes.length > 0, milliseconds / 1000);
    for (const code of errorCodes) metrics.countError(code);
    const isLogged = log.takesRequest(endpoint);
    if (!isLogged && trace?.isRecorded !== true) return;
    const { name, version, userAgent } = this.client;
    // As it is logged, in this order.
    const line: RequestLine = {
      requestId,
      method: this.req.method,
      endpoint,
      status,
      durationMs: Math.round(milliseconds * 100) / 100,
      operationName: operationName ?? undefined,
      trustedOperation: trustedOperation ?? undefined,
      errorCodes: errorCodes.length > 0 ? [...new Set(errorCodes)] : undefined,
      upstreamCalls,
      aborted: aborted || undefined,
      clientName: name ?? undefined,
      clientVersion: version ?? undefined,
      userAgent: userAgent ?? undefined,
      ...trace?.ids,
    };
    if (isLogged) log.request(line);
    trace?.end(line);
  }
}

// Long enough for a UUID, a ULID or a trace id with prefixes; nothing that could break a header or a log line.
const saneRequestId = /^[A-Za-z0-9_.:=+/-]{1,128}$/;

/**
 * Returns the id of a request: the caller's X-Request-Id where it is sane, else a new one. It is logged and sent upstream, so it
 * must not hold the caller's key.
 */
function requestIdOf(given: string | string[] | undefined, hideKey: (text: string) => string): string {
  const isSane = typeof given === 'string' && saneRequestId.test(given) && hideKey(given) === given;
  return isSane ? given : randomUUID();
}

type HideKeyIn = (text: string, limit: number) => string;

// Printable ASCII.
const plain = /^[ -~]*$/;
// Controls, formats such as marks that turn the direction of a text, lone surrogates, and line separators.
const invisible = /[\p{C}\p{Zl}\p{Zp}]/gu;

// Most clients say the same in every request of a connection, and the search for a key in it takes some microseconds.
const known = new WeakMap<object, { readonly said: string; readonly client: ClientName }>();

const nameless: ClientName = { name: null, version: null, userAgent: null };

/** What a client says of itself, for the log: cut, without invisible characters, and without the caller's key. */
function clientOf({ headers, socket }: IncomingMessage, hideKey: HideKeyIn): ClientName {
  const { 'user-agent': userAgent, authorization = '' } = headers;
  const [name, version] = namesIn(headers);
  if (userAgent === undefined && name === undefined && version === undefined) return nameless;
  const said = `${name ?? ''}\n${version ?? ''}\n${userAgent ?? ''}\n${authorization}`;
  const before = known.get(socket);
  if (before?.said === said) return before.client;
  const client = {
    name: cleaned(name, clientText.name, hideKey),
    version: cleaned(version, clientText.version, hideKey),
    userAgent: cleaned(userAgent, clientText.userAgent, hideKey),
  };
  known.set(socket, { said, client });
  return client;
}

/** Reads Apollo's names, those of the GraphQL community, or the plain ones: the first family that a request has counts. */
function namesIn(headers: IncomingMessage['headers']): readonly (string | undefined)[] {
  // Each name is written out: every request comes here, and to look a header up by a variable costs several times as much.
  let [name, version] = [headers['apollographql-client-name'], headers['apollographql-client-version']];
  if (name === undefined && version === undefined) {
    [name, version] = [headers['graphql-client-name'], headers['graphql-client-version']];
    if (name === undefined && version === undefined)
      [name, version] = [headers['x-client-name'], headers['x-client-version']];
  }
  return [name?.toString(), version?.toString()];
}

/** Null where nothing is left. The key is searched last: what is taken out of a text may have hidden it. */
function cleaned(text: string | undefined, limit: number, hideKey: HideKeyIn): string | null {
  if (text === undefined) return null;
  const visible = plain.test(text) ? text : decoded(text).replaceAll(invisible, '');
  return hideKey(visible.trim(), limit) || null;
}

/** Node reads each byte of a header as a character; most clients mean UTF-8. */
function decoded(text: string): string {
  const bytes = Buffer.from(text, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : text;
}

/** Begins the trace of a request; null for probes, of which there is nothing to tell. */
function beginTrace(
  tracing: Tracing,
  { method = '', url = '', headers }: IncomingMessage,
  hideKey: (text: string) => string,
): RequestTrace | null {
  if (isQuiet(url.split('?', 1)[0] ?? '')) return null;
  // What the client sends is exported and goes upstream, so it must not hold the caller's key.
  const isSane = (header: string): boolean => header.length <= traceStateLength && hideKey(header) === header;
  return tracing.beginRequest(method, headers, isSane);
}

// A name, an address of IPv4 or one of IPv6, and a port (RFC 3986, section 3.2.2).
const hostForm = /^(?:\[[\da-f:.]+\]|(?:[\w.~!$&'()*+;=-]|%[\da-f]{2})*)(?::\d*)?$/i;

/**
 * Why a request cannot be read for certain, null for others: it has several Host headers or one that names no host (RFC 9112, section
 * 3.2), or two Authorization headers, of which a proxy before us may have read the other one.
 */
export function ambiguityOf(req: IncomingMessage): GatewayError | null {
  // Node joins several of a name by commas (`joinDuplicateHeaders`). No host has one, but other credentials than keys do.
  const { host = '', authorization = '' } = req.headers;
  if (!hostForm.test(host))
    return new GatewayError('BAD_USER_INPUT', { message: 'A request has one Host header, which names a host.' });
  if (!authorization.includes(',') || req.headersDistinct['authorization']?.length === 1) return null;
  return new GatewayError('BAD_USER_INPUT', { message: 'A request has one Authorization header at most.' });
}
