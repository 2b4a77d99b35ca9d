import { sliceMs } from './bounds.ts';

/**
 * Work of many, a few milliseconds of it in each round of the event loop: whatever else comes has its turn in between. First come,
 * first served, and what adds itself again waits behind all others.
 */
export class TimeSlices {
  readonly #mostMs: number;
  #waiting: (() => void)[] = [];
  #begun = 0;

  constructor(mostMs: number = sliceMs) {
    this.#mostMs = mostMs;
  }

  /** Does some work soon, which takes a part of a millisecond or looks at `isOver` in between. It throws nothing. */
  add(work: () => void): void {
    if (this.#waiting.push(work) === 1) setImmediate(this.#run);
  }

  /** Whether it is time for others; to be asked within the work. */
  get isOver(): boolean {
    return performance.now() - this.#begun >= this.#mostMs;
  }

  readonly #run = (): void => {
    this.#begun = performance.now();
    let done = 0;
    do this.#waiting[done++]?.();
    while (done < this.#waiting.length && !this.isOver);
    this.#waiting = this.#waiting.slice(done);
    if (this.#waiting.length > 0) setImmediate(this.#run);
  };
}
