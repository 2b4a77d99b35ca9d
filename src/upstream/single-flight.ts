import { CancelSource, type CancelSignal } from '../cancellation.ts';
import { TransientMap } from '../transient-map.ts';

/** How long a caller waits: until `signal` aborts, and at most until `deadline`, by performance.now() in milliseconds. */
export interface WaitLimits {
  readonly signal: CancelSignal;
  readonly deadline: number;
}

/** A caller who waits for a call until it settles, or until the caller's signal aborts. */
class Waiter {
  readonly #signal: CancelSignal;
  readonly #resolve: (result: unknown) => void;
  readonly #reject: (error: unknown) => void;
  readonly #leave: (waiter: Waiter) => void;

  constructor(
    signal: CancelSignal,
    resolve: (result: unknown) => void,
    reject: (error: unknown) => void,
    leave: (waiter: Waiter) => void,
  ) {
    this.#signal = signal;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#leave = leave;
    signal.addEventListener('abort', this.#abort);
  }

  resolve(result: unknown): void {
    this.#signal.removeEventListener('abort', this.#abort);
    this.#resolve(result);
  }

  reject(error: unknown): void {
    this.#signal.removeEventListener('abort', this.#abort);
    this.#reject(error);
  }

  readonly #abort = (): void => {
    this.reject(this.#signal.reason);
    this.#leave(this);
  };
}

/** One call under way. It holds no result: V8 keeps what an object in its old space holds for a while. */
interface Flight {
  readonly cancel: CancelSource;
  /** The limits of the call itself: a waiter with more time gives the call more time. */
  readonly waitLimits: { readonly signal: CancelSignal; deadline: number };
  readonly waiters: Set<Waiter>;
}

export interface SingleFlight {
  /**
   * Starts a call, or joins the call of this key that is under way. A waiter whose signal aborts gets the reason at once, and
   * fails no other waiter; the call is cancelled when its last waiter has left. The key must name the caller.
   */
  join<T>(key: string, waitLimits: WaitLimits, start: (waitLimits: WaitLimits) => Promise<T>): Promise<T>;
  /** Closes the call of this key to new waiters; those who wait for it still do. */
  leaveBehind(key: string): void;
}

/** Makes one call of equal calls that are under way at the same time. Nothing is kept once the call has settled. */
export function createSingleFlight(): SingleFlight {
  const flights = new TransientMap<string, Flight>();

  function begin(key: string, deadline: number, start: (waitLimits: WaitLimits) => Promise<unknown>): Flight {
    const cancel = new CancelSource();
    const flight: Flight = { cancel, waitLimits: { signal: cancel, deadline }, waiters: new Set() };
    flights.set(key, flight);
    start(flight.waitLimits).then(
      (result) => settle(key, flight, (waiter) => waiter.resolve(result)),
      (error: unknown) => settle(key, flight, (waiter) => waiter.reject(error)),
    );
    return flight;
  }

  function settle(key: string, flight: Flight, settleOne: (waiter: Waiter) => void): void {
    remove(key, flight);
    for (const waiter of flight.waiters) settleOne(waiter);
    flight.waiters.clear();
  }

  function remove(key: string, flight: Flight): void {
    if (flights.get(key) === flight) flights.delete(key);
  }

  function leave(key: string, flight: Flight, waiter: Waiter, reason: unknown): void {
    flight.waiters.delete(waiter);
    if (flight.waiters.size > 0) return;
    // A new waiter must not join a call that is being cancelled.
    remove(key, flight);
    flight.cancel.abort(reason);
  }

  return {
    leaveBehind: (key) => void flights.delete(key),
    join<T>(key: string, { signal, deadline }: WaitLimits, start: (waitLimits: WaitLimits) => Promise<T>) {
      // No call begins for a caller who has left already.
      if (signal.aborted) return Promise.reject(signal.reason);
      const flight = flights.get(key) ?? begin(key, deadline, start);
      flight.waitLimits.deadline = Math.max(flight.waitLimits.deadline, deadline);
      return new Promise<T>((resolve, reject) => {
        const leaveThis = (waiter: Waiter): void => leave(key, flight, waiter, signal.reason);
        flight.waiters.add(new Waiter(signal, resolve as (result: unknown) => void, reject, leaveThis));
      });
    },
  };
}
