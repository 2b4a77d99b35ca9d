import { type Dispatcher, errors } from 'undici';
import { interimResponses } from '../../bounds.ts';
import type { CancelSignal } from '../../cancellation.ts';
import { GatewayError } from '../../errors.ts';
import { Countdown } from '../../timeouts.ts';
import type { BodyHold } from '../response/body-room.ts';
import { IncomingBody, type BodyLimits, type BodyReceiver } from '../response/incoming-body.ts';
import type { ReceivedBody } from '../response/received-body.ts';
import {
  type ResponseHeaders,
  StaleConnectionError,
  type WireRequest,
  type WireResponse,
  UnansweredError,
} from '../response/wire-response.ts';
import { isStale } from './connection.ts';

export interface CollectorOptions extends BodyLimits {
  /** For one attempt: connecting, headers and body. In milliseconds. */
  readonly timeoutMs: number;
  /** For each pause of a body. */
  readonly stallTimeoutMs: number;
}

/**
 * Collects one response; undici's own request() costs twice as much. One timeout covers connecting, headers and body, another each pause
 * of the body.
 */
export class ResponseCollector implements Dispatcher.DispatchHandler, BodyReceiver {
  readonly identity: string;
  readonly #signal: CancelSignal;
  readonly #resolve: (response: WireResponse) => void;
  readonly #reject: (error: unknown) => void;
  readonly #time: Countdown;
  readonly #stall: Countdown;
  readonly #body: IncomingBody;
  #controller: Dispatcher.DispatchController | undefined;
  #failure: Error | undefined;
  #status = 0;
  #interim = 0;
  #headers: ResponseHeaders = {};

  constructor(
    { signal, identity = '' }: WireRequest,
    options: CollectorOptions,
    resolve: (response: WireResponse) => void,
    reject: (error: unknown) => void,
  ) {
    this.identity = identity;
    this.#signal = signal;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#body = new IncomingBody(this, options);
    const expire = (): void => this.fail(new GatewayError('UPSTREAM_TIMEOUT'));
    this.#time = new Countdown(options.timeoutMs, expire);
    this.#stall = new Countdown(options.stallTimeoutMs, expire);
    this.#time.begin();
    signal.addEventListener('abort', this.#abort);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // A call that ended while it waited for a free connection is not sent any more.
    if (this.#failure !== undefined) controller.abort(this.#failure);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: ResponseHeaders): void {
    // An informational response (103 Early Hints) comes before the real one.
    if (status < 200) {
      if (++this.#interim > interimResponses) this.fail(new GatewayError('UPSTREAM_BAD_RESPONSE'));
      return;
    }
    this.#status = status;
    this.#headers = headers;
    this.#stall.begin();
    this.#body.begin(Number(headers['content-length']));
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#stall.restart();
    this.#body.take(chunk);
  }

  onResponseEnd(): void {
    this.#body.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#settle();
    this.#body.release();
    const failure = gatewayErrorOf(error);
    this.#reject(this.#status === 0 ? unansweredError(failure, error) : failure);
  }

  readonly #abort = (): void => this.fail(abortReason(this.#signal));

  /** What is paused here is no stall of the upstream. */
  pause(): void {
    this.#stall.end();
    this.#controller?.pause();
  }

  resume(): void {
    this.#stall.begin();
    this.#controller?.resume();
  }

  finish(body: ReceivedBody, hold: BodyHold | undefined): void {
    this.#settle();
    const response = { status: this.#status, headers: this.#headers, body };
    this.#resolve(hold === undefined ? response : { ...response, hold, discard: () => hold.release() });
  }

  fail(reason: Error): void {
    this.#failure = reason;
    this.#settle();
    this.#body.release();
    this.#reject(reason);
    this.#controller?.abort(reason);
  }

  #settle(): void {
    this.#time.end();
    this.#stall.end();
    this.#signal.removeEventListener('abort', this.#abort);
  }
}

/**
 * An UnansweredError for a failure to connect and for a connection that ended without a response; any other failure as it is.
 * After a time-out the upstream may still be at work.
 */
export function unansweredError(failure: unknown, cause: unknown): unknown {
  if (!(failure instanceof GatewayError)) return failure;
  const isConnecting = cause instanceof errors.ConnectTimeoutError;
  if (failure.code !== 'UPSTREAM_UNAVAILABLE' && !isConnecting) return failure;
  const Unanswered = isStale(cause as object) ? StaleConnectionError : UnansweredError;
  return new Unanswered(failure.code, { cause });
}

/** The reason of an aborted signal, as an Error. */
export function abortReason(signal: CancelSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error('The caller has left.');
}

/** The GatewayError for an error of undici; an abort as it is. */
export function gatewayErrorOf(error: unknown): unknown {
  if (error instanceof GatewayError) return error;
  if (error instanceof errors.ConnectTimeoutError || error instanceof errors.BodyTimeoutError) {
    return new GatewayError('UPSTREAM_TIMEOUT', { cause: error });
  }
  if (error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError) {
    return new GatewayError('UPSTREAM_BAD_RESPONSE', { cause: error });
  }
  if (error instanceof errors.RequestAbortedError) return error;
  return new GatewayError('UPSTREAM_UNAVAILABLE', { cause: error });
}
