import { CancelSource, type CancelSignal } from '../../cancellation.ts';
import { GatewayError } from '../../errors.ts';
import { runAfter } from '../../timeouts.ts';
import { Linked, LinkedSet } from '../../transient-collections.ts';
import type { Exchange } from './exchange.ts';

/** An exchange or a part of it. What runs within it ends with it. */
export type Lifetime = Pick<Exchange, 'signal' | 'whenEnded'>;

/**
 * Begins a lifetime that ends with a signal, or before it by `end`. A stream lasts for hours, and must not keep the listeners of all its
 * past events.
 */
export function beginLifetime(signal: CancelSignal): { readonly of: Lifetime; readonly end: () => void } {
  const listeners: (() => void)[] = [];
  const end = (): void => {
    signal.removeEventListener('abort', end);
    for (const listener of listeners.splice(0)) listener();
  };
  if (!signal.aborted) signal.addEventListener('abort', end);
  return { of: { signal, whenEnded: (listener) => void listeners.push(listener) }, end };
}

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

/**
 * The deadlines of exchanges, all of one length: each is the one for all upstream calls of its exchange, so that no call goes on when
 * nobody waits for it.
 */
export class Deadlines {
  readonly #timeoutMs: number;
  readonly #stopping: CancelSignal | null;
  readonly #open = new LinkedSet<OpenDeadline>();

  constructor(timeoutMs: number, stopping: CancelSignal | null = null) {
    this.#timeoutMs = timeoutMs;
    this.#stopping = stopping;
    stopping?.addEventListener('abort', () => {
      // An exchange may end by it, and leaves the set.
      const open = [...this.#open];
      for (const { signal } of open) signal.abort(stopping.reason);
    });
  }

  /** Begins the deadline of an exchange. */
  begin(exchange: Lifetime): Deadline {
    const deadline = new OpenDeadline(this.#timeoutMs);
    const end = (): void => {
      this.#open.delete(deadline);
      deadline.lift();
      deadline.signal.abort(exchange.signal.aborted ? exchange.signal.reason : over);
    };
    if (this.#stopping?.aborted === true) deadline.signal.abort(this.#stopping.reason);
    this.#open.add(deadline);
    // The client may have left while its request was being read. Then `whenEnded` would never run.
    if (exchange.signal.aborted) end();
    else exchange.whenEnded(end);
    return deadline;
  }
}

class OpenDeadline extends Linked implements Deadline {
  readonly signal = new CancelSource();
  readonly deadline: number;
  readonly lift: () => void;

  constructor(timeoutMs: number) {
    super();
    this.deadline = performance.now() + timeoutMs;
    this.lift = runAfter(timeoutMs, () => this.signal.abort(tooLate(timeoutMs)));
  }
}

function tooLate(timeoutMs: number): GatewayError {
  return new GatewayError('UPSTREAM_TIMEOUT', {
    message: `The operation took longer than ${timeoutMs} ms. The calls without a response by then were given up.`,
  });
}
