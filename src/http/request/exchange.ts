import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { CancelSource, type CancelSignal } from '../../cancellation.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { RequestTrace } from '../../telemetry/request-trace.ts';
import type { Tracing } from '../../telemetry/span.ts';
import { clientOf } from './client-name.ts';
import { RequestRecord } from './request-record.ts';
import { beginTrace } from './trace.ts';

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
  readonly whenEnded: (listener: () => void) => void;
  /** Removes the caller's key from a text that the caller wrote, and cuts the text to `limit` characters where one is given. */
  readonly hideKey: (text: string, limit?: number) => string;
}

/** Removes the key of an Authorization header from a text, and cuts the text to `limit` characters where one is given. */
export type HideKey = (text: string, authorization: string | undefined, limit?: number) => string;

// Long enough for a UUID, a ULID or a trace id with prefixes; nothing that could break a header or a log line.
const saneRequestId = /^[A-Za-z0-9_.:=+/-]{1,128}$/;
// nginx's status for a client that left before there was a response.
const clientClosedRequest = 499;

/**
 * Begins an exchange. The response returns the caller's X-Request-Id, or a new one where that has no sane form. One log line is
 * written when the exchange ends in any way.
 */
export function beginExchange(
  req: IncomingMessage,
  res: ServerResponse,
  log: Log,
  metrics: Metrics,
  hideKey: HideKey,
  tracing: Tracing | null,
): Exchange {
  const started = performance.now();
  const { method } = req;
  const hideOwnKey: Exchange['hideKey'] = (text, limit) => hideKey(text, req.headers.authorization, limit);
  const requestId = requestIdOf(req.headers['x-request-id'], hideOwnKey);
  const cancel = new CancelSource();
  const listeners: (() => void)[] = [];
  const whenEnded = (listener: () => void): void => void listeners.push(listener);
  const record = new RequestRecord();
  const trace = tracing && beginTrace(tracing, req, hideOwnKey);
  res.setHeader('x-request-id', requestId);
  const report = (): void => {
    const { endpoint, operationName, trustedOperation, errorCodes, upstreamCalls } = record;
    const milliseconds = performance.now() - started;
    const aborted = !res.writableFinished;
    if (aborted) cancel.abort(new Error('The client has left.'));
    const status = res.headersSent ? res.statusCode : clientClosedRequest;
    metrics.countRequest(endpoint, status, milliseconds / 1000);
    if (trustedOperation !== null)
      metrics.countTrustedOperation(trustedOperation, errorCodes.length > 0, milliseconds / 1000);
    for (const code of errorCodes) metrics.countError(code);
    const isLogged = log.takesRequest(endpoint);
    if (!isLogged && trace?.isRecorded !== true) return;
    const line = {
      requestId,
      method,
      endpoint,
      status,
      durationMs: Math.round(milliseconds * 100) / 100,
      operationName,
      trustedOperation,
      errorCodes,
      upstreamCalls,
      aborted,
      client: clientOf(req, hideOwnKey),
      trace: trace && trace.ids,
    };
    if (isLogged) log.request(line);
    trace?.end(line);
  };
  // One listener for all: each costs as much as a promise.
  res.on('close', () => {
    report();
    for (const listener of listeners.splice(0)) listener();
  });
  return { requestId, signal: cancel, record, trace, whenEnded, hideKey: hideOwnKey };
}

/** Returns the caller's request id where it is sane. It is logged and sent upstream, so it must not hold the caller's key. */
function requestIdOf(given: string | string[] | undefined, hideKey: (text: string) => string): string {
  const isSane = typeof given === 'string' && saneRequestId.test(given) && hideKey(given) === given;
  return isSane ? given : randomUUID();
}
