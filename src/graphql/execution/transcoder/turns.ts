/**
 * Work of many requests, a few milliseconds of it in each round of the event loop. One round may bring the bodies of all of them, and
 * what comes in the meantime, timers too, would wait for all of the work.
 */
export class Turns {
  readonly #mostMs: number;
  readonly #now: () => number;
  /** In the order in which it came. */
  readonly #waiting: (() => void)[] = [];
  /** When the work of this round began; null where none has. */
  #begun: number | null = null;

  constructor(mostMs: number, now: () => number = () => performance.now()) {
    this.#mostMs = mostMs;
    this.#now = now;
  }

  /** Does the work, at once where there is time for it in this round: then none waits. Rejects with what it throws later. */
  take<Result>(work: () => Result): Result | Promise<Result> {
    if (this.#hasTime()) return work();
    return new Promise((resolve, reject) => {
      this.#waiting.push(() => {
        try {
          resolve(work());
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  #hasTime(): boolean {
    if (this.#begun === null) {
      this.#begun = this.#now();
      setImmediate(() => this.#beginRound());
    }
    return this.#now() - this.#begun < this.#mostMs;
  }

  #beginRound(): void {
    this.#begun = null;
    while (this.#waiting.length > 0 && this.#hasTime()) this.#waiting.shift()?.();
  }
}
