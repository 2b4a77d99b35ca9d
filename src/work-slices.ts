import { setImmediate as nextTick } from 'node:timers/promises';
import type { CancelSignal } from './cancellation.ts';
import { sliceMs, stepsPerLook } from './bounds.ts';

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
    return this.isOverNow();
  }

  /** As `isOver`, to be asked at each step that takes a while. */
  isOverNow(): boolean {
    return performance.now() - sliceBegun() >= sliceMs;
  }

  /** Resolves when the others have had their turn. Rejects with the reason of the signal. */
  async rest(): Promise<void> {
    await nextTick();
    if (this.#signal?.aborted === true) throw this.#signal.reason;
  }
}
