import type { IncomingMessage, ServerResponse } from 'node:http';
import { CancelSource, type CancelSignal } from '../../cancellation.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { RequestTrace } from '../../telemetry/request-trace.ts';
import type { Tracing } from '../../telemetry/span.ts';
import { authorizationIn } from './authorization.ts';
import { clientOf } from './client-name.ts';
import type { ReadRequestId } from './request-id.ts';
import { RequestRecord } from './request-record.ts';
import { beginTrace } from './trace.ts';
import { endUnreadBody } from './unread-body.ts';

/** One HTTP request and its response. */
export interface Exchange {
  readonly requestId: string;
  /** Aborts when the client leaves before its response is whole. */
  readonly signal: CancelSignal;
  /** What the log line and the metrics report of the exchange. */
  readonly record: RequestRecord;
  /** The spans of the request; null where there are none. */
  readonly trace: RequestTrace | null;
  /** Calls a listener once, when the exchange has ended in any way. */
  whenEnded(listener: () => void): void;
  /** Removes the caller's key from a text that the caller wrote, and cuts the text to `limit` characters where one is given. */
  readonly hideKey: (text: string, limit?: number) => string;
}

/** Removes the key of an Authorization header from a text, and cuts the text to `limit` characters where one is given. */
export type HideKey = (text: string, authorization: string | undefined, limit?: number) => string;

/** What all exchanges of a port share. */
export interface ExchangeParts {
  readonly hideKey: HideKey;
  readonly readRequestId: ReadRequestId;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Null where there are no traces. */
  readonly tracing: Tracing | null;
}

// nginx's status for a client that left before there was a response.
const clientClosedRequest = 499;

/** Begins an exchange. One log line is written when it ends in any way. */
export function beginExchange(req: IncomingMessage, res: ServerResponse, parts: ExchangeParts): Exchange {
  const exchange = new HttpExchange(req, res, parts);
  // One listener for all: each costs as much as a promise.
  res.on('close', () => exchange.end());
  return exchange;
}

class HttpExchange implements Exchange {
  readonly requestId: string;
  readonly signal = new CancelSource();
  readonly record = new RequestRecord();
  readonly trace: RequestTrace | null;
  readonly hideKey: Exchange['hideKey'];
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly #parts: ExchangeParts;
  // Its server may take a HEAD request for GET.
  readonly #method: string | undefined;
  readonly #started = performance.now();
  #listeners: (() => void)[] | null = null;

  constructor(req: IncomingMessage, res: ServerResponse, parts: ExchangeParts) {
    this.#req = req;
    this.#method = req.method;
    this.#res = res;
    this.#parts = parts;
    this.hideKey = (text, limit) => parts.hideKey(text, authorizationIn(req), limit);
    this.requestId = parts.readRequestId(req.headers['x-request-id'], this.hideKey);
    this.trace = parts.tracing && beginTrace(parts.tracing, req, this.hideKey);
  }

  whenEnded(listener: () => void): void {
    // Most have one: to push it would make room for sixteen more.
    if (this.#listeners === null) this.#listeners = [listener];
    else this.#listeners.push(listener);
  }

  /** Reports the exchange, and calls the listeners. */
  end(): void {
    const isAborted = !this.#res.writableFinished;
    if (isAborted) this.signal.abort(new Error('The client has left.'));
    else endUnreadBody(this.#req);
    this.#report(isAborted);
    const listeners = this.#listeners ?? [];
    this.#listeners = null;
    for (const listener of listeners) listener();
  }

  #report(aborted: boolean): void {
    const { log, metrics } = this.#parts;
    const { endpoint, operationName, trustedOperation, errorCodes, upstreamCalls } = this.record;
    const milliseconds = performance.now() - this.#started;
    const status = this.#res.headersSent ? this.#res.statusCode : clientClosedRequest;
    metrics.countRequest(endpoint, status, milliseconds / 1000);
    if (trustedOperation !== null)
      metrics.countTrustedOperation(trustedOperation, errorCodes.length > 0, milliseconds / 1000);
    for (const code of errorCodes) metrics.countError(code);
    const isLogged = log.takesRequest(endpoint);
    if (!isLogged && this.trace?.isRecorded !== true) return;
    const line = {
      requestId: this.requestId,
      method: this.#method,
      endpoint,
      status,
      durationMs: Math.round(milliseconds * 100) / 100,
      operationName,
      trustedOperation,
      errorCodes,
      upstreamCalls,
      aborted,
      client: clientOf(this.#req, this.hideKey),
      trace: this.trace && this.trace.ids,
    };
    if (isLogged) log.request(line);
    this.trace?.end(line);
  }
}
