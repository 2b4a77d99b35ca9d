import { setTimeout as sleep } from 'node:timers/promises';
import { nativeSignal } from '../../cancellation.ts';
import type { AppConfig } from '../../config.ts';
import type { GatewayError } from '../../errors.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import { waitIn } from '../response/rate-limit-fields.ts';
import { UnansweredError, UnsentError, type ResponseHead } from '../response/wire-response.ts';
import type { Sending, Stage } from '../call.ts';

/** Milliseconds between two attempts of one call. A longer wait is the client's choice: the error says how long it is. */
const longestRetryWaitMs = 3_000;

/** Retries that each call allows: a fifth, so that a sick upstream gets a fifth more calls at most. */
const retriesPerCall = 0.2;

/** Retries a second that are allowed whatever the traffic: without them, a quiet gateway could make none. */
const retriesPerSecond = 10;

/** Retries that a quiet time saves up: enough for a hiccup, not for a storm. */
const savedRetries = 10;

interface RetryOptions extends Pick<AppConfig, 'upstreamRetries' | 'workerCount'> {
  /** Random numbers from 0 to 1, for the jitter. */
  readonly random?: () => number;
}

const firstDelayMs = 100;
const earlyMs = 10;
const overloaded = new Set([502, 503, 504]);
const tooMany = 429;

/**
 * Makes a call again where no byte of a response came, the edge was overloaded, or the rate limit is used up for a short time
 * (`longestRetryWaitMs`), whether a 429 tells it or the call was not sent at all. Waits have full jitter and end before the operation's
 * deadline. The retry budget of the process bounds all retries, so that a sick upstream does not get sicker.
 */
export function retry(
  { upstreamRetries, workerCount = 1, random = Math.random }: RetryOptions,
  metrics?: Pick<Metrics, 'countRetry'>,
): Stage {
  const budget = createRetryBudget(workerCount);
  // Many calls of one caller may meet a short limit: they must not use up the retries of all.
  const limitedBudget = createRetryBudget(workerCount);

  function mayRetry(made: number, waitMs: number, { deadline }: Sending, allowed = budget): boolean {
    if (made >= upstreamRetries || waitMs > longestRetryWaitMs) return false;
    return performance.now() + waitMs < deadline && allowed.spend();
  }

  return (next) => async (sending) => {
    for (let made = 0; ; made++) {
      const jitter = firstDelayMs * 2 ** made * random();
      let again: { readonly waitMs: number; readonly reason: string };
      try {
        const response = await next(sending);
        if (made === 0) budget.earn();
        const waitMs = waitFor(response, jitter);
        if (waitMs === undefined || !mayRetry(made, waitMs, sending)) return response;
        response.discard?.();
        again = { waitMs, reason: String(response.status) };
      } catch (error) {
        if (made === 0 && sending.attempts > 0) budget.earn();
        const waitMs = waitBehind(error, jitter);
        const paid = error instanceof UnsentError ? limitedBudget : budget;
        if (waitMs === undefined || !mayRetry(made, waitMs, sending, paid)) throw error;
        again = { waitMs, reason: (error as GatewayError).code };
      }
      metrics?.countRetry(sending.call.endpoint.name, again.reason);
      await pause(again.waitMs, sending);
    }
  };
}

/** The wait before the call is made again, in milliseconds; undefined for a final response. */
function waitFor(response: ResponseHead, jitter: number): number | undefined {
  if (response.status !== tooMany && !overloaded.has(response.status)) return undefined;
  const told = waitIn(response);
  if (response.status === tooMany && told === undefined) return undefined;
  // A timer may fire a little early, and a call before the named time would be refused.
  return told === undefined ? jitter : told + earlyMs + jitter;
}

/** As `waitFor`, for a call that got no response, or was not sent since its rate limit is used up; undefined for any other failure. */
function waitBehind(error: unknown, jitter: number): number | undefined {
  if (error instanceof UnansweredError) return jitter;
  const isLimited = error instanceof UnsentError && error.code === 'RATE_LIMITED';
  return isLimited ? (error.details.retryAfterSeconds ?? Infinity) * 1000 + earlyMs + jitter : undefined;
}

async function pause(milliseconds: number, { signal }: Sending): Promise<void> {
  try {
    await sleep(milliseconds, undefined, { signal: nativeSignal(signal) });
  } catch {
    throw signal.reason;
  }
}

/**
 * Allows retries for a fifth of the calls, or ten a second, whichever is more. Those by time are divided among the workers; those by calls
 * go by the calls of each.
 */
function createRetryBudget(workers: number) {
  const perSecond = retriesPerSecond / workers;
  // Less than one could never be spent.
  const saved = Math.max(1, savedRetries / workers);
  let ofCalls = 0;
  let ofTime = saved;
  let refilled = performance.now();

  return {
    /** Counts a call that was sent, without its retries. */
    earn(): void {
      ofCalls = Math.min(saved, ofCalls + retriesPerCall);
    },
    /** Takes one retry from the budget; false where none is left. */
    spend(): boolean {
      const time = performance.now();
      ofTime = Math.min(saved, ofTime + ((time - refilled) / 1000) * perSecond);
      refilled = time;
      if (ofCalls < 1 && ofTime < 1) return false;
      // Every retry counts against both, so that the larger one is the limit and not their sum. The debt is bounded: otherwise
      // the ten a second would be missing for as long as the traffic had paid for more.
      ofCalls = Math.max(-saved, ofCalls - 1);
      ofTime = Math.max(-saved, ofTime - 1);
      return true;
    },
  };
}
