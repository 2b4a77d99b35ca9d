import { CancelSource, type CancelSignal } from '../../cancellation.ts';
import { GatewayError } from '../../errors.ts';
import type { Lifetime } from './lifetime.ts';

export interface Deadline {
  /**
   * Aborts with UPSTREAM_TIMEOUT when the time is up, with the process's own reason when it stops, and when the exchange has
   * ended in any way.
   */
  readonly signal: CancelSignal;
  /** The moment of the deadline, by performance.now() in milliseconds. */
  readonly deadline: number;
  /** Removes the time limit. The signal still aborts when the process stops or the exchange ends. */
  readonly lift: () => void;
}

const over = new Error('The exchange is over.');

/** Begins the one deadline for all upstream calls of an exchange, so that no call goes on when nobody waits for it. */
export function deadlineOf(exchange: Lifetime, timeoutMs: number, stopping: CancelSignal | null = null): Deadline {
  const cancel = new CancelSource();
  const timer = setTimeout(() => cancel.abort(tooLate(timeoutMs)), timeoutMs);
  const lift = (): void => clearTimeout(timer);
  const stop = createStop(stopping, cancel);
  const end = (): void => {
    lift();
    stopping?.removeEventListener('abort', stop);
    cancel.abort(exchange.signal.aborted ? exchange.signal.reason : over);
  };
  if (stopping?.aborted === true) stop();
  else stopping?.addEventListener('abort', stop);
  // The client may have left while its request was being read. Then `whenEnded` would never run.
  if (exchange.signal.aborted) end();
  else exchange.whenEnded(end);
  return { signal: cancel, deadline: performance.now() + timeoutMs, lift };
}

/**
 * A function of its own, since this listener outlives the exchange a little: a closure within `deadlineOf` would keep
 * everything in memory that the other closures there hold.
 */
function createStop(stopping: CancelSignal | null, cancel: CancelSource): () => void {
  return () => cancel.abort(stopping?.reason);
}

function tooLate(timeoutMs: number): GatewayError {
  return new GatewayError('UPSTREAM_TIMEOUT', {
    message: `The operation took longer than ${timeoutMs} ms. The calls without a response by then were given up.`,
  });
}
