import { CancelSource, type CancelSignal } from '../cancellation.ts';
import type { Loaders } from '../lists/loaders.ts';
import type { Moment } from '../paging/moment.ts';
import type { Arguments } from '../upstream/arguments.ts';
import { createArrivals, type ArrivalsOf } from './arrivals.ts';
import type { DeliveryStream, EventId } from './delivery-event.ts';
import { DeliveryQueue } from './delivery-queue.ts';
import { readNewest, readSince, type ReadingOptions } from './delivery-reading.ts';
import { advance, emptyWindow, watermarkOf, type DeliveryWindow } from './delivery-window.ts';
import type { SeenDeliveries } from './event-id.ts';
import { createListClock, type ListClock } from './list-clock.ts';
import { pollRepeatedly, type PaceOptions } from './poll-pace.ts';
import { createReturningReaders, type ReturningReaders } from './returning-readers.ts';

export interface FeedOptions extends ReadingOptions, PaceOptions {
  /** How many deliveries may wait for one reader when more come. */
  readonly mostWaiting: number;
  /** In milliseconds since 1970; absent: the machine's clock. */
  readonly readClock?: () => number;
}

/** The list of deliveries that a feed polls. */
export interface FeedSource {
  /** Names the list in the ids of its events: its endpoint and filter. */
  readonly list: string;
  readonly args: Arguments;
  /** Makes the loaders of one poll. */
  readonly connect: (signal: CancelSignal) => Loaders;
}

const nobody = new Error('Nobody follows the deliveries any more.');

/** One list of deliveries that is polled for all who follow it. */
export class DeliveryFeed {
  readonly #source: FeedSource;
  readonly #options: FeedOptions;
  readonly #whenOver: () => void;
  readonly #clock: ListClock;
  readonly #returning: ReturningReaders;
  readonly #arrivals: ArrivalsOf;
  readonly #cancel = new CancelSource();
  readonly #queues = new Set<DeliveryQueue>();
  /** Resolves to the id of all that was in the list at the first reading. */
  readonly #firstId = Promise.withResolvers<EventId>();
  #window = emptyWindow;
  /** The id of all that is in the list; null until the first reading has ended. */
  #currentId: EventId | null = null;

  /**
   * Makes a feed that begins to poll at once. A failure that may pass is waited out, and the list read on from where it was;
   * any other failure ends all streams. `whenOver` runs once, as soon as nobody can follow any more.
   */
  static start(source: FeedSource, options: FeedOptions, whenOver: () => void): DeliveryFeed {
    const feed = new DeliveryFeed(source, options, whenOver);
    feed
      .#run()
      .catch((error: unknown) =>
        feed.end(error instanceof Error ? error : new Error('Polling failed.', { cause: error })),
      );
    return feed;
  }

  private constructor(source: FeedSource, options: FeedOptions, whenOver: () => void) {
    this.#source = source;
    this.#options = options;
    this.#whenOver = whenOver;
    this.#clock = createListClock(options.readClock);
    this.#returning = createReturningReaders({ ...options, clock: this.#clock });
    this.#arrivals = createArrivals(source.list, options.overlapMs);
    // A failure reaches those who wait in `follow`; all of them may have left.
    this.#firstId.promise.catch(() => {});
  }

  /** How many streams follow it. */
  get size(): number {
    return this.#queues.size;
  }

  /**
   * Resolves when the deliveries that appear from then on will be sent; before them come those that have appeared since
   * `seen`, if that is given. Throws the failure of the first reading, or the reason of the signal. The follower leaves when
   * the signal aborts, and polling ends when the last follower leaves.
   */
  async follow(signal: CancelSignal, seen: SeenDeliveries | null): Promise<DeliveryStream> {
    const aborted = Promise.withResolvers<never>();
    const abort = (): void => {
      aborted.reject(signal.reason);
      queue.end();
    };
    const queue = new DeliveryQueue(this.#options.mostWaiting, () => {
      signal.removeEventListener('abort', abort);
      this.#remove(queue);
    });
    this.#queues.add(queue);
    if (seen !== null) this.#returning.add(queue, seen);
    // Read before the wait: what is pushed to the queue during it has not been sent yet.
    const joinedAt = this.#currentId;
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort);
    const firstId = await Promise.race([aborted.promise, this.#firstId.promise]);
    const eventId = seen === null ? (joinedAt ?? firstId) : this.#arrivals.idOfSeen(seen);
    return { eventId, events: queue };
  }

  /** Ends all streams, with the failure as their last event. */
  end(failure: Error): void {
    this.#firstId.reject(failure);
    for (const queue of this.#queues) queue.end(failure);
  }

  async #run(): Promise<void> {
    await this.#readFirst();
    const firstWaitMs = this.#returning.size > 0 ? 0 : this.#options.pollMs;
    await pollRepeatedly(() => this.#poll(), firstWaitMs, this.#cancel, this.#options);
  }

  async #readFirst(): Promise<void> {
    const { args, connect } = this.#source;
    const newest = await readNewest(args, connect(this.#cancel), this.#options, this.#clock);
    const now = this.#clock.now();
    const { window } = advance(emptyWindow, newest, this.#options.overlapMs, now);
    this.#firstId.resolve(this.#moveTo(window, now));
  }

  async #poll(): Promise<void> {
    const { overlapMs } = this.#options;
    const before = this.#window;
    const { args, connect } = this.#source;
    const loaders = connect(this.#cancel);
    const { rows, returned } = await this.#returning.read(watermarkOf(before, overlapMs), (moment) =>
      readSince(moment, args, loaders, this.#options),
    );
    this.#clock.check(rows);
    const now = this.#clock.now();
    const missed = await this.#arrivals.missed(returned, rows, now);
    const { window, fresh } = advance(before, rows, overlapMs, now);
    const arrivals = this.#arrivals.fresh(before, fresh, now);
    this.#moveTo(window, now);
    for (const queue of this.#queues) if (!this.#returning.has(queue)) queue.push(arrivals);
    for (const [queue, own] of missed) {
      this.#returning.delete(queue);
      queue.push(own);
    }
  }

  #moveTo(window: DeliveryWindow, now: Moment): EventId {
    this.#window = window;
    return (this.#currentId = this.#arrivals.idOfWindow(window, now));
  }

  #remove(queue: DeliveryQueue): void {
    this.#queues.delete(queue);
    this.#returning.delete(queue);
    if (this.#queues.size > 0 || this.#cancel.aborted) return;
    this.#cancel.abort(nobody);
    this.#whenOver();
  }
}
