/** Nothing came in time. */
export class TimeoutError extends Error {}

/**
 * A time of so many milliseconds, after which a function runs. A process that was busy, or stood still, reads first what has come
 * meanwhile: sockets are read behind timers. It keeps no process alive.
 */
export class Countdown {
  readonly #milliseconds: number;
  readonly #run: () => void;
  #timer: NodeJS.Timeout | null = null;
  #due: NodeJS.Immediate | undefined;

  constructor(milliseconds: number, run: () => void) {
    this.#milliseconds = milliseconds;
    this.#run = run;
  }

  /** Begins the time, or begins it anew. */
  begin(): void {
    this.end();
    this.#timer = setTimeout(() => (this.#due = setImmediate(this.#run)), this.#milliseconds).unref();
  }

  /** Begins the time anew where it has begun. */
  restart(): void {
    if (this.#timer !== null) this.begin();
  }

  end(): void {
    if (this.#timer === null) return;
    clearTimeout(this.#timer);
    clearImmediate(this.#due);
    this.#timer = null;
  }
}

/** Runs a function when so many milliseconds are over, as `Countdown` does, and returns what calls it off. */
export function runAfter(milliseconds: number, run: () => void): () => void {
  const countdown = new Countdown(milliseconds, run);
  countdown.begin();
  return () => countdown.end();
}

/**
 * Waits for a promise so many milliseconds at most, then rejects with a TimeoutError. What it settles with later is ignored, a
 * failure too: whatever stands behind it goes on. The wait keeps no process alive.
 */
export function withTimeout<Value>(promise: Promise<Value>, milliseconds: number): Promise<Value> {
  return new Promise((resolve, reject) => {
    const callOff = runAfter(milliseconds, () => reject(new TimeoutError()));
    promise.then(resolve, reject).finally(callOff);
  });
}
