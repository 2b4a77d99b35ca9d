import { setImmediate as nextTick } from 'node:timers/promises';
import { sliceMs, stepsPerLook } from '../bounds.ts';

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
  #steps = 0;

  /** Whether it is time for others. To be asked at each small step. */
  isOver(): boolean {
    this.#steps++;
    if (this.#steps % stepsPerLook !== 0) return false;
    return performance.now() - sliceBegun() >= sliceMs;
  }

  /** Resolves when the others have had their turn. */
  async rest(): Promise<void> {
    await nextTick();
  }
}
