import { Ending, type Signal } from '../ending.ts';

/** How long somebody waits: until `signal` aborts, and not beyond `deadline`, by performance.now() in milliseconds. */
export interface Patience {
  readonly signal: Signal;
  readonly deadline: number;
}

/** One call under way, and how many are waiting for it. */
interface Flight {
  readonly result: Promise<unknown>;
  readonly ending: Ending;
  /** What the call is made with: who joins with more time gives it more time. */
  readonly patience: { readonly signal: Signal; deadline: number };
  passengers: number;
}

export interface SingleFlight {
  /**
   * Starts a call, or joins the one of this key that is under way. Who leaves is answered at once with the reason of its
   * signal and fails nobody else; the call is ended when its last passenger has left. The key must name the caller.
   */
  join<T>(key: string, passenger: Patience, start: (patience: Patience) => Promise<T>): Promise<T>;
}

/** Makes equal calls that are under way at the same time one call. Nothing is kept once it has landed. */
export function createSingleFlight(): SingleFlight {
  const flights = new Map<string, Flight>();

  function launch(key: string, deadline: number, start: (patience: Patience) => Promise<unknown>): Flight {
    const ending = new Ending();
    const patience = { signal: ending, deadline };
    const flight: Flight = { result: start(patience), ending, patience, passengers: 0 };
    flights.set(key, flight);
    const land = (): void => remove(key, flight);
    flight.result.then(land, land);
    return flight;
  }

  function remove(key: string, flight: Flight): void {
    if (flights.get(key) === flight) flights.delete(key);
  }

  function leave(key: string, flight: Flight, reason: unknown): void {
    flight.passengers--;
    if (flight.passengers > 0) return;
    // Whoever comes now must not join a call that is being ended.
    remove(key, flight);
    flight.ending.abort(reason);
  }

  return {
    join<T>(key: string, { signal, deadline }: Patience, start: (patience: Patience) => Promise<T>) {
      // Nothing is begun for who has left already.
      if (signal.aborted) return Promise.reject(signal.reason);
      const flight = flights.get(key) ?? launch(key, deadline, start);
      flight.passengers++;
      flight.patience.deadline = Math.max(flight.patience.deadline, deadline);
      return new Promise<T>((resolve, reject) => {
        const abort = (): void => {
          reject(signal.reason);
          leave(key, flight, signal.reason);
        };
        signal.addEventListener('abort', abort);
        const landed = (): void => signal.removeEventListener('abort', abort);
        flight.result.then(landed, landed);
        flight.result.then((body) => resolve(body as T), reject);
      });
    },
  };
}
