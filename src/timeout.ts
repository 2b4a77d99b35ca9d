/** Nothing came in time. */
export class TimeoutError extends Error {}

/**
 * Runs a function when so many milliseconds are over, and returns what calls it off. A process that was busy, or stood still, reads
 * first what has come meanwhile: sockets are read behind timers.
 */
export function runAfter(milliseconds: number, run: () => void): () => void {
  let due: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => (due = setImmediate(run)), milliseconds).unref();
  return () => {
    clearTimeout(timer);
    clearImmediate(due);
  };
}

/**
 * Waits for a promise so many milliseconds at most, then rejects with a TimeoutError. What it settles with later is ignored, a
 * failure too: whatever stands behind it goes on. The wait keeps no process alive.
 */
export function withTimeout<Value>(promise: Promise<Value>, milliseconds: number): Promise<Value> {
  return new Promise((resolve, reject) => {
    const callOff = runAfter(milliseconds, () => reject(new TimeoutError()));
    promise.then(resolve, reject).finally(callOff);
  });
}
