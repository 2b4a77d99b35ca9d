import type { AppConfig } from '../../config.ts';
import { GatewayError } from '../../errors.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { Span } from '../../telemetry/tracing.ts';
import type { Sending, Stage } from '../call.ts';
import { breakCircuit } from './breaker.ts';
import { limitConcurrency } from './bulkhead.ts';
import type { KnownCallers } from './known-callers.ts';
import type { RateLimits } from './rate-limit.ts';
import { retry } from './retry.ts';

/** What the stages share with other parts of the gateway. */
interface StageParts {
  readonly known: KnownCallers;
  readonly rateLimits: RateLimits;
  readonly reportUnreachable: ReportUnreachable;
  readonly metrics: Metrics;
  readonly isSandbox: boolean;
}

/**
 * The stages of every call, in their order. A retry begins anew at the rate limit. An open breaker refuses a call before it
 * takes a slot of the bulkhead. A call that has waited for its slot checks the rate limit again, which may have been reached
 * meanwhile, and the slot of a response is released when its rate limit is known. A waiting call has not been sent, so what tells of
 * attempts comes last.
 */
export function createStages(config: AppConfig, parts: StageParts): readonly Stage[] {
  const { known, rateLimits, metrics, isSandbox } = parts;
  return [
    ...(isSandbox ? [failOnDemand] : []),
    retry(config, metrics),
    rateLimits.refuse,
    breakCircuit({ ...config, known }, metrics),
    limitConcurrency(config, known, metrics),
    rateLimits.respect,
    tellOfAttempts(parts, config.tracing === null ? null : spansOfAttempts(config.upstreamBaseUrl)),
  ];
}

/** Fails by itself where the embedded sandbox orders it, so that clients can see what a fault of the gateway looks like. */
const failOnDemand: Stage = (next) => async (sending) => {
  const response = await next(sending);
  if (response.headers['x-sandbox-order'] !== 'fail') return response;
  response.discard?.();
  throw new Error('The caller has asked the sandbox for a failure of the gateway (gateway-failing).');
};

/** Told when a call has found no API: the name of its endpoint, and the error of the connection. */
export type ReportUnreachable = (operation: string, cause: unknown) => void;

/**
 * Tells of each attempt how it went: counts and times it by endpoint and outcome, gives it a span, and learns from the status whether its
 * caller is known.
 */
function tellOfAttempts({ known, reportUnreachable, metrics }: StageParts, beginSpan: BeginSpan | null): Stage {
  return (next) => async (sending) => {
    const { call, caller } = sending;
    const span = beginSpan?.(sending);
    caller.request.upstreamCalls++;
    sending.attempts++;
    if (caller.trace !== undefined) Object.assign(caller.trace, { origin: 'own', attempts: sending.attempts });
    const started = performance.now();
    let outcome = '';
    try {
      const response = await next(sending);
      const { status } = response;
      outcome = String(status);
      known.learn(caller.identity, status);
      span?.end({ 'http.response.status_code': status }, status >= 400 ? outcome : null);
      return response;
    } catch (error) {
      outcome = error instanceof GatewayError ? error.code : 'aborted';
      if (error instanceof GatewayError && error.cause !== undefined)
        reportUnreachable(call.endpoint.name, error.cause);
      span?.end({}, outcome);
      throw error;
    } finally {
      metrics.countUpstreamCall(call.endpoint.name, outcome, (performance.now() - started) / 1000);
    }
  };
}

/** Continues the trace of the first caller in an attempt, and begins its span; undefined where that is not recorded. */
type BeginSpan = (sending: Sending) => Span | undefined;

/** Spans of attempts follow the conventions for HTTP clients. The URL in them has no identifier and no query string. */
function spansOfAttempts(baseUrl: string): BeginSpan {
  const { hostname, port, protocol } = new URL(baseUrl);
  const server = {
    'http.request.method': 'GET',
    'server.address': hostname,
    'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
  };
  return (sending) => {
    const { call, caller, headers, attempts } = sending;
    const parent = caller.span;
    const { path } = call.endpoint;
    const span =
      parent?.isRecorded === true
        ? parent.begin(`GET ${path}`, 'client', {
            ...server,
            'url.template': path,
            'url.full': baseUrl + path.replace('{id}', 'REDACTED'),
            'http.request.resend_count': attempts > 0 ? attempts : undefined,
          })
        : undefined;
    sending.headers = { ...headers, ...(span ?? parent)?.headers };
    return span;
  };
}
