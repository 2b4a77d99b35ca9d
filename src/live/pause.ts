import type { CancelSignal } from '../cancellation.ts';

/** Waits, but not longer than until the signal aborts. */
export function pause(milliseconds: number, signal: CancelSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', wake);
      resolve();
    };
    const timer = setTimeout(wake, milliseconds);
    if (signal.aborted) wake();
    else signal.addEventListener('abort', wake);
  });
}
