/** Nothing came in time. */
export class TimeoutError extends Error {}

/**
 * Waits for a promise so many milliseconds at most, then rejects with a TimeoutError. What it settles with later is ignored, a
 * failure too: whatever stands behind it goes on. The wait keeps no process alive.
 */
export function withTimeout<Value>(promise: Promise<Value>, milliseconds: number): Promise<Value> {
  return new Promise((resolve, reject) => {
    // A busy process may find its timer due before the reply that has come: that is read first.
    const timer = setTimeout(() => setImmediate(() => reject(new TimeoutError())), milliseconds);
    timer.unref();
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
