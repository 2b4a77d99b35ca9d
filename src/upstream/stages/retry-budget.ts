// A fifth of a retry for each call, and ten a second whatever the traffic.
const perCall = 0.2;
const perSecond = 10;
// What a quiet time may save up: enough for a hiccup, not for a storm.
const mostSaved = 10;

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
  let ofTime = perSecond;
  let refilled = now();

  return {
    earn() {
      ofCalls = Math.min(mostSaved, ofCalls + perCall);
    },
    spend() {
      const time = now();
      ofTime = Math.min(mostSaved, ofTime + ((time - refilled) / 1000) * perSecond);
      refilled = time;
      if (ofCalls < 1 && ofTime < 1) return false;
      // Every retry counts against both, so that the larger is the limit and not their sum; but only so much is owed,
      // or the ten a second would be missing for as long as the traffic paid for more.
      ofCalls = Math.max(-mostSaved, ofCalls - 1);
      ofTime = Math.max(-mostSaved, ofTime - 1);
      return true;
    },
  };
}
