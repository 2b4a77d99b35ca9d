import { retriesPerCall, retriesPerSecond, savedRetries } from '../../bounds.ts';

/** Bounds the retries of the process. */
export interface RetryBudget {
  /** Counts a call that was sent, without its retries. */
  earn(): void;
  /** Takes one retry from the budget; false where none is left. */
  spend(): boolean;
}

/** Allows retries for a fifth of the calls, or ten a second, whichever is more. */
export function createRetryBudget(now: () => number = () => performance.now()): RetryBudget {
  let ofCalls = 0;
  let ofTime = retriesPerSecond;
  let refilled = now();

  return {
    earn() {
      ofCalls = Math.min(savedRetries, ofCalls + retriesPerCall);
    },
    spend() {
      const time = now();
      ofTime = Math.min(savedRetries, ofTime + ((time - refilled) / 1000) * retriesPerSecond);
      refilled = time;
      if (ofCalls < 1 && ofTime < 1) return false;
      // Every retry counts against both, so that the larger one is the limit and not their sum. The debt is bounded: otherwise
      // the ten a second would be missing for as long as the traffic had paid for more.
      ofCalls = Math.max(-savedRetries, ofCalls - 1);
      ofTime = Math.max(-savedRetries, ofTime - 1);
      return true;
    },
  };
}
