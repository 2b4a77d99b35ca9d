import type { CancelSignal } from '../cancellation.ts';
import type { DeliveryRecords } from './delivery-reading.ts';

/** A feed as the other processes see it: one of them polls the list, and the others get what it finds. */
export interface FeedShare {
  /**
   * Reads the list, and hands on what is new in it, if this process polls for all. Where `read` rejects, so does this, and another
   * process may poll, if there is one that can.
   */
  reading(read: () => Promise<DeliveryRecords>): Promise<void>;
  /**
   * Waits until this process has to read the list itself: for so many milliseconds where it polls; else until the others are
   * gone, or something of theirs is missing, or `isWanted` says so and the time is up. Ends with the signal.
   */
  wait(milliseconds: number, signal: CancelSignal, isWanted: () => boolean): Promise<void>;
  /** Leaves the feed to the others. */
  close(): void;
}

/** Runs with what another process has found, the oldest first. */
export type TakeDeliveries = (fresh: DeliveryRecords) => void;

/** What a feed is to its caller: the key that seals it, and the list, by its endpoint and filter. */
interface SharedFeedName {
  readonly key: string;
  readonly identity: string;
  readonly list: string;
}

/** The share of a process that has no others. */
export const alone: FeedShare = {
  reading: async (read) => void (await read()),
  wait: (milliseconds, signal) => new Sleep().begin(milliseconds, signal),
  close: () => {},
};

export type ShareFeed = (feed: SharedFeedName, pollMs: number, take: TakeDeliveries) => FeedShare;

/** A sleep that a message can end. A message that comes between two sleeps ends the next one. */
export class Sleep {
  #wake: (() => void) | null = null;
  #isMissed = false;

  wake(): void {
    this.#isMissed = true;
    this.#wake?.();
  }

  /** Sleeps for so many milliseconds at most, until the signal aborts, or until it is woken. */
  begin(milliseconds: number, signal: CancelSignal): Promise<void> {
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
