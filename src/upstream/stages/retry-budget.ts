import { retriesPerCall, retriesPerSecond, savedRetries } from '../../bounds.ts';

/** Bounds the retries of the process. */
export interface RetryBudget {
  /** Counts a call that was sent, without its retries. */
  earn(): void;
  /** Takes one retry from the budget; false where none is left. */
  spend(): boolean;
}

export interface RetryBudgetOptions {
  /** Among how many workers the retries by time are divided; absent: one. Those by calls go by the calls of each. */
  readonly workers?: number;
  readonly now?: () => number;
}

/** Allows retries for a fifth of the calls, or ten a second, whichever is more. */
export function createRetryBudget({
  workers = 1,
  now = () => performance.now(),
}: RetryBudgetOptions = {}): RetryBudget {
  const perSecond = retriesPerSecond / workers;
  // Less than one could never be spent.
  const saved = Math.max(1, savedRetries / workers);
  let ofCalls = 0;
  let ofTime = saved;
  let refilled = now();

  return {
    earn() {
      ofCalls = Math.min(saved, ofCalls + retriesPerCall);
    },
    spend() {
      const time = now();
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
