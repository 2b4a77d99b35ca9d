import { longestRetryWaitMs } from '../../bounds.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { nativeSignal } from '../../cancellation.ts';
import { GatewayError } from '../../errors.ts';
import type { Stage, UpstreamRequest } from './stage.ts';
import { retryAfterOf } from '../response/retry-after.ts';
import { createRetryBudget } from './retry-budget.ts';
import { UnansweredError, UnsentError, type ResponseHead } from '../response/wire-response.ts';

export interface RetryOptions {
  /** How often one call may be made again. */
  readonly most: number;
  /** Random numbers from 0 to 1, for the jitter. */
  readonly random?: () => number;
}

const firstDelayMs = 100;
const earlyMs = 10;
const overloaded = new Set([502, 503, 504]);
const tooMany = 429;

/**
 * Makes a call again where that is worth it: no byte of an answer came, the edge was overloaded, or a 429 names a wait of
 * three seconds at most that fits. With full jitter, never past the operation's deadline, and only while the budget of the
 * process allows it, so that a sick upstream is not made sicker.
 */
export function retry({ most, random = Math.random }: RetryOptions): Stage {
  const budget = createRetryBudget();
  const mayRetry = (waitMs: number, made: number, { waitLimits }: UpstreamRequest): boolean =>
    made < most && waitMs <= longestRetryWaitMs && performance.now() + waitMs < waitLimits.deadline && budget.spend();

  return (next) =>
    async function attempt(request, made = 0) {
      const jitter = firstDelayMs * 2 ** made * random();
      let waitMs = jitter;
      try {
        const answer = await next(request);
        if (made === 0) budget.earn();
        const told = waitFor(answer, jitter);
        if (told === undefined || !mayRetry(told, made, request)) return answer;
        answer.discard?.();
        waitMs = told;
      } catch (error) {
        if (made === 0 && wasSent(error, request)) budget.earn();
        if (!(error instanceof UnansweredError) || !mayRetry(waitMs, made, request)) throw error;
      }
      await pause(waitMs, request);
      return attempt(request, made + 1);
    };
}

/** How long to wait before the same is asked again, in milliseconds; undefined for an answer that is final. */
function waitFor(response: ResponseHead, jitter: number): number | undefined {
  const told = retryAfterOf(response);
  if (response.status === tooMany && told === undefined) return undefined;
  if (response.status !== tooMany && !overloaded.has(response.status)) return undefined;
  // A timer may fire a little early; asking a moment before the time told would be refused.
  return told === undefined ? jitter : told * 1000 + earlyMs + jitter;
}

/** Whether the upstream has had any load of a call that failed: what was refused here, or given up while it waited, is none. */
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
