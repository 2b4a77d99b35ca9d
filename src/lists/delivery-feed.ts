import { Ending, type Signal } from '../ending.ts';
import { gatewayErrorsOf } from '../errors.ts';
import type { Loaders } from '../loaders/loaders.ts';
import type { Arguments } from '../upstream/arguments.ts';
import { createDeliveryQueue, type DeliveryQueue } from './delivery-queue.ts';
import { readNewest, readSince, type ReadingOptions } from './delivery-reading.ts';
import { advance, emptyWindow, watermarkOf, type DeliveryWindow } from './delivery-window.ts';
import { waitAfter, type PaceOptions } from './poll-pace.ts';

export interface FeedOptions extends ReadingOptions, PaceOptions {
  /** How many deliveries may wait for one reader when more come. */
  readonly mostWaiting: number;
}

/** One list of deliveries that is polled for all who follow it. */
export interface DeliveryFeed {
  /** How many follow it. */
  readonly size: number;
  /**
   * Resolves when what appears from then on will be sent; throws why it cannot be, or the reason of the signal. The follower
   * leaves when the signal aborts, and the polling ends with the last of them.
   */
  follow(signal: Signal): Promise<DeliveryQueue>;
  /** Ends all streams, with the failure as their last event. */
  end(failure: Error): void;
}

const nobody = new Error('Nobody follows the deliveries any more.');

/**
 * Begins to poll at once. A failure that may pass is waited out, and the list read on from where it was; any other ends all
 * streams. `connect` is asked for loaders for each poll, `whenOver` runs once, as soon as nobody can follow any more.
 */
export function startFeed(
  args: Arguments,
  connect: (signal: Signal) => Loaders,
  options: FeedOptions,
  whenOver: () => void,
): DeliveryFeed {
  const { overlapMs, pollMs } = options;
  const queues = new Set<DeliveryQueue>();
  const ending = new Ending();
  const begun = Promise.withResolvers<undefined>();
  // Those who wait for it are told; it may be that all of them have left.
  begun.promise.catch(() => {});

  async function poll(): Promise<void> {
    const newest = await readNewest(args, connect(ending), options);
    let { window } = advance(emptyWindow, newest, overlapMs);
    begun.resolve(undefined);
    let failures = 0;
    let waitMs = pollMs;
    for (;;) {
      await rest(waitMs, ending);
      if (ending.aborted) return;
      try {
        window = await pollOnce(window);
        failures = 0;
        waitMs = pollMs;
      } catch (error) {
        const told = gatewayErrorsOf(error);
        if (!told.every(({ retryable }) => retryable)) throw error;
        failures += 1;
        waitMs = waitAfter(failures, told[0]?.retryAfterSeconds, options);
      }
    }
  }

  async function pollOnce(window: DeliveryWindow): Promise<DeliveryWindow> {
    const rows = await readSince(watermarkOf(window, overlapMs), args, connect(ending), options);
    const { window: next, fresh } = advance(window, rows, overlapMs);
    if (fresh.length > 0) for (const queue of queues) queue.push(fresh);
    return next;
  }

  function leave(queue: DeliveryQueue): void {
    queues.delete(queue);
    if (queues.size > 0 || ending.aborted) return;
    ending.abort(nobody);
    whenOver();
  }

  function end(failure: Error): void {
    begun.reject(failure);
    for (const queue of queues) queue.end(failure);
  }

  poll().catch((error: unknown) =>
    end(error instanceof Error ? error : new Error('Polling failed.', { cause: error })),
  );

  return {
    get size() {
      return queues.size;
    },
    async follow(signal) {
      const left = Promise.withResolvers<never>();
      const abort = (): void => {
        left.reject(signal.reason);
        queue.end();
      };
      const queue = createDeliveryQueue(options.mostWaiting, () => {
        signal.removeEventListener('abort', abort);
        leave(queue);
      });
      queues.add(queue);
      if (signal.aborted) abort();
      else signal.addEventListener('abort', abort);
      await Promise.race([left.promise, begun.promise]);
      return queue;
    },
    end,
  };
}

/** Waits, and not longer than until the signal aborts. */
function rest(milliseconds: number, signal: Signal): Promise<void> {
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
