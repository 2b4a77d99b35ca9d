import { CancelSource, type CancelSignal } from '../cancellation.ts';
import { Linked, LinkedSet, TransientMap } from '../transient-collections.ts';

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
class Flight<T> implements WaitLimits {
  readonly signal = new CancelSource();
  deadline = -Infinity;
  readonly #waiters = new LinkedSet<Waiter<T>>();
  #close: (() => void) | null;

  constructor(close: () => void) {
    this.#close = close;
  }

  make(make: MakeCall<T>): void {
    make(this).then(
      (result) => this.#end((waiter) => waiter.answered(result)),
      (error: unknown) => this.#end((waiter) => waiter.failed(error)),
    );
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

  #end(tell: (waiter: Waiter<T>) => void): void {
    this.close();
    for (let waiter = this.#waiters.first; waiter !== null; waiter = this.#waiters.first) {
      this.#waiters.delete(waiter);
      waiter.end();
      tell(waiter);
    }
  }
}

/** Makes a call within the limits of all who wait for it. */
export type MakeCall<T> = (limits: WaitLimits) => Promise<T>;

/** Makes one call of equal calls that are under way at the same time. Nothing is kept once the call has settled. */
export class SingleFlight {
  readonly #open = new TransientMap<string, Flight<never>>();

  /**
   * Starts a call, or joins the call of this key that is under way; whether it has joined. A waiter whose signal aborts fails with
   * the reason at once, and fails no other waiter; the call is cancelled when its last waiter has left. The key must name the caller.
   */
  join<T>(key: string, waiter: Waiter<T>, make: MakeCall<T>): boolean {
    const { signal } = waiter.limits;
    // No call begins for a caller who has left already.
    if (signal.aborted) {
      waiter.failed(signal.reason);
      return false;
    }
    const known = this.#open.get(key) as Flight<T> | undefined;
    const flight = known ?? new Flight<T>(() => void this.#open.delete(key));
    flight.add(waiter);
    if (known !== undefined) return true;
    this.#open.set(key, flight);
    flight.make(make);
    return false;
  }

  /** Closes the call of this key to new waiters; those who wait for it still do. */
  leaveBehind(key: string): void {
    this.#open.get(key)?.close();
  }
}
