import { setImmediate as nextTick } from 'node:timers/promises';
import type { CancelSignal } from './cancellation.ts';

/** Milliseconds of work on large reports and bodies at a stretch, by all requests together: ten thousand numbers take ten times that. */
const sliceMs = 4;

/** Small steps of such work between two looks at the clock: the largest of them takes some ten microseconds. */
const stepsPerLook = 32;

// One clock for the work of all requests: together they may not hold the event loop for longer than one of them.
let begun: number | null = null;

function sliceBegun(): number {
  if (begun === null) {
    begun = performance.now();
    setImmediate(() => {
      begun = null;
    });
  }
  return begun;
}

/** Whether the work of this round of the event loop has taken as long as it may. To be asked at each step that takes a while. */
export function isSliceOver(): boolean {
  return performance.now() - sliceBegun() >= sliceMs;
}

/** Long work in slices, between which everything else has the event loop. */
export class WorkSlices {
  readonly #signal: CancelSignal | undefined;
  #steps = 0;

  /** Work for somebody who may leave. */
  constructor(signal?: CancelSignal) {
    this.#signal = signal;
  }

  /** Whether it is time for others. To be asked at each small step. */
  isOver(): boolean {
    this.#steps++;
    if (this.#steps % stepsPerLook !== 0) return false;
    return isSliceOver();
  }

  /** Does small work for each item in turn, and rests where it is time for others. Throws what the work does, and as `rest`. */
  async each<Item>(items: Iterable<Item>, work: (item: Item) => void): Promise<void> {
    for (const item of items) {
      if (this.isOver()) await this.rest();
      work(item);
    }
  }

  /** Resolves when the others have had their turn. Rejects with the reason of the signal. */
  async rest(): Promise<void> {
    await nextTick();
    if (this.#signal?.aborted === true) throw this.#signal.reason;
  }
}

let waiting: (() => void)[] = [];

/**
 * Does some work soon, which throws nothing, and takes a part of a millisecond or looks at `isSliceOver` in between. Of the work of many,
 * a few milliseconds are done in each round of the event loop: first come, first served, and what is added again waits behind all others.
 */
export function doSoon(work: () => void): void {
  if (waiting.push(work) === 1) setImmediate(doWaiting);
}

function doWaiting(): void {
  sliceBegun();
  let done = 0;
  do waiting[done++]?.();
  while (done < waiting.length && !isSliceOver());
  waiting = waiting.slice(done);
  if (waiting.length > 0) setImmediate(doWaiting);
}
