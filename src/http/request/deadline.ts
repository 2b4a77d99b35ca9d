import { CancelSource, type CancelSignal } from '../../cancellation.ts';
import { GatewayError } from '../../errors.ts';
import type { Lifetime } from './lifetime.ts';

export interface Deadline {
  /**
   * Aborts with UPSTREAM_TIMEOUT when the time is up, when the process cannot wait any longer, and when the exchange has
   * ended, however it did.
   */
  readonly signal: CancelSignal;
  /** By performance.now(), in milliseconds. */
  readonly deadline: number;
  /** Stops the clock: what goes on from here has all the time it needs, until the exchange ends. */
  readonly lift: () => void;
}

const over = new Error('The exchange is over.');

/** One deadline for all that an exchange asks of the upstream: nothing of it goes on when nobody waits for it any more. */
export function deadlineOf(exchange: Lifetime, timeoutMs: number, stopping: CancelSignal | null = null): Deadline {
  const cancel = new CancelSource();
  const timer = setTimeout(() => cancel.abort(tooLate(timeoutMs)), timeoutMs);
  const lift = (): void => clearTimeout(timer);
  const stop = stopsWith(stopping, cancel);
  const end = (): void => {
    lift();
    stopping?.removeEventListener('abort', stop);
    cancel.abort(exchange.signal.aborted ? exchange.signal.reason : over);
  };
  if (stopping?.aborted === true) stop();
  else stopping?.addEventListener('abort', stop);
  // Who left while the request was being read will not leave again.
  if (exchange.signal.aborted) end();
  else exchange.whenEnded(end);
  return { signal: cancel, deadline: performance.now() + timeoutMs, lift };
}

/** Apart from the rest, of which it would hold on to whatever other functions beside it hold: it outlives the exchange a little. */
function stopsWith(stopping: CancelSignal | null, cancel: CancelSource): () => void {
  return () => cancel.abort(stopping?.reason);
}

function tooLate(timeoutMs: number): GatewayError {
  return new GatewayError('UPSTREAM_TIMEOUT', {
    message: `The operation was not done within ${timeoutMs} ms; what had not been answered by then was given up.`,
  });
}
