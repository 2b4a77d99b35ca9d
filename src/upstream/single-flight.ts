/** One call under way, and how many are waiting for it. */
interface Flight {
  readonly result: Promise<unknown>;
  readonly ending: AbortController;
  passengers: number;
}

export interface SingleFlight {
  /**
   * Starts a call, or joins the one of this key that is under way. Who leaves (`signal`) is answered at once with the reason
   * and fails nobody else; the call is ended when its last passenger has left. The key must name the caller.
   */
  join<T>(key: string, signal: AbortSignal, start: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

/** Makes equal calls that are under way at the same time one call. Nothing is kept once it has landed. */
export function createSingleFlight(): SingleFlight {
  const flights = new Map<string, Flight>();

  function launch(key: string, start: (signal: AbortSignal) => Promise<unknown>): Flight {
    const ending = new AbortController();
    const result = start(ending.signal);
    const flight: Flight = { result, ending, passengers: 0 };
    flights.set(key, flight);
    const land = (): void => remove(key, flight);
    result.then(land, land);
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
    join<T>(key: string, signal: AbortSignal, start: (signal: AbortSignal) => Promise<T>) {
      const flight = flights.get(key) ?? launch(key, start);
      flight.passengers++;
      return new Promise<T>((resolve, reject) => {
        const abort = (): void => {
          reject(signal.reason);
          leave(key, flight, signal.reason);
        };
        if (signal.aborted) return abort();
        signal.addEventListener('abort', abort, { once: true });
        const landed = (): void => signal.removeEventListener('abort', abort);
        flight.result.then(landed, landed);
        return flight.result.then((body) => resolve(body as T), reject);
      });
    },
  };
}
