import { GatewayError } from '../../errors.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { Stage } from '../call.ts';
import { breakCircuit, type BreakerOptions } from './breaker.ts';
import { limitConcurrency, type BulkheadOptions } from './bulkhead.ts';
import { learnCallers, type KnownCallers } from './known-callers.ts';
import type { RateLimits } from './rate-limit.ts';
import { retry, type RetryOptions } from './retry.ts';

/** The options of each stage. */
export interface StageOptions {
  readonly retries: RetryOptions;
  readonly breaker: Omit<BreakerOptions, 'known'>;
  readonly concurrency: Omit<BulkheadOptions, 'known'>;
  readonly known: KnownCallers;
  readonly rateLimits: RateLimits;
  readonly reportUnreachable: ReportUnreachable;
}

/**
 * The stages of every call, in their order. A retry begins anew at the rate limit. An open breaker refuses a call before it
 * takes a slot of the bulkhead. A call that has waited for its slot checks the rate limit again, which may have been reached
 * meanwhile, and the slot of a response is released when its rate limit is known. A waiting call has not been sent, so observation
 * and the learning of callers come last. Attempts have spans where `tracedUrl`, the API's root, is given.
 */
export function createStages(
  { retries, breaker, concurrency, known, rateLimits, reportUnreachable }: StageOptions,
  metrics: Metrics,
  tracedUrl: string | null = null,
  isSandbox = false,
): readonly Stage[] {
  return [
    ...(isSandbox ? [failOnDemand] : []),
    retry(retries, metrics),
    rateLimits.refuse,
    breakCircuit({ ...breaker, known }, metrics),
    ...limitConcurrency({ ...concurrency, known }, metrics),
    rateLimits.respect,
    ...(tracedUrl === null ? [] : [traceAttempts(tracedUrl)]),
    observe(metrics, reportUnreachable),
    learnCallers(known),
  ];
}

/** Fails by itself where the embedded sandbox orders it, so that clients can see what a fault of the gateway looks like. */
const failOnDemand: Stage = (next) => async (sending) => {
  const response = await next(sending);
  if (response.headers['x-sandbox-order'] !== 'fail') return response;
  response.discard?.();
  throw new Error('The caller has asked the sandbox for a failure of the gateway (gateway-failing).');
};

type CallMetrics = Pick<Metrics, 'countUpstreamCall'>;

/** Told when a call has found no API: the name of its endpoint, and the error of the connection. */
export type ReportUnreachable = (operation: string, cause: unknown) => void;

/** Counts and times each call that goes out, by endpoint and outcome. */
function observe(metrics: CallMetrics, reportUnreachable: ReportUnreachable): Stage {
  return (next) => async (sending) => {
    const { call, caller, sent } = sending;
    caller.countCall();
    sent.count++;
    if (caller.trace !== undefined) caller.trace.origin = 'own';
    const started = performance.now();
    let outcome = '';
    try {
      const response = await next(sending);
      outcome = String(response.status);
      return response;
    } catch (error) {
      outcome = outcomeOf(error);
      if (error instanceof GatewayError && error.cause !== undefined)
        reportUnreachable(call.endpoint.name, error.cause);
      throw error;
    } finally {
      metrics.countUpstreamCall(call.endpoint.name, outcome, (performance.now() - started) / 1000);
    }
  };
}

function outcomeOf(error: unknown): string {
  return error instanceof GatewayError ? error.code : 'aborted';
}

/**
 * Continues the trace of the first caller in each attempt, and gives the attempt a span by the conventions for HTTP clients. The
 * URL in it has no identifier and no query string.
 */
function traceAttempts(baseUrl: string): Stage {
  const { hostname, port, protocol } = new URL(baseUrl);
  const server = {
    'http.request.method': 'GET',
    'server.address': hostname,
    'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
  };
  return (next) => async (sending) => {
    const { call, caller, headers, sent } = sending;
    const parent = caller.span;
    if (parent === undefined) return next(sending);
    if (!parent.isRecorded) {
      sending.headers = { ...headers, ...parent.headers };
      return next(sending);
    }
    const { path } = call.endpoint;
    const span = parent.begin(`GET ${path}`, 'client', {
      ...server,
      'url.template': path,
      'url.full': baseUrl + path.replace('{id}', 'REDACTED'),
      'http.request.resend_count': sent.count > 0 ? sent.count : undefined,
    });
    sending.headers = { ...headers, ...span.headers };
    try {
      const response = await next(sending);
      const { status } = response;
      span.end({ 'http.response.status_code': status }, status >= 400 ? String(status) : null);
      return response;
    } catch (error) {
      span.end({}, outcomeOf(error));
      throw error;
    }
  };
}
