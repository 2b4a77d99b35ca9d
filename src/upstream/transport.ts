import { Agent, errors, type Dispatcher } from 'undici';
import { nativeSignal, type CancelSignal } from '../cancellation.ts';
import { GatewayError } from '../errors.ts';
import type { BodyHold } from './response/body-room.ts';
import { IncomingBody, type BodyLimits, type BodyReceiver } from './response/incoming-body.ts';
import {
  UnansweredError,
  type WireResponse,
  type ResponseHeaders,
  type StreamedResponse,
} from './response/wire-response.ts';

/** The bounds of every call. */
export interface TransportOptions extends BodyLimits {
  /** For one attempt: connecting, headers and body. All times are in milliseconds. */
  readonly timeoutMs: number;
  readonly connectTimeoutMs: number;
  /** The longest pause within a body. */
  readonly stallTimeoutMs: number;
}

/** What goes over the wire: a path with its query string, relative to the version-2 root. */
export interface WireRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Names the caller in what all share; nobody where nothing is said. */
  readonly identity?: string;
  /** Ends the call when its caller has left. */
  readonly signal: CancelSignal;
}

/** The way to the upstream and back, one call at a time. */
export interface Transport {
  /** Reads the whole body. Throws UPSTREAM_TIMEOUT, UPSTREAM_UNAVAILABLE or UPSTREAM_BAD_RESPONSE (not HTTP at all). */
  readonly collect: (request: WireRequest) => Promise<WireResponse>;
  /**
   * Hands the body over as it comes, at the pace of its reader. The time-out holds for the headers, for each stall of the
   * upstream and for the whole of a body that is no success.
   */
  readonly stream: (request: WireRequest) => Promise<StreamedResponse>;
  close(): Promise<void>;
}

/** The one room in which undici lives. Redirects are not followed: the caller's key goes to the configured origin alone. */
export function createTransport(baseUrl: string, limits: TransportOptions): Transport {
  const { timeoutMs } = limits;
  const { origin, pathname } = new URL(baseUrl);
  const root = pathname.replace(/\/$/, '');
  const agent = new Agent({
    // How many calls go out at once is decided by a stage of its own, which is fair to callers.
    connections: null,
    connect: { timeout: Math.min(limits.connectTimeoutMs, timeoutMs) },
    headersTimeout: timeoutMs,
    bodyTimeout: Math.min(limits.stallTimeoutMs, timeoutMs),
  });
  const options = ({ path, headers }: WireRequest) => ({ origin, path: root + path, method: 'GET' as const, headers });

  return {
    collect: (request) =>
      new Promise((resolve, reject) => {
        if (request.signal.aborted) return reject(abortReason(request.signal));
        return agent.dispatch(options(request), new Collector(request, limits, resolve, reject));
      }),
    async stream(request) {
      const late = new AbortController();
      const deadline = setTimeout(() => late.abort(new GatewayError('UPSTREAM_TIMEOUT')), timeoutMs);
      const signal = AbortSignal.any([nativeSignal(request.signal), late.signal]);
      const failureOf = (error: unknown): unknown => (request.signal.aborted ? error : gatewayErrorOf(error));
      try {
        const { statusCode: status, headers, body } = await agent.request({ ...options(request), signal });
        if (status < 300) clearTimeout(deadline);
        else body.once('close', () => clearTimeout(deadline));
        return {
          status,
          headers,
          body,
          failureOf,
          discard: () => body.on('error', () => {}).destroy(),
          whenClosed: (run) => (body.closed ? run() : body.once('close', run)),
        };
      } catch (error) {
        clearTimeout(deadline);
        throw unanswered(failureOf(error), error);
      }
    },
    close: () => agent.destroy(),
  };
}

/** Gathers one answer; undici's own request() costs twice as much. One deadline covers connecting, headers and body. */
class Collector implements Dispatcher.DispatchHandler, BodyReceiver {
  readonly identity: string;
  readonly #signal: CancelSignal;
  readonly #resolve: (response: WireResponse) => void;
  readonly #reject: (error: unknown) => void;
  readonly #deadline: NodeJS.Timeout;
  readonly #body: IncomingBody;
  #controller: Dispatcher.DispatchController | undefined;
  #ended: Error | undefined;
  #status = 0;
  #headers: ResponseHeaders = {};

  constructor(
    { signal, identity = '' }: WireRequest,
    limits: TransportOptions,
    resolve: (response: WireResponse) => void,
    reject: (error: unknown) => void,
  ) {
    this.identity = identity;
    this.#signal = signal;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#body = new IncomingBody(this, limits);
    this.#deadline = setTimeout(() => this.fail(new GatewayError('UPSTREAM_TIMEOUT')), limits.timeoutMs);
    signal.addEventListener('abort', this.#leave);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // What ended while it waited for a free connection does not go out any more.
    if (this.#ended !== undefined) controller.abort(this.#ended);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: ResponseHeaders): void {
    // An informational answer (103 Early Hints) comes before the real one.
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
    this.#body.begin(Number(headers['content-length']));
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#body.take(chunk);
  }

  onResponseEnd(): void {
    this.#body.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#settle();
    this.#body.letGo();
    const failure = gatewayErrorOf(error);
    this.#reject(this.#status === 0 ? unanswered(failure, error) : failure);
  }

  readonly #leave = (): void => this.fail(abortReason(this.#signal));

  pause(): void {
    this.#controller?.pause();
  }

  resume(): void {
    this.#controller?.resume();
  }

  finish(body: Buffer, hold: BodyHold | undefined): void {
    this.#settle();
    const answer = { status: this.#status, headers: this.#headers, body };
    this.#resolve(hold === undefined ? answer : { ...answer, hold, discard: () => hold.release() });
  }

  fail(reason: Error): void {
    this.#ended = reason;
    this.#settle();
    this.#body.letGo();
    this.#reject(reason);
    this.#controller?.abort(reason);
  }

  #settle(): void {
    clearTimeout(this.#deadline);
    this.#signal.removeEventListener('abort', this.#leave);
  }
}

/** A failure to connect, or a connection that ended without an answer; a time-out in which one may still be worked on is neither. */
function unanswered(failure: unknown, cause: unknown): unknown {
  if (!(failure instanceof GatewayError)) return failure;
  const isConnecting = cause instanceof errors.ConnectTimeoutError;
  if (failure.code !== 'UPSTREAM_UNAVAILABLE' && !isConnecting) return failure;
  return new UnansweredError(failure.code, { cause });
}

function abortReason(signal: CancelSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error('The caller has left.');
}

function gatewayErrorOf(error: unknown): unknown {
  if (error instanceof GatewayError) return error;
  if (
    error instanceof errors.ConnectTimeoutError ||
    error instanceof errors.HeadersTimeoutError ||
    error instanceof errors.BodyTimeoutError
  ) {
    return new GatewayError('UPSTREAM_TIMEOUT', { cause: error });
  }
  if (error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError) {
    return new GatewayError('UPSTREAM_BAD_RESPONSE', { cause: error });
  }
  if (error instanceof errors.RequestAbortedError) return error;
  return new GatewayError('UPSTREAM_UNAVAILABLE', { cause: error });
}
