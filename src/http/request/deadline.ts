import { deadlineSweepMs } from '../../bounds.ts';
import { CancelSource, type CancelSignal } from '../../cancellation.ts';
import { GatewayError } from '../../errors.ts';
import type { Lifetime } from './lifetime.ts';
import { Linked, LinkedSet } from './linked-set.ts';

export interface Deadline {
  /**
   * Aborts with UPSTREAM_TIMEOUT when the time is up, with the process's own reason when it stops, and when the exchange has
   * ended in any way.
   */
  readonly signal: CancelSignal;
  /** The moment of the deadline, by performance.now() in milliseconds. */
  readonly deadline: number;
  /** Removes the time limit. The signal still aborts when the process stops or the exchange ends. */
  lift(): void;
}

const over = new Error('The exchange is over.');

/**
 * The deadlines of exchanges, all of one length: each is the one for all upstream calls of its exchange, so that no call goes on when
 * nobody waits for it. One timer looks at all of them, since a timer for each would cost more than all else about it. So a signal
 * aborts up to `deadlineSweepMs` late, and no later than by a tenth of its time.
 */
export class Deadlines {
  readonly #timeoutMs: number;
  readonly #stopping: CancelSignal | null;
  /** In the order in which they end. */
  readonly #open = new LinkedSet<OpenDeadline>();
  readonly #lifted = new LinkedSet<OpenDeadline>();
  #sweep: NodeJS.Timeout | null = null;

  constructor(timeoutMs: number, stopping: CancelSignal | null = null) {
    this.#timeoutMs = timeoutMs;
    this.#stopping = stopping;
    stopping?.addEventListener('abort', () => {
      for (const deadline of [...this.#open, ...this.#lifted]) deadline.signal.abort(stopping.reason);
    });
  }

  /** Begins the deadline of an exchange. */
  begin(exchange: Lifetime): Deadline {
    const deadline = new OpenDeadline(performance.now() + this.#timeoutMs, this.#open, this.#lifted);
    const end = (): void => {
      if (!this.#open.delete(deadline)) this.#lifted.delete(deadline);
      deadline.signal.abort(exchange.signal.aborted ? exchange.signal.reason : over);
    };
    if (this.#stopping?.aborted === true) deadline.signal.abort(this.#stopping.reason);
    // The client may have left while its request was being read. Then `whenEnded` would never run.
    if (exchange.signal.aborted) {
      end();
      return deadline;
    }
    this.#open.add(deadline);
    if (this.#sweep === null) this.#sweep = this.#sweepLater();
    exchange.whenEnded(end);
    return deadline;
  }

  #sweepLater(): NodeJS.Timeout {
    return setTimeout(() => this.#endDue(), Math.min(deadlineSweepMs, this.#timeoutMs / 10)).unref();
  }

  #endDue(): void {
    const now = performance.now();
    try {
      // What waits for one deadline may end others.
      for (let due = this.#open.first; due !== null && due.deadline <= now; due = this.#open.first) {
        this.#open.delete(due);
        due.signal.abort(tooLate(this.#timeoutMs));
      }
    } finally {
      // Whatever a listener throws, the other deadlines have their sweep.
      this.#sweep = this.#open.first === null ? null : this.#sweepLater();
    }
  }
}

class OpenDeadline extends Linked implements Deadline {
  readonly signal = new CancelSource();
  readonly deadline: number;
  readonly #open: LinkedSet<OpenDeadline>;
  readonly #lifted: LinkedSet<OpenDeadline>;

  constructor(deadline: number, open: LinkedSet<OpenDeadline>, lifted: LinkedSet<OpenDeadline>) {
    super();
    this.deadline = deadline;
    this.#open = open;
    this.#lifted = lifted;
  }

  lift(): void {
    if (this.#open.delete(this)) this.#lifted.add(this);
  }
}

function tooLate(timeoutMs: number): GatewayError {
  return new GatewayError('UPSTREAM_TIMEOUT', {
    message: `The operation took longer than ${timeoutMs} ms. The calls without a response by then were given up.`,
  });
}
