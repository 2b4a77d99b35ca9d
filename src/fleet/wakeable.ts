import type { CancelSignal } from '../cancellation.ts';

/** A sleep that a message can end. A message that comes between two sleeps ends the next one. */
export class Wakeable {
  #wake: (() => void) | null = null;
  #isMissed = false;

  wake(): void {
    this.#isMissed = true;
    this.#wake?.();
  }

  /** Sleeps for so many milliseconds at most, until the signal aborts, or until it is woken. */
  sleep(milliseconds: number, signal: CancelSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        this.#wake = null;
        this.#isMissed = false;
        resolve();
      };
      const timer = setTimeout(end, milliseconds);
      if (signal.aborted || this.#isMissed) return end();
      signal.addEventListener('abort', end);
      this.#wake = end;
    });
  }
}
