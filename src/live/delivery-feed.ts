import { CancelSource, type CancelSignal } from '../cancellation.ts';
import type { Loaders } from '../lists/loaders.ts';
import type { Moment } from '../paging/moment.ts';
import type { Arguments } from '../upstream/arguments.ts';
import type { WebhookDeliveryRecord } from '../resources/webhook-delivery.ts';
import { createArrivals, type ArrivalsOf } from './arrivals.ts';
import type { DeliveryStream, EventId } from './delivery-event.ts';
import type { FeedShare, TakeDeliveries } from './feed-share.ts';
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
  /** Shares the feed with the other processes; `take` runs with what they have found. */
  readonly share: (take: TakeDeliveries) => FeedShare;
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
  readonly #share: FeedShare;
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
    this.#share = source.share((fresh) => this.#take(fresh));
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
    await this.#sharing(() => this.#readFirst());
    const firstWaitMs = this.#returning.size > 0 ? 0 : this.#options.pollMs;
    const poll = (): Promise<void> => this.#sharing(() => this.#poll());
    const wait = (milliseconds: number): Promise<void> =>
      this.#share.wait(milliseconds, this.#cancel, () => this.#returning.size > 0);
    await pollRepeatedly(poll, firstWaitMs, wait, this.#cancel, this.#options);
  }

  /** Reads the list in turn with the other processes, and hands on what is new in it. */
  async #sharing(read: () => Promise<readonly WebhookDeliveryRecord[]>): Promise<void> {
    await this.#share.begin();
    try {
      this.#share.end(await read());
    } catch (error) {
      this.#share.fail();
      throw error;
    }
  }

  async #readFirst(): Promise<readonly WebhookDeliveryRecord[]> {
    const { args, connect } = this.#source;
    const newest = await readNewest(args, connect(this.#cancel), this.#options, this.#clock);
    const now = this.#clock.now();
    const { window } = advance(emptyWindow, newest, this.#options.overlapMs, now);
    this.#firstId.resolve(this.#moveTo(window, now));
    // It was there before anybody followed.
    return [];
  }

  async #poll(): Promise<readonly WebhookDeliveryRecord[]> {
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
    this.#send(window, fresh, now);
    for (const [queue, own] of missed) {
      this.#returning.delete(queue);
      queue.push(own);
    }
    return fresh;
  }

  /** Takes what another process has found. Who comes back waits for a reading that goes back far enough. */
  #take(found: readonly WebhookDeliveryRecord[]): void {
    const now = this.#clock.now();
    const { window, fresh } = advance(this.#window, found, this.#options.overlapMs, now, false);
    this.#send(window, fresh, now);
  }

  #send(window: DeliveryWindow, fresh: readonly WebhookDeliveryRecord[], now: Moment): void {
    const arrivals = this.#arrivals.fresh(this.#window, fresh, now);
    this.#moveTo(window, now);
    for (const queue of this.#queues) if (!this.#returning.has(queue)) queue.push(arrivals);
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
    this.#share.close();
    this.#whenOver();
  }
}
