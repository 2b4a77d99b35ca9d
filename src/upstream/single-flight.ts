import { CancelSource, type CancelSignal } from '../cancellation.ts';
import { Linked, LinkedSet } from '../linked-set.ts';
import { TransientMap } from '../transient-map.ts';

/** How long a caller waits: until `signal` aborts, and at most until `deadline`, by performance.now() in milliseconds. */
export interface WaitLimits {
  readonly signal: CancelSignal;
  readonly deadline: number;
}

/** A caller who waits for a call until it settles, or until the caller's signal aborts. */
export abstract class Waiter<T> extends Linked {
  readonly limits: WaitLimits;
  #flight: Flight<T> | null = null;

  constructor(limits: WaitLimits) {
    super();
    this.limits = limits;
  }

  /** One of the two is called, once, and does not throw. */
  abstract answered(result: T): void;
  abstract failed(error: unknown): void;

  begin(flight: Flight<T>): void {
    this.#flight = flight;
    this.limits.signal.addEventListener('abort', this.#abort);
  }

  end(): void {
    this.limits.signal.removeEventListener('abort', this.#abort);
  }

  readonly #abort = (): void => {
    this.end();
    this.failed(this.limits.signal.reason);
    this.#flight?.leave(this);
  };
}

/**
 * One call under way for all who wait for it. It holds no result: V8 keeps what an object in its old space holds for a while. Its
 * limits are those of the call itself: a waiter with more time gives the call more time.
 */
export abstract class Flight<T> implements WaitLimits {
  readonly signal = new CancelSource();
  deadline = -Infinity;
  readonly #waiters = new LinkedSet<Waiter<T>>();
  #close: (() => void) | null = null;

  /** Makes the call, and has it `settle` or `fail`, maybe at once. Does not throw. */
  abstract start(): void;

  open(close: () => void): void {
    this.#close = close;
  }

  /** Closes the call to new waiters; those who wait for it still do. */
  close(): void {
    this.#close?.();
    this.#close = null;
  }

  add(waiter: Waiter<T>): void {
    this.deadline = Math.max(this.deadline, waiter.limits.deadline);
    this.#waiters.add(waiter);
    waiter.begin(this);
  }

  leave(waiter: Waiter<T>): void {
    this.#waiters.delete(waiter);
    if (this.#waiters.first !== null) return;
    // A new waiter must not join a call that is being cancelled.
    this.close();
    this.signal.abort(waiter.limits.signal.reason);
  }

  protected settle(result: T): void {
    this.close();
    for (let waiter = this.#next(); waiter !== null; waiter = this.#next()) waiter.answered(result);
  }

  protected fail(error: unknown): void {
    this.close();
    for (let waiter = this.#next(); waiter !== null; waiter = this.#next()) waiter.failed(error);
  }

  /** The next one who does not wait any longer; null where there is none. */
  #next(): Waiter<T> | null {
    const waiter = this.#waiters.first;
    if (waiter === null) return null;
    this.#waiters.delete(waiter);
    waiter.end();
    return waiter;
  }
}

/** Makes one call of equal calls that are under way at the same time. Nothing is kept once the call has settled. */
export class SingleFlight {
  readonly #open = new TransientMap<string, Flight<never>>();

  /**
   * Starts a call, or joins the call of this key that is under way; whether it has joined. A waiter whose signal aborts fails with
   * the reason at once, and fails no other waiter; the call is cancelled when its last waiter has left. The key must name the caller.
   */
  join<T>(key: string, waiter: Waiter<T>, create: () => Flight<T>): boolean {
    const { signal } = waiter.limits;
    // No call begins for a caller who has left already.
    if (signal.aborted) {
      waiter.failed(signal.reason);
      return false;
    }
    const known = this.#open.get(key) as Flight<T> | undefined;
    const flight = known ?? create();
    flight.add(waiter);
    if (known !== undefined) return true;
    this.#open.set(key, flight);
    flight.open(() => void this.#open.delete(key));
    flight.start();
    return false;
  }

  /** Closes the call of this key to new waiters; those who wait for it still do. */
  leaveBehind(key: string): void {
    this.#open.get(key)?.close();
  }
}
