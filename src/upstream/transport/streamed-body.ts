import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { BodyChunks } from '../../body-chunks.ts';
import { interimResponses } from '../../bounds.ts';
import { GatewayError } from '../../errors.ts';
import type { ResponseHeaders } from '../response/wire-response.ts';

/** Bytes of a streamed body that have come and wait for its reader: twice what the system hands over at once. */
const streamedAhead = 131_072;

/** The head of a response whose body is coming. */
interface Head {
  readonly status: number;
  readonly headers: ResponseHeaders;
}

/**
 * The body of one response, at the pace of its reader. What comes while the reader is busy is put together, so that a body that comes byte
 * by byte takes as much memory as any other: undici's own stream would keep each chunk, with all of the wire that came around it.
 * Destroying it ends the call.
 */
export class StreamedBody extends Readable implements Dispatcher.DispatchHandler {
  readonly #head = Promise.withResolvers<Head>();
  readonly #chunks = new BodyChunks();
  #controller: Dispatcher.DispatchController | undefined;
  #held = 0;
  #interim = 0;
  #isWanted = false;
  #isComplete = false;
  #isOver = false;

  constructor() {
    // What is handed over is read before more of it is wanted.
    super({ highWaterMark: 1 });
    // Whoever waits for the head hears of a failure before it; behind it, the reader of the body does.
    this.on('error', this.#head.reject);
  }

  /** Rejects with undici's error, or the reason for which the body was destroyed, where there is no head. */
  get head(): Promise<Head> {
    return this.#head.promise;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.destroyed) controller.abort(this.errored ?? left());
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: ResponseHeaders): void {
    if (status >= 200) this.#head.resolve({ status, headers });
    else if (++this.#interim > interimResponses) this.destroy(new GatewayError('UPSTREAM_BAD_RESPONSE'));
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.add(chunk);
    this.#held += chunk.length;
    if (this.#held >= streamedAhead) controller.pause();
    this.#handOver();
  }

  onResponseEnd(): void {
    this.#isComplete = true;
    this.#handOver();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#isOver = true;
    this.destroy(error);
  }

  override _read(): void {
    this.#isWanted = true;
    this.#handOver();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#chunks.clear();
    if (!this.#isOver && !this.#isComplete) this.#controller?.abort(error ?? left());
    done(error);
  }

  /** Hands over what is there once the parser has read all that has come. */
  #handOver(): void {
    if (!this.#isWanted || (this.#held === 0 && !this.#isComplete)) return;
    this.#isWanted = false;
    queueMicrotask(() => {
      if (this.destroyed) return;
      const { whole } = this.#chunks;
      this.#chunks.clear();
      this.#held = 0;
      if (whole.length > 0) this.push(whole);
      if (this.#isComplete) this.push(null);
      else this.#controller?.resume();
    });
  }
}

function left(): Error {
  return new Error('Nobody reads the response any more.');
}
