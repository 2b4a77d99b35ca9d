import { retriesPerCall, retriesPerSecond, savedRetries } from '../../bounds.ts';

/** The retries that the process may make. */
export interface RetryBudget {
  /** Told of each call that was sent, its retries apart. */
  earn(): void;
  /** Whether one more retry may be made; if so, it is paid for. */
  spend(): boolean;
}

/** At most a fifth of the calls, but always some ten a second, whichever is more. */
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
      // Every retry counts against both, so that the larger is the limit and not their sum; but only so much is owed,
      // or the ten a second would be missing for as long as the traffic paid for more.
      ofCalls = Math.max(-savedRetries, ofCalls - 1);
      ofTime = Math.max(-savedRetries, ofTime - 1);
      return true;
    },
  };
}
