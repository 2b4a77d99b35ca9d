import { PassThrough, pipeline } from 'node:stream';
import { type Dispatcher, errors } from 'undici';
import { BodyChunks } from '../../body-chunks.ts';
import { Countdown, nativeSignal, runAfter, type CancelSignal } from '../../cancellation.ts';
import type { AppConfig } from '../../config.ts';
import { GatewayError } from '../../errors.ts';
import type { Send, Sending, Stage } from '../call.ts';
import { BodyHold, BodyRoom } from '../response/body-room.ts';
import {
  StaleConnectionError,
  type StreamedResponse,
  type WireResponse,
  type ResponseHeaders,
  UnansweredError,
} from '../response/wire-response.ts';
import { openConnections, isStale, isOfCertificate, proxyRefusal } from './connections.ts';

/** Sends calls to the upstream. */
export interface Transport {
  /** Reads the whole body. Throws UPSTREAM_TIMEOUT, UPSTREAM_UNAVAILABLE or UPSTREAM_BAD_RESPONSE (not HTTP at all). */
  readonly collect: Send<WireResponse>;
  /**
   * Hands the body over as it comes, at the pace of its reader. The time-out holds for all of it unless it is lifted, and another for each
   * pause of the upstream.
   */
  readonly stream: Send<StreamedResponse>;
  close(): Promise<void>;
}

/**
 * Bytes of a streamed body that wait for its reader. Each chunk takes two hundred bytes beside its own: of a body that comes byte by byte
 * three megabytes wait.
 */
const streamedAhead = 16_384;

/** Informational responses (1xx) before the real one: servers send one or two, and one that sends them for ever sends nothing else. */
export const interimResponses = 20;

/** Sends a call again whose connection turned out to be closed: nobody has seen it. It ends with the connections that have been idle. */
const overStale: Stage = (next) => async (sending) => {
  for (;;) {
    try {
      return await next(sending);
    } catch (error) {
      if (!(error instanceof StaleConnectionError)) throw error;
    }
  }
};

/** Calls over undici. Redirects are not followed: the caller's key goes to the configured origin alone. */
export function createTransport(config: AppConfig, tlsFault: (fault: Error) => void): Transport {
  const { upstreamTimeoutMs, upstreamMaxBodyBytes } = config;
  // No part of a call may take longer than the whole.
  const upstreamConnectTimeoutMs = Math.min(config.upstreamConnectTimeoutMs, upstreamTimeoutMs);
  const upstreamStallTimeoutMs = Math.min(config.upstreamStallTimeoutMs, upstreamTimeoutMs);
  const collected = { upstreamTimeoutMs, upstreamStallTimeoutMs, upstreamMaxBodyBytes, room: new BodyRoom(config) };
  const { origin, pathname } = new URL(config.upstreamBaseUrl);
  const root = pathname.replace(/\/$/, '');
  const connections = openConnections({ ...config, upstreamConnectTimeoutMs }, tlsFault);
  const optionsOf = ({ call, headers }: Sending) => ({
    origin,
    path: root + call.target,
    method: 'GET' as const,
    headers,
  });

  return {
    collect: overStale(collectOnce),
    stream: overStale(streamOnce),
    close: () => connections.close(),
  };

  function collectOnce(sending: Sending): Promise<WireResponse> {
    if (sending.signal.aborted) return Promise.reject(abortReason(sending.signal));
    const collector = new ResponseCollector(sending, collected);
    connections.agent.dispatch(optionsOf(sending), collector);
    return collector.response.promise;
  }

  async function streamOnce(sending: Sending): Promise<StreamedResponse> {
    const { signal } = sending;
    // Of a call that has still to connect, undici tells the failure to do so, whatever has ended the call before.
    const failureOf = (error: unknown, hasBegun = true): unknown =>
      signal.aborted ? abortReason(signal) : gatewayErrorOf(error, hasBegun);
    const late = new AbortController();
    const endTimeout = runAfter(upstreamTimeoutMs, () => late.abort(new GatewayError('UPSTREAM_TIMEOUT')));
    let interim = 0;
    try {
      const {
        statusCode: status,
        headers,
        ...response
      } = await connections.agent.request({
        ...optionsOf(sending),
        bodyTimeout: upstreamStallTimeoutMs,
        highWaterMark: streamedAhead,
        signal: AbortSignal.any([nativeSignal(signal), late.signal]),
        onInfo() {
          if (++interim > interimResponses) throw new GatewayError('UPSTREAM_BAD_RESPONSE');
        },
      });
      // A body of undici's fails when its reader leaves; this one ends, and ends the call.
      const body = pipeline(response.body, new PassThrough(), endTimeout);
      return {
        status,
        headers,
        body,
        failureOf,
        liftTimeout: endTimeout,
        discard: () => body.destroy(),
        whenClosed: (run) => (body.closed ? run() : body.once('close', run)),
      };
    } catch (error) {
      endTimeout();
      throw failureOf(error, false);
    }
  }
}

/** Bytes of a body that is read only while there is room (UPSTREAM_MAX_HELD_BYTES). Pages of twenty rows have fewer; 128 such take 8 MB. */
const heldBody = 65_536;

type CollectorOptions = Pick<AppConfig, 'upstreamTimeoutMs' | 'upstreamStallTimeoutMs' | 'upstreamMaxBodyBytes'> & {
  /** The room for large bodies. */
  readonly room: BodyRoom;
};

// For a body without a content-length, room is made for so many times the bytes that have come.
const growth = 4;

/**
 * Collects one response; undici's own request() costs twice as much. One timeout covers connecting, headers and body, another each pause
 * of the body. A large body waits where there is no room for it.
 */
class ResponseCollector implements Dispatcher.DispatchHandler {
  /** The response, once it is whole. */
  readonly response = Promise.withResolvers<WireResponse>();
  readonly #sending: Sending;
  readonly #options: CollectorOptions;
  readonly #time: Countdown;
  readonly #stall: Countdown;
  #controller: Dispatcher.DispatchController | undefined;
  #failure: Error | undefined;
  #status = 0;
  #interim = 0;
  #headers: ResponseHeaders = {};
  readonly #body = new BodyChunks();
  /** The length of body that there is room for; small bodies need none. */
  #granted = heldBody;
  #hold: BodyHold | undefined;
  #isWaiting = false;
  #isComplete = false;
  #isOver = false;

  constructor(sending: Sending, options: CollectorOptions) {
    this.#sending = sending;
    this.#options = options;
    const expire = (): void => this.#fail(new GatewayError('UPSTREAM_TIMEOUT'));
    this.#time = new Countdown(options.upstreamTimeoutMs, expire);
    this.#stall = new Countdown(options.upstreamStallTimeoutMs, expire);
    this.#time.begin();
    sending.signal.addEventListener('abort', this.#abort);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // A call that ended while it waited for a free connection is not sent any more.
    if (this.#failure !== undefined) controller.abort(this.#failure);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: ResponseHeaders): void {
    // An informational response (103 Early Hints) comes before the real one.
    if (status < 200) {
      if (++this.#interim > interimResponses) this.#fail(new GatewayError('UPSTREAM_BAD_RESPONSE'));
      return;
    }
    this.#status = status;
    this.#headers = headers;
    this.#stall.begin();
    this.#admit(Number(headers['content-length']));
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#stall.restart();
    this.#body.add(chunk);
    this.#admit(this.#body.length, this.#body.length * growth);
  }

  onResponseEnd(): void {
    this.#isComplete = true;
    if (this.#hold === undefined) this.#finish();
    else this.#makeRoom(this.#body.length);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#end();
    this.response.reject(gatewayErrorOf(error, this.#status !== 0));
  }

  /** Fails for a body of so many bytes where that is too large; else makes room, for `wanted` bytes, where there is none yet. */
  #admit(length: number, wanted = length): void {
    const { upstreamMaxBodyBytes: most } = this.#options;
    if (length > most) this.#fail(tooLarge(most));
    else if (length > this.#granted) this.#makeRoom(Math.min(wanted, most));
  }

  /** Makes room for so many bytes, or pauses the upstream. A complete body is handed over as soon as there is room. */
  #makeRoom(bytes: number): void {
    // Chunks that were on their way when the upstream was paused come all the same.
    if (this.#isWaiting) return;
    this.#hold ??= new BodyHold(this.#options.room, this.#sending.identity);
    const isWhole = this.#isComplete;
    const go = (): void => {
      this.#isWaiting = false;
      this.#granted = bytes;
      if (this.#isOver) return;
      if (isWhole) this.#finish();
      else if (this.#isComplete) this.#makeRoom(this.#body.length);
      else {
        this.#stall.begin();
        this.#controller?.resume();
      }
    };
    // Room becomes free within the end of another response, and undici reads no other one meanwhile.
    const goLater = (): void => void setImmediate(go);
    if (this.#hold.grow(bytes, goLater, (error) => this.#fail(error))) return go();
    this.#isWaiting = true;
    // What is paused here is no stall of the upstream.
    this.#stall.end();
    this.#controller?.pause();
  }

  #finish(): void {
    this.#isOver = true;
    this.#settle();
    const hold = this.#hold;
    const response = { status: this.#status, headers: this.#headers, body: this.#body };
    this.response.resolve(hold === undefined ? response : { ...response, hold, discard: () => hold.release() });
  }

  readonly #abort = (): void => this.#fail(abortReason(this.#sending.signal));

  #fail(reason: Error): void {
    this.#failure = reason;
    this.#end();
    this.response.reject(reason);
    this.#controller?.abort(reason);
  }

  /** Nobody waits for the response any more. */
  #end(): void {
    this.#settle();
    if (!this.#isOver) this.#hold?.release();
    this.#isOver = true;
  }

  #settle(): void {
    this.#time.end();
    this.#stall.end();
    this.#sending.signal.removeEventListener('abort', this.#abort);
  }
}

function tooLarge(maxBodyBytes: number): GatewayError {
  return new GatewayError('UPSTREAM_BAD_RESPONSE', {
    message: `The upstream's answer is larger than the ${maxBodyBytes} bytes that are read.`,
  });
}

/** The reason of an aborted signal, as an Error. */
function abortReason(signal: CancelSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error('The caller has left.');
}

/**
 * The GatewayError for an error of undici; an abort as it is. Where nothing of a response has come, a failure to connect and the end of a
 * connection are an UnansweredError. After a time-out the upstream may still be at work.
 */
function gatewayErrorOf(cause: unknown, hasBegun: boolean): unknown {
  if (cause instanceof GatewayError) return cause;
  if (cause instanceof errors.HTTPParserError || cause instanceof errors.HeadersOverflowError)
    return new GatewayError('UPSTREAM_BAD_RESPONSE', { cause });
  if (cause instanceof errors.BodyTimeoutError) return new GatewayError('UPSTREAM_TIMEOUT', { cause });
  const isRefused = proxyRefusal(cause) !== null;
  if (cause instanceof errors.RequestAbortedError && !isRefused) return cause;
  const code = cause instanceof errors.ConnectTimeoutError ? 'UPSTREAM_TIMEOUT' : 'UPSTREAM_UNAVAILABLE';
  // What a proxy or a certificate refuses now, it refuses again.
  const retryable = !isOfCertificate(cause);
  if (hasBegun || isRefused || !retryable) return new GatewayError(code, { cause, retryable });
  return isStale(cause as object) ? new StaleConnectionError(code, { cause }) : new UnansweredError(code, { cause });
}
