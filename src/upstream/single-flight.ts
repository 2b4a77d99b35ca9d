import { CancelSource, type CancelSignal } from '../cancellation.ts';

/** How long somebody waits: until `signal` aborts, and not beyond `deadline`, by performance.now() in milliseconds. */
export interface WaitLimits {
  readonly signal: CancelSignal;
  readonly deadline: number;
}

/** One who waits for a call. */
interface Waiter {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** One call under way. It holds no result: what V8 has moved to its old space keeps for a while what hangs on it. */
interface Flight {
  readonly cancel: CancelSource;
  /** What the call is made with: who joins with more time gives it more time. */
  readonly waitLimits: { readonly signal: CancelSignal; deadline: number };
  readonly waiters: Set<Waiter>;
}

export interface SingleFlight {
  /**
   * Starts a call, or joins the one of this key that is under way. Who leaves is answered at once with the reason of its
   * signal and fails nobody else; the call is ended when its last passenger has left. The key must name the caller.
   */
  join<T>(key: string, passenger: WaitLimits, start: (waitLimits: WaitLimits) => Promise<T>): Promise<T>;
  /** Has nobody join the call of this key any more; who waits for it still does. */
  leaveBehind(key: string): void;
}

/** Makes equal calls that are under way at the same time one call. Nothing is kept once it has landed. */
export function createSingleFlight(): SingleFlight {
  const flights = new Map<string, Flight>();

  function launch(key: string, deadline: number, start: (waitLimits: WaitLimits) => Promise<unknown>): Flight {
    const cancel = new CancelSource();
    const flight: Flight = { cancel, waitLimits: { signal: cancel, deadline }, waiters: new Set() };
    flights.set(key, flight);
    start(flight.waitLimits).then(
      (result) => land(key, flight, (waiter) => waiter.resolve(result)),
      (error: unknown) => land(key, flight, (waiter) => waiter.reject(error)),
    );
    return flight;
  }

  function land(key: string, flight: Flight, settle: (waiter: Waiter) => void): void {
    remove(key, flight);
    for (const waiter of flight.waiters) settle(waiter);
    flight.waiters.clear();
  }

  function remove(key: string, flight: Flight): void {
    if (flights.get(key) === flight) flights.delete(key);
  }

  function leave(key: string, flight: Flight, waiter: Waiter, reason: unknown): void {
    flight.waiters.delete(waiter);
    if (flight.waiters.size > 0) return;
    // Whoever comes now must not join a call that is being ended.
    remove(key, flight);
    flight.cancel.abort(reason);
  }

  return {
    leaveBehind: (key) => void flights.delete(key),
    join<T>(key: string, { signal, deadline }: WaitLimits, start: (waitLimits: WaitLimits) => Promise<T>) {
      // Nothing is begun for who has left already.
      if (signal.aborted) return Promise.reject(signal.reason);
      const flight = flights.get(key) ?? launch(key, deadline, start);
      flight.waitLimits.deadline = Math.max(flight.waitLimits.deadline, deadline);
      return new Promise<T>((resolve, reject) => {
        const abort = (): void => {
          signal.removeEventListener('abort', abort);
          reject(signal.reason);
          leave(key, flight, waiter, signal.reason);
        };
        const settled =
          <Value>(settle: (value: Value) => void) =>
          (value: Value): void => {
            signal.removeEventListener('abort', abort);
            settle(value);
          };
        const waiter: Waiter = {
          resolve: settled(resolve as (result: unknown) => void),
          reject: settled(reject),
        };
        flight.waiters.add(waiter);
        signal.addEventListener('abort', abort);
      });
    },
  };
}
