import { longestRetryWaitMs } from '../../bounds.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { nativeSignal } from '../../cancellation.ts';
import { GatewayError } from '../../errors.ts';
import type { UpstreamMetrics } from '../../telemetry/upstream-metrics.ts';
import type { Send, Stage, UpstreamRequest } from './stage.ts';
import { retryAfterOf } from '../response/retry-after.ts';
import { createRetryBudget } from './retry-budget.ts';
import { UnansweredError, UnsentError, type ResponseHead } from '../response/wire-response.ts';

export interface RetryOptions {
  /** How often one call may be made again. */
  readonly most: number;
  /** Among how many workers the retries of the process are divided; absent: one. */
  readonly workers?: number | undefined;
  /** Random numbers from 0 to 1, for the jitter. */
  readonly random?: () => number;
}

const firstDelayMs = 100;
const earlyMs = 10;
const overloaded = new Set([502, 503, 504]);
const tooMany = 429;

/**
 * Makes a call again where no byte of a response came, the edge was overloaded, or a 429 names a short wait
 * (`longestRetryWaitMs`). Waits have full jitter and end before the operation's deadline. The retry budget of the process
 * bounds all retries, so that a sick upstream does not get sicker.
 */
export function retry(
  { most, workers = 1, random = Math.random }: RetryOptions,
  metrics?: Pick<UpstreamMetrics, 'countRetry'>,
): Stage {
  const budget = createRetryBudget({ workers });
  const mayRetry = (waitMs: number, made: number, { waitLimits }: UpstreamRequest): boolean =>
    made < most && waitMs <= longestRetryWaitMs && performance.now() + waitMs < waitLimits.deadline && budget.spend();

  return <A extends ResponseHead>(next: Send<A>): Send<A> => {
    // Without `async`: hardly any call is made again, and none needs a promise for that.
    function attempt(request: UpstreamRequest, made = 0): Promise<A> {
      const jitter = firstDelayMs * 2 ** made * random();
      return next(request).then(
        (response) => {
          if (made === 0) budget.earn();
          const wanted = waitFor(response, jitter);
          if (wanted === undefined || !mayRetry(wanted, made, request)) return response;
          response.discard?.();
          return again(request, made, wanted, String(response.status));
        },
        (error: unknown) => {
          if (made === 0 && wasSent(error, request)) budget.earn();
          if (!(error instanceof UnansweredError) || !mayRetry(jitter, made, request)) throw error;
          return again(request, made, jitter, error.code);
        },
      );
    }

    async function again(request: UpstreamRequest, made: number, waitMs: number, reason: string): Promise<A> {
      metrics?.countRetry(request.call.endpoint.name, reason);
      await pause(waitMs, request);
      return attempt(request, made + 1);
    }

    return (request) => attempt(request);
  };
}

/** The wait before the call is made again, in milliseconds; undefined for a final response. */
function waitFor(response: ResponseHead, jitter: number): number | undefined {
  if (response.status !== tooMany && !overloaded.has(response.status)) return undefined;
  const retryAfter = retryAfterOf(response);
  if (response.status === tooMany && retryAfter === undefined) return undefined;
  // A timer may fire a little early, and a call before the named time would be refused.
  return retryAfter === undefined ? jitter : retryAfter * 1000 + earlyMs + jitter;
}

/** Whether a failed call was sent: not one that was refused here, or aborted. */
function wasSent(error: unknown, { signal }: UpstreamRequest): boolean {
  return error instanceof GatewayError && !(error instanceof UnsentError) && !signal.aborted;
}

async function pause(milliseconds: number, { signal }: UpstreamRequest): Promise<void> {
  try {
    await sleep(milliseconds, undefined, { signal: nativeSignal(signal) });
  } catch {
    throw signal.reason;
  }
}
