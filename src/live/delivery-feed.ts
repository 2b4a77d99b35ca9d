import { setImmediate as nextTick } from 'node:timers/promises';
import { sliceMs } from '../bounds.ts';
import { CancelSource, type CancelSignal } from '../cancellation.ts';
import type { Loaders } from '../lists/loaders.ts';
import type { Moment } from '../paging/moment.ts';
import type { TimeSlices } from '../time-slices.ts';
import type { Arguments } from '../upstream/arguments.ts';
import type { WebhookDeliveryRecord } from '../resources/webhook-delivery.ts';
import { createArrivals, type Arrivals, type ArrivalsOf, type EventId, type MissedArrivals } from './arrivals.ts';
import type { FeedShare, TakeDeliveries } from './feed-share.ts';
import { readNewest, readSince, type ReadingOptions, createListClock, type ListClock } from './delivery-reading.ts';
import { advance, emptyWindow, watermarkOf, type DeliveryRows, type DeliveryWindow } from './delivery-window.ts';
import type { SeenDeliveries } from './seen-deliveries.ts';
import { pollRepeatedly, type PaceOptions } from './poll-pace.ts';
import { createReturningReaders, type ReturningReaders } from './returning-readers.ts';
import { SharedStream, type Execute, type SharedStreamMember, type StreamWriter } from './shared-stream.ts';
import { Reading, weightOf, type CallerRoom, type StreamRooms } from './stream-room.ts';

export interface FeedOptions extends ReadingOptions, PaceOptions {
  /** How many deliveries may wait for one reader when more come. */
  readonly mostWaiting: number;
  /** Holds the bytes that wait for readers. */
  readonly rooms: StreamRooms;
  /** In which streams are executed and written. */
  readonly slices: TimeSlices;
  /** In milliseconds since 1970; absent: the machine's clock. */
  readonly readClock?: () => number;
}

/** The deliveries that one stream follows, from the moment on when it was made. It is iterable for graphql-js, which does not read it. */
export interface DeliverySource extends AsyncIterable<never> {
  /** The id of all that was there before the first delivery. */
  readonly eventId: EventId;
  /**
   * Begins to write the deliveries. Streams of a feed that give equal keys are executed by the first one's `execute`, once for all of
   * them. The key must name everything that their results depend on.
   */
  join<Writer extends StreamWriter>(key: string, execute: Execute<Writer>, writer: Writer): void;
  /** Leaves at once. */
  leave(): void;
}

/** A source without deliveries, whose streams end at once. */
export const noDeliveries: DeliverySource = {
  eventId: () => '',
  join: (_key, _execute, writer) => writer.end(),
  leave: () => {},
  [Symbol.asyncIterator]: neverRead,
};

function neverRead(): AsyncIterator<never> {
  return { next: () => new Promise(() => {}) };
}

/** The list of deliveries that a feed polls. */
export interface FeedSource {
  /** Names the list in the ids of its events: its endpoint and filter. */
  readonly list: string;
  readonly args: Arguments;
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
  readonly #clock: ListClock;
  readonly #returning: ReturningReaders<Seat>;
  readonly #arrivals: ArrivalsOf;
  readonly #share: FeedShare;
  readonly #cancel = new CancelSource();
  readonly #room: CallerRoom;
  readonly #seats = new Set<Seat>();
  /** By the keys that their members have given. */
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
    this.#clock = createListClock(options.readClock);
    this.#returning = createReturningReaders({ ...options, clock: this.#clock });
    this.#arrivals = createArrivals(source.list, options.overlapMs);
    this.#share = source.share((fresh) => this.#take(fresh));
    // A failure reaches those who wait in `follow`; all of them may have left.
    this.#firstId.promise.catch(() => {});
  }

  /** How many streams follow it. */
  get size(): number {
    return this.#seats.size;
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
      seat.leave();
    };
    const seat = new Seat(
      (key, execute) => this.#streamOf(key, execute),
      () => {
        signal.removeEventListener('abort', abort);
        this.#remove(seat);
      },
    );
    this.#seats.add(seat);
    if (seen !== null) this.#returning.add(seat, seen);
    // Read before the wait: what is pushed during it has not been written yet.
    const joinedAt = this.#currentId;
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort);
    const firstId = await Promise.race([aborted.promise, this.#firstId.promise]);
    seat.eventId = seen === null ? (joinedAt ?? firstId) : this.#arrivals.idOfSeen(seen);
    return seat;
  }

  /** Ends all streams, with the failure as their last event. */
  end(failure: Error): void {
    this.#firstId.reject(failure);
    for (const seat of this.#seats) seat.end(failure);
  }

  #streamOf(key: string, execute: Execute<StreamWriter>): SharedStream {
    const known = this.#streams.get(key);
    if (known !== undefined) return known;
    const { slices, mostWaiting } = this.#options;
    const stream = new SharedStream({ room: this.#room, slices, mostWaiting }, execute, () =>
      this.#streams.delete(key),
    );
    this.#streams.set(key, stream);
    return stream;
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
    const { args, connect } = this.#source;
    const loaders = connect(this.#cancel);
    const { rows, returned } = await this.#returning.read(watermarkOf(this.#window, overlapMs), (moment) =>
      readSince(moment, args, loaders, this.#options),
    );
    this.#clock.check(rows);
    const now = this.#clock.now();
    const reading = this.#beginReading();
    this.#room.retry();
    const weights = await weightsOf(rows);
    const weighed = (deliveries: readonly WebhookDeliveryRecord[]): number =>
      this.#room.intake(deliveries.map((delivery) => weights.get(delivery) ?? 0));
    const missed = this.#arrivals.missed(rows, now, reading, weighed);
    const found: (readonly [Seat, MissedArrivals])[] = [];
    for (const [seat, seen] of returned) {
      // A thousand readers who had all seen something else must not hold up all other requests.
      if (this.#options.slices.isOver) await nextTick();
      found.push([seat, missed(seen)]);
    }
    const { window, fresh } = this.#advance(rows, now, weighed);
    for (const delivery of new Set([...fresh, ...found.flatMap(([, { deliveries }]) => deliveries)]))
      reading.note(weights.get(delivery) ?? 0);
    this.#send(window, fresh, now, reading);
    for (const [seat, { arrivals, seen }] of found) {
      // The signal may have aborted meanwhile.
      if (!this.#returning.has(seat)) continue;
      if (seen === null) this.#returning.delete(seat);
      else this.#returning.add(seat, seen);
      seat.push(arrivals);
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
    const reading = this.#beginReading();
    const weights = fresh.map(weightOf);
    // Makes room for all of them: a process hands on a few hundred kilobytes at a time.
    this.#room.intake(weights);
    for (const weight of weights) reading.note(weight);
    this.#send(window, fresh, now, reading);
  }

  #beginReading(): Reading {
    return new Reading(this.#options.rooms.nextReading());
  }

  #send(window: DeliveryWindow, fresh: readonly WebhookDeliveryRecord[], now: Moment, reading: Reading): void {
    const arrivals = this.#arrivals.fresh(this.#window, fresh, now, reading);
    this.#moveTo(window, now);
    for (const seat of this.#seats) if (!this.#returning.has(seat)) seat.push(arrivals);
  }

  #moveTo(window: DeliveryWindow, now: Moment): EventId {
    this.#window = window;
    return (this.#currentId = this.#arrivals.idOfWindow(window, now));
  }

  #remove(seat: Seat): void {
    this.#seats.delete(seat);
    this.#returning.delete(seat);
    if (this.#seats.size > 0 || this.#cancel.aborted) return;
    this.#cancel.abort(nobody);
    this.#share.close();
    this.#room.leave();
    this.#whenOver();
  }
}

/** The place of a stream at a feed. What comes before the stream has joined waits here. */
class Seat implements DeliverySource {
  eventId: EventId = () => '';
  readonly #streamOf: (key: string, execute: Execute<StreamWriter>) => SharedStream;
  readonly #whenEnded: () => void;
  #early: Arrivals[] = [];
  #member: SharedStreamMember | null = null;
  #hasEnded = false;
  #failure: Error | null = null;

  constructor(streamOf: (key: string, execute: Execute<StreamWriter>) => SharedStream, whenEnded: () => void) {
    this.#streamOf = streamOf;
    this.#whenEnded = whenEnded;
  }

  join<Writer extends StreamWriter>(key: string, execute: Execute<Writer>, writer: Writer): void {
    // A key belongs to one kind of writer.
    const stream = this.#streamOf(key, execute as unknown as Execute<StreamWriter>);
    const member = stream.add(writer, this.eventId, this.#whenEnded);
    this.#member = member;
    for (const arrivals of this.#early.splice(0)) member.push(arrivals);
    if (this.#hasEnded) member.end(this.#failure);
  }

  push(arrivals: Arrivals): void {
    if (this.#member === null) this.#early.push(arrivals);
    else this.#member.push(arrivals);
  }

  end(failure: Error): void {
    if (this.#member !== null) return this.#member.end(failure);
    this.#hasEnded = true;
    this.#failure = failure;
    this.#whenEnded();
    return undefined;
  }

  leave(): void {
    this.#early = [];
    if (this.#member !== null) return this.#member.leave();
    this.#hasEnded = true;
    this.#whenEnded();
    return undefined;
  }

  [Symbol.asyncIterator](): AsyncIterator<never> {
    return neverRead();
  }
}

/** The weights of rows, by row, in slices: there may be thousands of them. */
async function weightsOf(rows: DeliveryRows): Promise<ReadonlyMap<object, number>> {
  const weights = new Map<object, number>();
  let begun = performance.now();
  for (const row of rows) {
    if (row !== null) weights.set(row, weightOf(row));
    if (performance.now() - begun < sliceMs) continue;
    await nextTick();
    begun = performance.now();
  }
  return weights;
}
