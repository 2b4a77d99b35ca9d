import { Ending, type Signal } from '../cancellation.ts';

/** How long somebody waits: until `signal` aborts, and not beyond `deadline`, by performance.now() in milliseconds. */
export interface Patience {
  readonly signal: Signal;
  readonly deadline: number;
}

/** One who waits for a call. */
interface Passenger {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** One call under way. It holds no result: what V8 has moved to its old space keeps for a while what hangs on it. */
interface Flight {
  readonly ending: Ending;
  /** What the call is made with: who joins with more time gives it more time. */
  readonly patience: { readonly signal: Signal; deadline: number };
  readonly passengers: Set<Passenger>;
}

export interface SingleFlight {
  /**
   * Starts a call, or joins the one of this key that is under way. Who leaves is answered at once with the reason of its
   * signal and fails nobody else; the call is ended when its last passenger has left. The key must name the caller.
   */
  join<T>(key: string, passenger: Patience, start: (patience: Patience) => Promise<T>): Promise<T>;
  /** Has nobody join the call of this key any more; who waits for it still does. */
  leaveBehind(key: string): void;
}

/** Makes equal calls that are under way at the same time one call. Nothing is kept once it has landed. */
export function createSingleFlight(): SingleFlight {
  const flights = new Map<string, Flight>();

  function launch(key: string, deadline: number, start: (patience: Patience) => Promise<unknown>): Flight {
    const ending = new Ending();
    const flight: Flight = { ending, patience: { signal: ending, deadline }, passengers: new Set() };
    flights.set(key, flight);
    start(flight.patience).then(
      (result) => land(key, flight, (passenger) => passenger.resolve(result)),
      (error: unknown) => land(key, flight, (passenger) => passenger.reject(error)),
    );
    return flight;
  }

  function land(key: string, flight: Flight, settle: (passenger: Passenger) => void): void {
    remove(key, flight);
    for (const passenger of flight.passengers) settle(passenger);
    flight.passengers.clear();
  }

  function remove(key: string, flight: Flight): void {
    if (flights.get(key) === flight) flights.delete(key);
  }

  function leave(key: string, flight: Flight, passenger: Passenger, reason: unknown): void {
    flight.passengers.delete(passenger);
    if (flight.passengers.size > 0) return;
    // Whoever comes now must not join a call that is being ended.
    remove(key, flight);
    flight.ending.abort(reason);
  }

  return {
    leaveBehind: (key) => void flights.delete(key),
    join<T>(key: string, { signal, deadline }: Patience, start: (patience: Patience) => Promise<T>) {
      // Nothing is begun for who has left already.
      if (signal.aborted) return Promise.reject(signal.reason);
      const flight = flights.get(key) ?? launch(key, deadline, start);
      flight.patience.deadline = Math.max(flight.patience.deadline, deadline);
      return new Promise<T>((resolve, reject) => {
        const abort = (): void => {
          signal.removeEventListener('abort', abort);
          reject(signal.reason);
          leave(key, flight, passenger, signal.reason);
        };
        const settled =
          <Value>(settle: (value: Value) => void) =>
          (value: Value): void => {
            signal.removeEventListener('abort', abort);
            settle(value);
          };
        const passenger: Passenger = {
          resolve: settled(resolve as (result: unknown) => void),
          reject: settled(reject),
        };
        flight.passengers.add(passenger);
        signal.addEventListener('abort', abort);
      });
    },
  };
}
