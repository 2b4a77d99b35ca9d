import { CancelSource, type CancelSignal } from '../cancellation.ts';
import type { Config } from '../config.ts';
import { GatewayError } from '../errors.ts';
import type { Loaders } from '../lists/loaders.ts';
import type { Moment } from '../moment.ts';
import { isSliceOver, WorkSlices } from '../time-slices.ts';
import type { Arguments } from '../upstream/endpoint.ts';
import { endingWith, type Arrivals } from './arrivals.ts';
import {
  ConnectionChoice,
  presentOf,
  readNewest,
  readSince,
  waitAfterFailure,
  type DeliveryRecords,
  type ReadingOptions,
} from './delivery-reading.ts';
import {
  advance,
  deliveryOf,
  emptyWindow,
  isBefore,
  recalled,
  watermarkOf,
  type Deliveries,
  type Delivery,
  type DeliveryWindow,
} from './delivery-window.ts';
import { EventIds } from './event-ids.ts';
import type { FeedShare, TakeDeliveries } from './feed-share.ts';
import { codeOf, FeedStates, returningFrom, type Follower, type Returning } from './followers.ts';
import { StreamReader } from './stream-reader.ts';
import type { DeliverySource, EventId } from './stream.ts';
import type { CallerRoom, StreamRooms } from './stream-room.ts';

export interface FeedOptions extends ReadingOptions, Pick<Config, 'subscriptionPollMs' | 'subscriptionBuffer'> {
  /** Holds the bytes that wait for readers. */
  readonly rooms: StreamRooms;
}

/** The list of deliveries that a feed polls. */
export interface FeedSource {
  /** Names the list in the ids of its events: its endpoint and filter. */
  readonly list: string;
  readonly args: Arguments;
  /** The connection whose deliveries are followed; null: those of all. */
  readonly connectionId: string | null;
  readonly identity: string;
  /** Makes the loaders of one poll. */
  readonly connect: (signal: CancelSignal) => Loaders;
  /** Shares the feed with the other processes; `take` runs with what they have found. */
  readonly share: (take: TakeDeliveries) => FeedShare;
}

/** A window that has moved on: what is new in it, as its readers are sent it, and whether that is all that was new. */
interface Step {
  readonly window: DeliveryWindow;
  readonly fresh: Deliveries;
  readonly arrivals: Arrivals;
  readonly isAll: boolean;
}

const nobody = new Error('Nobody follows the deliveries any more.');

/** One list of deliveries that is polled for all who follow it. */
export class DeliveryFeed {
  readonly #source: FeedSource;
  readonly #options: FeedOptions;
  readonly #whenOver: () => void;
  readonly #choice: ConnectionChoice;
  readonly #ids: EventIds;
  readonly #share: FeedShare;
  readonly #cancel = new CancelSource();
  readonly #room: CallerRoom;
  readonly #states: FeedStates;
  readonly #followers = new Set<Follower>();
  /** Those of them who have not been sent all yet that they missed when they were away. */
  readonly #returning = new Map<Follower, Returning>();
  /** Why the first reading has failed; null where it has not. Another one may succeed. */
  #failure: unknown = null;
  /** What has been seen of the list; null until the first reading has ended. */
  #window: DeliveryWindow | null = null;

  /**
   * Begins to poll at once. A failure that may pass is waited out, and the list read on from where it was; that of the first reading is
   * waited out for readers of states alone. Any other failure ends all streams. `whenOver` runs once, as soon as nobody can follow any
   * more.
   */
  constructor(source: FeedSource, options: FeedOptions, whenOver: () => void) {
    this.#source = source;
    this.#options = options;
    this.#whenOver = whenOver;
    this.#room = options.rooms.of(source.identity);
    this.#room.enter();
    this.#choice = new ConnectionChoice(source.connectionId, options);
    this.#states = new FeedStates(options);
    this.#ids = new EventIds(source.list, options.subscriptionOverlapMs);
    this.#share = source.share((fresh) => this.#take(fresh));
    this.#run().catch((error: unknown) => this.end(error as Error));
  }

  get identity(): string {
    return this.#source.identity;
  }

  get size(): number {
    return this.#followers.size;
  }

  /**
   * Resolves when the list has been read once. The source has the deliveries that appear from then on; before them come those that
   * have appeared since `seen`, if that is given. Throws the failure of the first reading, or the reason of the signal. A reader of states
   * gets the state first, and is told of a first reading that may succeed later. The stream leaves when the signal aborts, and polling ends
   * when the last stream leaves.
   */
  async follow(signal: CancelSignal, seen: DeliveryWindow | null, hasStates: boolean): Promise<DeliverySource> {
    const begun = Promise.withResolvers<EventId>();
    const abort = (): void => {
      begun.reject(signal.reason);
      reader.leave();
    };
    const reader = new StreamReader(this.#room, this.#options.subscriptionBuffer, () => {
      signal.removeEventListener('abort', abort);
      this.#remove(follower);
    });
    const follower: Follower = { reader, begun, wantsStates: hasStates, told: null, hasMissed: false };
    this.#followers.add(follower);
    if (seen !== null) this.#returning.set(follower, returningFrom(seen, this.#options));
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort);
    // The next reading may be a minute away: one who is told of the pause does not wait for it.
    if (this.#window !== null || (this.#states.isPaused && hasStates)) this.#tell(follower);
    else if (this.#failure !== null) begun.reject(this.#failure);
    reader.eventId = await begun.promise;
    return reader;
  }

  /** Ends all streams, or those that are meant, with the failure as their last event. */
  end(failure: Error, isMeant: (follower: Follower) => boolean = () => true): void {
    const ending = endingWith(failure);
    for (const follower of this.#followers) {
      if (!isMeant(follower)) continue;
      follower.begun.reject(failure);
      follower.reader.end(ending);
    }
  }

  async #run(): Promise<void> {
    const isWanted = (): boolean => this.#returning.size > 0;
    let failures = 0;
    while (!this.#cancel.aborted) {
      const isFirst = this.#window === null;
      let waitMs: number;
      try {
        await this.#share.reading(() => (isFirst ? this.#readFirst() : this.#poll()));
        failures = 0;
        waitMs = isFirst && isWanted() ? 0 : this.#options.subscriptionPollMs;
      } catch (error) {
        failures += 1;
        waitMs = this.#outlast(error, failures);
      }
      await this.#share.wait(waitMs, this.#cancel, isWanted);
    }
  }

  /** Goes on after a failure: returns how long to wait, in milliseconds. Throws the failure where it will not pass. */
  #outlast(error: unknown, failures: number): number {
    const hasBegun = this.#window !== null;
    const isTooLong = hasBegun && codeOf(error) === 'QUERY_TOO_COMPLEX';
    const { subscriptionPollMs } = this.#options;
    const waitMs = isTooLong ? subscriptionPollMs : waitAfterFailure(error, failures, subscriptionPollMs);
    this.#failure = hasBegun ? null : error;
    // Readers of states wait for another first reading; all others are told by the failure.
    if (!hasBegun || isTooLong) this.end(error as Error, ({ wantsStates }) => !wantsStates);
    this.#states.change(error);
    for (const follower of this.#followers) this.#tell(follower);
    if (isTooLong) this.#beginAnew();
    return waitMs;
  }

  /** More has come than can be read: goes on from the present. Readers are told that they have missed deliveries. */
  #beginAnew(): void {
    for (const follower of this.#followers) follower.hasMissed ||= !this.#returning.has(follower);
    this.#window = null;
  }

  /** What was missed cannot be read: its reader waits, longer each time. The stream ends where it never can. */
  #postpone(follower: Follower, returning: Returning, error: unknown): void {
    const { subscriptionPollMs } = this.#options;
    returning.failures += 1;
    try {
      returning.notBefore = performance.now() + waitAfterFailure(error, returning.failures, subscriptionPollMs);
    } catch {
      return follower.reader.end(endingWith(follower.wantsStates ? tooOld(error as Error) : (error as Error)));
    }
    this.#states.tellPaused(follower, error, this.#positionOf(follower));
  }

  #positionOf(follower: Follower): EventId {
    return this.#ids.of(this.#returning.get(follower)?.seen ?? this.#window);
  }

  /** Tells a follower the state of the feed. Those who come back hear that the list is read when they get what they have missed. */
  #tell(follower: Follower): void {
    const position = this.#positionOf(follower);
    if (!this.#returning.has(follower) || this.#states.isPaused) this.#states.tell(follower, position);
    follower.begun.resolve(position);
  }

  #tellLive(): void {
    this.#states.change(null);
    for (const follower of this.#followers) this.#tell(follower);
  }

  async #readFirst(): Promise<DeliveryRecords> {
    const { args, connect } = this.#source;
    const loaders = connect(this.#cancel);
    const deliveries = await this.#chosen(await readNewest(args, loaders, this.#options), loaders);
    const { window } = advance(emptyWindow, deliveries, this.#options.subscriptionOverlapMs, presentOf(this.#options));
    this.#window = window;
    this.#tellLive();
    // It was there before anybody followed.
    return [];
  }

  /**
   * Reads the list from its watermark on, and further back where followers have come back, all in one reading. Returns the rows, and
   * those for whom they are enough.
   */
  async #readOn(loaders: Loaders) {
    const from = watermarkOf(this.#window ?? emptyWindow, this.#options.subscriptionOverlapMs);
    const read = (since: Moment | null) => readSince(since, this.#source.args, loaders, this.#options);
    const due = [...this.#returning].filter(([, { notBefore }]) => notBefore <= performance.now());
    const oldest = due.map(([, { since }]) => since).reduce(earlierOf, from);
    if (oldest !== from) {
      try {
        return { rows: await read(oldest), returned: due };
      } catch (error) {
        for (const [follower, returning] of due)
          if (returning.since === oldest) this.#postpone(follower, returning, error);
      }
    }
    // Those who have stayed do not wait for those who had gone.
    return { rows: await read(from), returned: due.filter(([, { since }]) => earlierOf(since, from) === from) };
  }

  async #poll(): Promise<DeliveryRecords> {
    const loaders = this.#source.connect(this.#cancel);
    const { rows, returned } = await this.#readOn(loaders);
    const deliveries = await this.#chosen(rows, loaders);
    const now = presentOf(this.#options);
    this.#room.wake();
    const own = this.#step(this.#window ?? emptyWindow, deliveries, now);
    this.#send(own);
    // When a gateway is replaced, all its readers come back, and most had seen the same.
    const steps = new Map<string, Step>();
    const work = new WorkSlices();
    for (const [follower, { seen }] of returned) {
      // A thousand readers who had all seen something else must not hold up all other requests.
      if (isSliceOver()) await work.rest();
      // The signal may have aborted meanwhile.
      if (!this.#followers.has(follower)) continue;
      const key = `${seen.newest} ${[...seen.seen.keys()].join('')}`;
      const step = steps.get(key) ?? this.#step(recalled(seen, deliveries), deliveries, now);
      steps.set(key, step);
      this.#states.tell(follower, this.#ids.of(seen));
      // What is new to the feed later must not come twice.
      if (step.isAll && own.isAll) this.#returning.delete(follower);
      else this.#returning.set(follower, returningFrom(step.window, this.#options));
      follower.reader.push(step.arrivals);
    }
    return own.fresh.map(({ record }) => record);
  }

  /** The deliveries among some records that are followed. */
  async #chosen(records: DeliveryRecords, loaders: Loaders): Promise<Deliveries> {
    const deliveries: Delivery[] = [];
    // There may be thousands of them.
    await new WorkSlices().each(records, (record) => deliveries.push(deliveryOf(record)));
    return this.#choice.of(deliveries, loaders);
  }

  /** Moves a window on by as many of the new deliveries as there is room for: the others are new to the next reading too. */
  #step(from: DeliveryWindow, deliveries: Deliveries, now: Moment): Step {
    const { subscriptionOverlapMs } = this.#options;
    let step = advance(from, deliveries, subscriptionOverlapMs, now);
    const taken = this.#room.intake(step.fresh.map(({ weight }) => weight));
    const later = new Set(step.fresh.slice(taken).map(({ mark }) => mark));
    if (later.size > 0) {
      const others = deliveries.filter(({ mark }) => !later.has(mark));
      step = advance(from, others, subscriptionOverlapMs, now);
    }
    return { ...step, arrivals: this.#ids.arrivals(from, step.fresh, now), isAll: later.size === 0 };
  }

  /** Takes what another process has found. Who comes back waits for a reading that goes back far enough. */
  #take(found: DeliveryRecords): void {
    const now = presentOf(this.#options);
    const { subscriptionOverlapMs } = this.#options;
    const before = this.#window ?? emptyWindow;
    const { window, fresh } = advance(before, found.map(deliveryOf), subscriptionOverlapMs, now, false);
    // Makes room for all of them: a process hands on a few hundred kilobytes at a time.
    this.#room.intake(fresh.map(({ weight }) => weight));
    this.#send({ window, arrivals: this.#ids.arrivals(before, fresh, now) });
  }

  #send({ window, arrivals }: Pick<Step, 'window' | 'arrivals'>): void {
    if (this.#states.isPaused) this.#tellLive();
    this.#window = window;
    for (const follower of this.#followers) if (!this.#returning.has(follower)) follower.reader.push(arrivals);
  }

  #remove(follower: Follower): void {
    this.#followers.delete(follower);
    this.#returning.delete(follower);
    if (this.#followers.size > 0 || this.#cancel.aborted) return;
    this.#cancel.abort(nobody);
    this.#share.close();
    this.#room.leave();
    this.#whenOver();
  }
}

/** The moment from which there is more to read. */
function earlierOf(left: Moment | null, right: Moment | null): Moment | null {
  if (left === null || right === null) return null;
  return isBefore(left, right) ? left : right;
}

function tooOld(error: Error): Error {
  if (!(error instanceof GatewayError) || error.code !== 'QUERY_TOO_COMPLEX') return error;
  const message =
    'after is too old: more deliveries have come since than can be read. Leave it out, and read the list again.';
  return error.with({ message, argument: ['after'] });
}
