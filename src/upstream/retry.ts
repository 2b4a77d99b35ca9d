import { setTimeout as sleep } from 'node:timers/promises';
import type { Stage, UpstreamRequest } from './client.ts';
import { retryAfterOf } from './retry-after.ts';
import { UnansweredError, type AnswerHead } from './transport.ts';

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
 * Makes a call again where that is worth it: no byte of an answer came, the edge was overloaded, or a 429 names a wait that
 * fits. With full jitter, never past the operation's deadline, and only while the budget of the process allows it, so that
 * a sick upstream is not made sicker.
 */
export function retry({ most, random = Math.random }: RetryOptions): Stage {
  const budget = createRetryBudget();
  return (next) =>
    async function attempt(request, made = 0) {
      if (made === 0) budget.earn();
      let failure: unknown;
      try {
        const answer = await next(request);
        const waitMs = made < most ? waitFor(answer, made, random) : undefined;
        if (waitMs === undefined || !fits(waitMs, request) || !budget.spend()) return answer;
        answer.discard?.();
        await pause(waitMs, request);
        return attempt(request, made + 1);
      } catch (error) {
        failure = error;
      }
      const waitMs = firstDelayMs * 2 ** made * random();
      const mayRetry = failure instanceof UnansweredError && made < most && fits(waitMs, request) && budget.spend();
      if (!mayRetry) throw failure;
      await pause(waitMs, request);
      return attempt(request, made + 1);
    };
}

/** How long to wait before the same is asked again, in milliseconds; undefined for an answer that is final. */
function waitFor(answer: AnswerHead, made: number, random: () => number): number | undefined {
  const told = retryAfterOf(answer);
  if (answer.status === tooMany && told === undefined) return undefined;
  if (answer.status !== tooMany && !overloaded.has(answer.status)) return undefined;
  const jitter = firstDelayMs * 2 ** made * random();
  // A timer may fire a little early; asking a moment before the time told would be refused.
  return told === undefined ? jitter : told * 1000 + earlyMs + jitter;
}

function fits(waitMs: number, { caller }: UpstreamRequest): boolean {
  return performance.now() + waitMs < caller.deadline;
}

async function pause(milliseconds: number, { signal }: UpstreamRequest): Promise<void> {
  try {
    await sleep(milliseconds, undefined, { signal });
  } catch {
    throw signal.reason;
  }
}

// A fifth of a retry for each call, and ten a second whatever the traffic.
const perCall = 0.2;
const perSecond = 10;
// What a quiet time may save up: enough for a hiccup, not for a storm.
const mostSaved = 10;

export interface RetryBudget {
  earn(): void;
  /** Whether one more retry may be made; if so, it is paid for. */
  spend(): boolean;
}

/** The retries that the process may make: at most a fifth of its calls, but always some ten a second. */
export function createRetryBudget(now: () => number = () => performance.now()): RetryBudget {
  let saved = 0;
  let steady = perSecond;
  let refilled = now();

  return {
    earn() {
      saved = Math.min(mostSaved, saved + perCall);
    },
    spend() {
      const time = now();
      steady = Math.min(perSecond, steady + ((time - refilled) / 1000) * perSecond);
      refilled = time;
      const mayRetry = saved >= 1 || steady >= 1;
      if (!mayRetry) return false;
      // What traffic has paid for counts against the ten as well: the larger of the two is the limit, not their sum.
      if (saved >= 1) saved -= 1;
      steady = Math.max(0, steady - 1);
      return true;
    },
  };
}
