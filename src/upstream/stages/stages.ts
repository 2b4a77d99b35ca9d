import type { UpstreamMetrics } from '../../telemetry/upstream-metrics.ts';
import { breakCircuit, type BreakerOptions } from './breaker.ts';
import { passChecks, type Stage } from './stage.ts';
import { limitConcurrency, type BulkheadOptions } from './bulkhead.ts';
import { learnCallers, type KnownCallers } from './known-callers.ts';
import { observe, traceAttempts } from './observe.ts';
import { RateLimits, type SharedLimits } from './rate-limit.ts';
import { retry, type RetryOptions } from './retry.ts';

/** The options of each stage. */
export interface StageOptions {
  readonly retries: RetryOptions;
  readonly breaker: Omit<BreakerOptions, 'known'>;
  readonly concurrency: Omit<BulkheadOptions, 'known'>;
  readonly known: KnownCallers;
  /** Absent: there are no other replicas. */
  readonly sharedLimits?: SharedLimits | undefined;
}

/**
 * The stages of every call, in their order. A retry begins anew at the rate limit. An open breaker refuses a call before it
 * takes a slot of the bulkhead. A call that has waited for its slot checks the rate limit again, which may have been reached
 * meanwhile, and the slot of a response is released when its rate limit is known. A waiting call has not been sent, so observation
 * and the learning of callers come last. Attempts have spans where `tracedUrl`, the API's root, is given.
 */
export function createStages(
  { retries, breaker, concurrency, known, sharedLimits }: StageOptions,
  metrics: UpstreamMetrics,
  tracedUrl: string | null = null,
): readonly Stage[] {
  const rateLimits = new RateLimits(undefined, known, metrics, sharedLimits);
  const admission = [
    rateLimits.refuse,
    breakCircuit({ ...breaker, known }, metrics),
    ...limitConcurrency({ ...concurrency, known }, metrics),
    rateLimits.respect,
  ];
  const sending = [observe(metrics), learnCallers(known)];
  return [
    retry(retries, metrics),
    ...(tracedUrl === null
      ? [passChecks([...admission, ...sending])]
      : [passChecks(admission), traceAttempts(tracedUrl), passChecks(sending)]),
  ];
}
