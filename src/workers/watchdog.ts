import { hungAfterPings, pingMs } from '../bounds.ts';

/**
 * Asks a worker for a sign of life again and again, and runs `giveUp` once when several in a row have not been answered. Returns the
 * function that ends it. Unanswered questions are counted, not seconds: a process that was stopped for a while has missed one.
 */
export function watchForHanging(ping: () => Promise<unknown>, giveUp: () => void): () => void {
  let unanswered = 0;
  const timer = setInterval(() => {
    if (unanswered >= hungAfterPings) {
      clearInterval(timer);
      giveUp();
      return;
    }
    unanswered += 1;
    // A worker that has ended is none that hangs.
    ping().then(
      () => (unanswered = 0),
      () => clearInterval(timer),
    );
  }, pingMs);
  timer.unref();
  return () => clearInterval(timer);
}
