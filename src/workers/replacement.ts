import { replacementMs, steadyMs } from '../bounds.ts';

/** Decides how long to wait before a worker that has ended is replaced. */
export interface Replacement {
  /** The wait before the next worker, in milliseconds; doubled while workers end soon. */
  nextWait(servedMs: number): number;
}

/** The replacement of one worker, and of those that take its place. */
export function createReplacement(): Replacement {
  let waitMs: number = replacementMs.first;
  return {
    nextWait(servedMs) {
      if (servedMs >= steadyMs) waitMs = replacementMs.first;
      const wait = waitMs;
      waitMs = Math.min(replacementMs.longest, waitMs * 2);
      return wait;
    },
  };
}
