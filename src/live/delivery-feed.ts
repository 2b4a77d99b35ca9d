import { CancelSource, type CancelSignal } from '../cancellation.ts';
import type { Loaders } from '../lists/loaders.ts';
import type { Moment } from '../paging/moment.ts';
import type { WebhookDeliveryRecord } from '../resources/webhook-delivery.ts';
import { WorkSlices, type TimeSlices } from '../time-slices.ts';
import type { Arguments } from '../upstream/endpoint.ts';
import {
  ConnectionChoice,
  ListClock,
  readNewest,
  readSince,
  waitAfterFailure,
  type PaceOptions,
  type ReadingOptions,
} from './delivery-reading.ts';
import { advance, emptyWindow, watermarkOf, type DeliveryRows, type DeliveryWindow } from './delivery-window.ts';
import { EventIds, type EventId, type MissedArrivals, type SeenDeliveries } from './event-ids.ts';
import type { FeedShare, TakeDeliveries } from './feed-share.ts';
import { ReturningReaders } from './returning-readers.ts';
import { SharedStream, type Execute, type StreamOptions, type StreamWriter } from './shared-stream.ts';
import { StreamReader, type DeliverySource } from './stream-reader.ts';
import { Reading, weightOf, type CallerRoom, type StreamRooms } from './stream-room.ts';

export interface FeedOptions extends ReadingOptions, PaceOptions {
  /** How many deliveries may wait for one reader when more come. */
  readonly mostWaiting: number;
  /** Holds the bytes that wait for readers. */
  readonly rooms: StreamRooms;
  /** In which streams are executed and written. */
  readonly slices: TimeSlices;
}

/** The list of deliveries that a feed polls. */
export interface FeedSource {
  /** Names the list in the ids of its events: its endpoint and filter. */
  readonly list: string;
  readonly args: Arguments;
  /** The connection whose deliveries are followed; null: those of all. */
  readonly connectionId: string | null;
  /** Names the caller. */
  readonly identity: string;
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
  readonly #clock = new ListClock();
  readonly #choice: ConnectionChoice;
  readonly #returning: ReturningReaders;
  readonly #ids: EventIds;
  readonly #share: FeedShare;
  readonly #cancel = new CancelSource();
  readonly #room: CallerRoom;
  readonly #streamOptions: StreamOptions;
  readonly #readers = new Set<StreamReader>();
  /** By the keys that their readers have given. */
  readonly #streams = new Map<string, SharedStream>();
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
    this.#room = options.rooms.of(source.identity);
    this.#room.enter();
    this.#streamOptions = { room: this.#room, slices: options.slices, mostWaiting: options.mostWaiting };
    this.#choice = new ConnectionChoice(source.connectionId, options);
    this.#returning = new ReturningReaders({ ...options, clock: this.#clock });
    this.#ids = new EventIds(source.list, options.overlapMs);
    this.#share = source.share((fresh) => this.#take(fresh));
    // A failure reaches those who wait in `follow`; all of them may have left.
    this.#firstId.promise.catch(() => {});
  }

  /** How many streams follow it. */
  get size(): number {
    return this.#readers.size;
  }

  /**
   * Resolves when the list has been read once. The source has the deliveries that appear from then on; before them come those that
   * have appeared since `seen`, if that is given. Throws the failure of the first reading, or the reason of the signal. The stream
   * leaves when the signal aborts, and polling ends when the last stream leaves.
   */
  async follow(signal: CancelSignal, seen: SeenDeliveries | null): Promise<DeliverySource> {
    const aborted = Promise.withResolvers<never>();
    const abort = (): void => {
      aborted.reject(signal.reason);
      reader.leave();
    };
    const reader = new StreamReader(
      this.#streamOptions,
      (key, execute) => this.#streamOf(key, execute),
      () => {
        signal.removeEventListener('abort', abort);
        this.#remove(reader);
      },
    );
    this.#readers.add(reader);
    if (seen !== null) this.#returning.add(reader, seen);
    // Read before the wait: what is pushed during it has not been written yet.
    const joinedAt = this.#currentId;
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort);
    const firstId = await Promise.race([aborted.promise, this.#firstId.promise]);
    reader.eventId = seen === null ? (joinedAt ?? firstId) : this.#ids.ofSeen(seen);
    return reader;
  }

  /** Ends all streams, with the failure as their last event. */
  end(failure: Error): void {
    this.#firstId.reject(failure);
    for (const reader of this.#readers) reader.end(failure);
  }

  #streamOf(key: string, execute: Execute<StreamWriter>): SharedStream {
    const known = this.#streams.get(key);
    if (known !== undefined) return known;
    const stream = new SharedStream(this.#streamOptions, execute, () => this.#streams.delete(key));
    this.#streams.set(key, stream);
    return stream;
  }

  async #run(): Promise<void> {
    await this.#sharing(() => this.#readFirst());
    const isWanted = (): boolean => this.#returning.size > 0;
    let waitMs = isWanted() ? 0 : this.#options.pollMs;
    for (let failures = 0; ;) {
      await this.#share.wait(waitMs, this.#cancel, isWanted);
      if (this.#cancel.aborted) return;
      try {
        await this.#sharing(() => this.#poll());
        failures = 0;
        waitMs = this.#options.pollMs;
      } catch (error) {
        failures += 1;
        waitMs = waitAfterFailure(error, failures, this.#options);
      }
    }
  }

  /** Reads the list while the other processes know of it, and hands on what is new in it. */
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
    const loaders = connect(this.#cancel);
    const newest = await readNewest(args, loaders, this.#options, this.#clock);
    const chosen = await this.#choice.of(newest, loaders);
    const now = this.#clock.now();
    const { window } = advance(emptyWindow, chosen, this.#options.overlapMs, now);
    this.#firstId.resolve(this.#moveTo(window, now));
    // It was there before anybody followed.
    return [];
  }

  async #poll(): Promise<readonly WebhookDeliveryRecord[]> {
    const { overlapMs } = this.#options;
    const { args, connect } = this.#source;
    const loaders = connect(this.#cancel);
    const { rows: listed, returned } = await this.#returning.read(watermarkOf(this.#window, overlapMs), (moment) =>
      readSince(moment, args, loaders, this.#options),
    );
    this.#clock.check(listed);
    const rows = await this.#choice.of(listed, loaders);
    const now = this.#clock.now();
    const reading = new Reading(this.#room);
    this.#room.retry();
    const work = new WorkSlices();
    const weights = await weightsOf(rows, work);
    const weighed = (deliveries: readonly WebhookDeliveryRecord[]): number =>
      this.#room.intake(deliveries.map((delivery) => weights.get(delivery) ?? 0));
    const missed = this.#ids.missed(rows, now, reading, weighed);
    const found: (readonly [StreamReader, MissedArrivals])[] = [];
    for (const [reader, seen] of returned) {
      // A thousand readers who had all seen something else must not hold up all other requests.
      if (work.isOverNow()) await work.rest();
      found.push([reader, missed(seen)]);
    }
    const { window, fresh } = this.#advance(rows, now, weighed);
    for (const delivery of new Set([...fresh, ...found.flatMap(([, { deliveries }]) => deliveries)]))
      reading.note(weights.get(delivery) ?? 0);
    this.#send(window, fresh, now, reading);
    for (const [reader, { arrivals, seen }] of found) {
      // The signal may have aborted meanwhile.
      if (!this.#returning.has(reader)) continue;
      if (seen === null) this.#returning.delete(reader);
      else this.#returning.add(reader, seen);
      reader.push(arrivals);
    }
    return fresh;
  }

  /** Moves on by as many of the new rows as there is room for: the others are new to the next reading too. */
  #advance(rows: DeliveryRows, now: Moment, weighed: (deliveries: readonly WebhookDeliveryRecord[]) => number) {
    const { overlapMs } = this.#options;
    const all = advance(this.#window, rows, overlapMs, now);
    const taken = weighed(all.fresh);
    if (taken === all.fresh.length) return all;
    const later = new Set<unknown>(all.fresh.slice(taken));
    return advance(
      this.#window,
      rows.filter((row) => !later.has(row)),
      overlapMs,
      now,
    );
  }

  /** Takes what another process has found. Who comes back waits for a reading that goes back far enough. */
  #take(found: readonly WebhookDeliveryRecord[]): void {
    const now = this.#clock.now();
    const { window, fresh } = advance(this.#window, found, this.#options.overlapMs, now, false);
    const reading = new Reading(this.#room);
    const weights = fresh.map(weightOf);
    // Makes room for all of them: a process hands on a few hundred kilobytes at a time.
    this.#room.intake(weights);
    for (const weight of weights) reading.note(weight);
    this.#send(window, fresh, now, reading);
  }

  #send(window: DeliveryWindow, fresh: readonly WebhookDeliveryRecord[], now: Moment, reading: Reading): void {
    const arrivals = this.#ids.arrivals(this.#window, fresh, now, reading);
    this.#moveTo(window, now);
    for (const reader of this.#readers) if (!this.#returning.has(reader)) reader.push(arrivals);
  }

  #moveTo(window: DeliveryWindow, now: Moment): EventId {
    this.#window = window;
    return (this.#currentId = this.#ids.ofWindow(window, now));
  }

  #remove(reader: StreamReader): void {
    this.#readers.delete(reader);
    this.#returning.delete(reader);
    if (this.#readers.size > 0 || this.#cancel.aborted) return;
    this.#cancel.abort(nobody);
    this.#share.close();
    this.#room.leave();
    this.#whenOver();
  }
}

/** The weights of rows, by row, in slices: there may be thousands of them. */
async function weightsOf(rows: DeliveryRows, work: WorkSlices): Promise<ReadonlyMap<object, number>> {
  const weights = new Map<object, number>();
  for (const row of rows) {
    if (work.isOverNow()) await work.rest();
    if (row !== null) weights.set(row, weightOf(row));
  }
  return weights;
}
