import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { CancelSource, type CancelSignal } from '../../cancellation.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Metrics } from '../../telemetry/metrics.ts';

/** One request and its answer, as the log and the metrics will tell of it. */
export interface Exchange {
  readonly requestId: string;
  /** Aborts when the client leaves before its answer is whole. */
  readonly signal: CancelSignal;
  /** One of the names in `router.ts`, or that of a stream: never what the client wrote. */
  endpoint: string;
  operationName: string | null;
  upstreamCalls: number;
  /** Calls and objects at most; null where it was not told, or nothing was executed. */
  estimatedCost: number | null;
  /** False where nothing is selected whose numbers must be read digit for digit. */
  needsExactNumbers: boolean;
  /** Whether its client is to be told which calls it causes. */
  isExplained: boolean;
  /** Tells them, as far as there are any; null where nothing is explained. */
  tellCalls: (() => readonly object[]) | null;
  /** What the client sent as `Last-Event-ID`, to go on with a stream from there; null without it. */
  lastEventId: string | null;
  /** Whether a stream is begun for it: not where the head of the answer alone is wanted, nor where no events are taken. */
  takesStream: boolean;
  /** Tells the id of the event of a stream that was sent last, or that nothing has been sent; null for what is no stream. */
  eventId: (() => string) | null;
  readonly errorCodes: string[];
  /** What runs when its data are whole; null as long as there is nothing. */
  whenExecuted: (() => void)[] | null;
  /** Runs when the exchange has ended, however it did. */
  readonly whenEnded: (run: () => void) => void;
  /** Takes the caller's key out of a text that the caller wrote, and cuts it where a limit is given. */
  readonly hideKey: (text: string, limit?: number) => string;
}

/** What of an exchange is known when it begins. */
type Beginning = Pick<Exchange, 'requestId' | 'signal' | 'whenEnded' | 'hideKey'>;

/** Takes the key of an Authorization header out of a text, and cuts it where a limit is given. */
export type HideKey = (text: string, authorization: string | undefined, limit?: number) => string;

// Long enough for a UUID, a ULID or a trace id with prefixes; nothing that could break a header or a log line.
const saneRequestId = /^[A-Za-z0-9_.:=+/-]{1,128}$/;
// nginx's status for a client that left before there was an answer.
const unanswered = 499;

/** An exchange of which nothing else is known yet. */
export function createExchange({ requestId, signal, whenEnded, hideKey }: Beginning): Exchange {
  return {
    requestId,
    signal,
    endpoint: 'other',
    operationName: null,
    upstreamCalls: 0,
    estimatedCost: null,
    needsExactNumbers: true,
    isExplained: false,
    tellCalls: null,
    lastEventId: null,
    takesStream: true,
    eventId: null,
    errorCodes: [],
    whenExecuted: null,
    whenEnded,
    hideKey,
  };
}

/**
 * Begins an exchange: answers the caller's X-Request-Id, or a new one where it is none of a sane form, and writes one log
 * line when the exchange ends, however it does.
 */
export function beginExchange(
  req: IncomingMessage,
  res: ServerResponse,
  log: Log,
  metrics: Metrics,
  hideKey: HideKey,
): Exchange {
  const started = performance.now();
  const { method } = req;
  const hideOwnKey: Exchange['hideKey'] = (text, limit) => hideKey(text, req.headers.authorization, limit);
  const requestId = requestIdOf(req.headers['x-request-id'], hideOwnKey);
  const cancel = new CancelSource();
  const whenEnded = (run: () => void): void => void res.once('close', run);
  const exchange = createExchange({ requestId, signal: cancel, whenEnded, hideKey: hideOwnKey });
  res.setHeader('x-request-id', requestId);
  res.once('close', () => {
    const { endpoint, operationName, errorCodes, upstreamCalls } = exchange;
    const milliseconds = performance.now() - started;
    const aborted = !res.writableFinished;
    if (aborted) cancel.abort(new Error('The client has left.'));
    const status = res.headersSent ? res.statusCode : unanswered;
    metrics.countRequest(endpoint, status, milliseconds / 1000);
    for (const code of errorCodes) metrics.countError(code);
    const durationMs = Math.round(milliseconds * 100) / 100;
    log.request({ requestId, method, endpoint, status, durationMs, operationName, errorCodes, upstreamCalls, aborted });
  });
  return exchange;
}

/** A request id is logged and sent on: one that holds the caller's key is as insane as one with a line break. */
function requestIdOf(given: string | string[] | undefined, hideKey: (text: string) => string): string {
  const isSane = typeof given === 'string' && saneRequestId.test(given) && hideKey(given) === given;
  return isSane ? given : randomUUID();
}

/** Runs when the data of the exchange are whole, or of an event of its stream; or when it has ended before. */
export function whenExecuted(exchange: Exchange, run: () => void): void {
  if (exchange.whenExecuted === null) {
    exchange.whenExecuted = [];
    exchange.whenEnded(() => endExecution(exchange));
  }
  exchange.whenExecuted.push(run);
}

/** What was read for the data is not needed any more: they are written from here on, at the pace of their reader. */
export function endExecution({ whenExecuted: told }: Exchange): void {
  for (const run of told?.splice(0) ?? []) run();
}
