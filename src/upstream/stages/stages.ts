import type { Metrics } from '../../telemetry/metrics.ts';
import { breakCircuit, type BreakerOptions } from './breaker.ts';
import type { Stage } from './stage.ts';
import { limitConcurrency, type BulkheadOptions } from './bulkhead.ts';
import { noteCallers, type KnownCallers } from './known-callers.ts';
import { observe } from './observe.ts';
import { respectRateLimits } from './rate-limit.ts';
import { retry, type RetryOptions } from './retry.ts';

/** What the stages are told, each its own. */
export interface StageOptions {
  readonly retries: RetryOptions;
  readonly breaker: Omit<BreakerOptions, 'known'>;
  readonly concurrency: Omit<BulkheadOptions, 'known'>;
  readonly known: KnownCallers;
}

/**
 * The stages of every call, in their order: a retry begins anew at the rate limit; a breaker that is open costs no place in
 * the queue; what has waited there looks at the rate limit again, which may have been met meanwhile; what waits has not been
 * sent, so only what goes out is observed, and tells whose keys are good.
 */
export function createStages(
  { retries, breaker, concurrency, known }: StageOptions,
  metrics: Metrics,
): readonly Stage[] {
  const rateLimits = respectRateLimits(undefined, known);
  return [
    retry(retries),
    rateLimits,
    breakCircuit({ ...breaker, known }),
    limitConcurrency({ ...concurrency, known }),
    rateLimits,
    observe(metrics),
    noteCallers(known),
  ];
}
