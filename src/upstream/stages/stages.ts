import type { Metrics } from '../../telemetry/metrics.ts';
import { breakCircuit, type BreakerOptions } from './breaker.ts';
import { limitConcurrency, type BulkheadOptions } from './bulkhead.ts';
import { learnCallers, type KnownCallers } from './known-callers.ts';
import { observe, traceAttempts, type ReportUnreachable } from './observe.ts';
import type { RateLimits } from './rate-limit.ts';
import { retry, type RetryOptions } from './retry.ts';
import type { Stage } from '../sending.ts';

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
