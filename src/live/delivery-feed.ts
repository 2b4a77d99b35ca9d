import { CancelSource, type CancelSignal } from '../cancellation.ts';
import { gatewayErrorsOf } from '../errors.ts';
import type { Moment } from '../paging/moment.ts';
import type { Loaders } from '../lists/loaders.ts';
import type { Arguments } from '../upstream/arguments.ts';
import { createArrivals } from './arrivals.ts';
import type { DeliveryStream, EventId } from './delivery-event.ts';
import { createDeliveryQueue, type DeliveryQueue } from './delivery-queue.ts';
import { readNewest, readSince, type ReadingOptions } from './delivery-reading.ts';
import { advance, emptyWindow, watermarkOf, type DeliveryWindow } from './delivery-window.ts';
import type { SeenDeliveries } from './event-id.ts';
import { waitAfter, type PaceOptions } from './poll-pace.ts';
import { createListClock } from './list-clock.ts';
import { createReturningReaders } from './returning-readers.ts';

export interface FeedOptions extends ReadingOptions, PaceOptions {
  /** How many deliveries may wait for one reader when more come. */
  readonly mostWaiting: number;
  /** The machine's clock where nothing is said, in milliseconds since 1970. */
  readonly readClock?: () => number;
}

/** One list of deliveries that is polled for all who follow it. */
export interface DeliveryFeed {
  /** How many follow it. */
  readonly size: number;
  /**
   * Resolves when what appears from then on will be sent, and before it what has appeared since `seen`, if that is given; throws
   * why it cannot be, or the reason of the signal. The follower leaves when the signal aborts, and the polling ends with the
   * last of them.
   */
  follow(signal: CancelSignal, seen: SeenDeliveries | null): Promise<DeliveryStream>;
  /** Ends all streams, with the failure as their last event. */
  end(failure: Error): void;
}

/** Where the deliveries of a feed are: a list, named for the ids of its events, and who reads it. */
export interface FeedSource {
  readonly list: string;
  readonly args: Arguments;
  /** Asked for loaders for each poll. */
  readonly connect: (signal: CancelSignal) => Loaders;
}

const nobody = new Error('Nobody follows the deliveries any more.');

/**
 * Begins to poll at once. A failure that may pass is waited out, and the list read on from where it was; any other ends all
 * streams. `whenOver` runs once, as soon as nobody can follow any more.
 */
export function startFeed(
  { list, args, connect }: FeedSource,
  options: FeedOptions,
  whenOver: () => void,
): DeliveryFeed {
  const { overlapMs, pollMs } = options;
  const queues = new Set<DeliveryQueue>();
  const clock = createListClock(options.readClock);
  const returning = createReturningReaders({ ...options, clock });
  const arrivalsOf = createArrivals(list, overlapMs);
  const cancel = new CancelSource();
  /** Resolves with the place at which the list was when it was looked at for the first time. */
  const begun = Promise.withResolvers<EventId>();
  // Those who wait for it are told; it may be that all of them have left.
  begun.promise.catch(() => {});
  let window = emptyWindow;
  /** The id of all that is there; null until the list has been looked at for the first time. */
  let place: EventId | null = null;

  async function poll(): Promise<void> {
    const newest = await readNewest(args, connect(cancel), options, clock);
    const beginning = clock.now();
    begun.resolve(moveTo(advance(emptyWindow, newest, overlapMs, beginning).window, beginning));
    let failures = 0;
    let waitMs = returning.size > 0 ? 0 : pollMs;
    for (;;) {
      await rest(waitMs, cancel);
      if (cancel.aborted) return;
      try {
        await pollOnce();
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

  async function pollOnce(): Promise<void> {
    const before = window;
    const loaders = connect(cancel);
    const { rows, returned } = await returning.read(watermarkOf(before, overlapMs), (moment) =>
      readSince(moment, args, loaders, options),
    );
    clock.check(rows);
    const now = clock.now();
    const missed = await arrivalsOf.missed(returned, rows, now);
    const { window: next, fresh } = advance(before, rows, overlapMs, now);
    const arrivals = arrivalsOf.fresh(before, fresh, now);
    moveTo(next, now);
    for (const queue of queues) if (!returning.has(queue)) queue.push(arrivals);
    for (const [queue, own] of missed) {
      returning.delete(queue);
      queue.push(own);
    }
  }

  function moveTo(next: DeliveryWindow, now: Moment): EventId {
    window = next;
    return (place = arrivalsOf.place(next, now));
  }

  function leave(queue: DeliveryQueue): void {
    queues.delete(queue);
    returning.delete(queue);
    if (queues.size > 0 || cancel.aborted) return;
    cancel.abort(nobody);
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
    async follow(signal, seen) {
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
      if (seen !== null) returning.add(queue, seen);
      // Of this moment: what is pushed while it is awaited has not been sent yet.
      const joined = place;
      if (signal.aborted) abort();
      else signal.addEventListener('abort', abort);
      const first = await Promise.race([left.promise, begun.promise]);
      const eventId = seen === null ? (joined ?? first) : arrivalsOf.seen(seen);
      return { eventId, events: queue };
    },
    end,
  };
}

/** Waits, and not longer than until the signal aborts. */
function rest(milliseconds: number, signal: CancelSignal): Promise<void> {
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
