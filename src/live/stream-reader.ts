import { writtenAtOnce } from '../bounds.ts';
import { CancelSource } from '../cancellation.ts';
import { GatewayError } from '../errors.ts';
import type { TimeSlices } from '../time-slices.ts';
import type {
  DeliverySource,
  EventId,
  EventResult,
  Execute,
  StreamEvent,
  StreamWriter,
  WrittenEvent,
} from './stream.ts';
import type { CallerRoom, Reading, RoomReader } from './stream-room.ts';

/** Events that are written to one stream at a time: each takes the connection some microseconds. */
const eventsAtOnce = 64;

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

/** Events of one moment, the oldest first. */
export interface Arrivals {
  readonly events: readonly StreamEvent[];
  readonly reading: Pick<Reading, 'number' | 'hold' | 'release'>;
}

const endings = new WeakMap<Error, Arrivals>();

/** The failure that ends streams, as their last arrival. It takes no room. */
function endingWith(failure: Error): Arrivals {
  const known = endings.get(failure);
  if (known !== undefined) return known;
  const ending = { events: [failure], reading: { number: Infinity, hold: () => {}, release: () => {} } };
  endings.set(failure, ending);
  return ending;
}

/** One subscription that is executed once for all streams that ask the same. */
export class SharedStream {
  readonly room: CallerRoom;
  readonly #execute: Execute<StreamWriter>;
  readonly #whenEmpty: () => void;
  readonly #cancel = new CancelSource();
  readonly #readers = new Map<StreamReader, StreamWriter>();
  readonly #batches = new WeakMap<Arrivals, Batch>();

  constructor(room: CallerRoom, execute: Execute<StreamWriter>, whenEmpty: () => void) {
    this.room = room;
    this.#execute = execute;
    this.#whenEmpty = whenEmpty;
  }

  add(reader: StreamReader, writer: StreamWriter): void {
    this.#readers.set(reader, writer);
    this.room.add(reader);
  }

  remove(reader: StreamReader): void {
    if (!this.#readers.delete(reader)) return;
    this.room.delete(reader);
    if (this.#readers.size > 0) return;
    this.#whenEmpty();
    this.#cancel.abort(new Error('Nobody reads the stream any more.'));
  }

  /** The results of some arrivals, which all readers share. */
  batchOf(arrivals: Arrivals): Batch {
    const known = this.#batches.get(arrivals);
    if (known !== undefined) return known;
    const { events, reading } = arrivals;
    const batch = { number: reading.number, results: events.map((event) => new SharedResult(this, event, reading)) };
    this.#batches.set(arrivals, batch);
    return batch;
  }

  /** Executes an event on behalf of one of the readers. */
  execute(event: StreamEvent, reader: StreamReader): EventResult | Promise<EventResult> {
    return this.#execute(event, this.#readers.get(reader) as StreamWriter, this.#cancel);
  }
}

/** The results of one reading. */
interface Batch {
  /** The number of the reading. */
  readonly number: number;
  readonly results: readonly SharedResult[];
}

/** The result of an event: made when the first reader can write it, and kept until the last one that waits for it has taken it. */
class SharedResult {
  readonly event: StreamEvent;
  readonly #stream: SharedStream;
  readonly #reading: Arrivals['reading'];
  #readers = 0;
  #result: EventResult | Promise<EventResult> | null = null;

  constructor(stream: SharedStream, event: StreamEvent, reading: Arrivals['reading']) {
    this.event = event;
    this.#stream = stream;
    this.#reading = reading;
  }

  /** A reader begins to wait for it. */
  join(): void {
    if (this.#readers++ === 0) this.#reading.hold();
  }

  /** A reader has taken it, or waits no more. */
  leave(): void {
    if (--this.#readers > 0) return;
    this.#reading.release();
    if (this.#result !== null && !(this.#result instanceof Promise)) this.#stream.room.release(this.#result.bytes);
    this.#result = null;
  }

  /** Null while it is being made: the reader is woken then. */
  get(reader: StreamReader): EventResult | null {
    const result = this.#result ?? this.#make(reader);
    if (!(result instanceof Promise)) return result;
    void result.then(() => reader.wake());
    return null;
  }

  #make(reader: StreamReader): EventResult | Promise<EventResult> {
    const result = this.#stream.execute(this.event, reader);
    if (!(result instanceof Promise)) return this.#keep(result);
    // Nobody may want it any more when it is made.
    const made: Promise<EventResult> = result.then((value) => (this.#result === made ? this.#keep(value) : value));
    return (this.#result = made);
  }

  #keep(result: EventResult): EventResult {
    this.#stream.room.hold(result.bytes);
    return (this.#result = result);
  }
}

/** What all streams of a feed have in common. */
export interface StreamOptions {
  readonly slices: TimeSlices;
  /** How many deliveries may wait for one reader when more come. */
  readonly mostWaiting: number;
  /** The stream of all readers that give equal keys. */
  readonly streamOf: (key: string, execute: Execute<StreamWriter>) => SharedStream;
}

/** The reader of one stream: what waits for it, and how far it has come. What comes before it has joined waits here. */
export class StreamReader implements DeliverySource, RoomReader {
  /** The id of all that was there before the first delivery, then of the last event that was written. */
  eventId: EventId = () => '';
  readonly #options: StreamOptions;
  readonly #whenEnded: () => void;
  /** The stream that it shares, and what writes for it; null before it has joined. */
  #joined: { readonly stream: SharedStream; readonly writer: StreamWriter } | null = null;
  #early: Arrivals[] = [];
  #batches: Batch[] = [];
  /** What the connection has not taken yet: the next of the first batch. */
  #underWay: readonly WrittenEvent[] = [];
  /** When that was written, by performance.now(). */
  #writtenAt = 0;
  #blockedMs = 0;
  /** What was under way when the last arrivals came. */
  #underWayBefore: readonly WrittenEvent[] = [];
  /** How many of the first batch the connection has taken. */
  #taken = 0;
  /** How many of the batches are waiting in all. */
  #length = 0;
  #isWoken = false;
  /** No more arrivals come. */
  #isEnding = false;
  /** Its last event; null where it ends without one. */
  #failure: Error | null = null;

  /** `whenEnded` is called as soon as it takes no more deliveries. */
  constructor(options: StreamOptions, whenEnded: () => void) {
    this.#options = options;
    this.#whenEnded = whenEnded;
  }

  join<Writer extends StreamWriter>(key: string, execute: Execute<Writer>, writer: Writer): void {
    // A key belongs to one kind of writer.
    const stream = this.#options.streamOf(key, execute as unknown as Execute<StreamWriter>);
    this.#joined = { stream, writer };
    stream.add(this, writer);
    for (const arrivals of this.#early.splice(0)) this.#add(arrivals);
    this.wake();
  }

  [Symbol.asyncIterator](): AsyncIterator<never> {
    return neverRead();
  }

  /**
   * The number of the reading that has brought what it waits for, and behind the point the part of that which it has taken; infinite
   * where it waits for nothing.
   */
  get position(): number {
    const [batch] = this.#batches;
    return batch === undefined ? Infinity : batch.number + this.#taken / batch.results.length;
  }

  /** For how long its connection has kept it waiting since it has taken all of an earlier reading, in milliseconds. */
  get blockedMs(): number {
    return this.#blockedMs + (this.#underWay.length > 0 ? performance.now() - this.#writtenAt : 0);
  }

  /** Adds arrivals; ends the stream instead where the reader is too far behind, and has taken nothing since the last ones came. */
  push(arrivals: Arrivals): void {
    if (this.#isEnding || arrivals.events.length === 0) return;
    const { mostWaiting } = this.#options;
    const isStuck = this.#underWay.length > 0 && this.#underWay === this.#underWayBefore;
    this.#underWayBefore = this.#underWay;
    if (isStuck && this.#length > mostWaiting)
      this.#cut(tooSlow(`More than ${mostWaiting} deliveries were waiting to be read when more came`));
    else this.#add(arrivals);
  }

  #add(arrivals: Arrivals): void {
    if (this.#joined === null) return void this.#early.push(arrivals);
    const batch = this.#joined.stream.batchOf(arrivals);
    for (const result of batch.results) result.join();
    this.#batches.push(batch);
    this.#length += batch.results.length;
    this.wake();
  }

  /** Ends the stream behind what is waiting, with a failure as its last event where one is given. */
  end(failure: Error | null = null): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#failure = failure;
    if (failure !== null) this.#add(endingWith(failure));
    this.#whenEnded();
    this.wake();
  }

  /** Drops what waits for it, and ends it with an error from which its reader can resume. */
  giveWay(mostBytes: number): void {
    this.#cut(
      tooSlow(`Streams of this API key had ${mostBytes} bytes waiting to be read, and this one was furthest behind`),
    );
  }

  /** Leaves at once: the client has gone. */
  leave(): void {
    this.end();
    this.#early = [];
    this.#keep(0);
    this.#joined?.stream.remove(this);
  }

  /** Goes on soon. */
  wake(): void {
    if (this.#isWoken || this.#joined === null) return;
    this.#isWoken = true;
    this.#options.slices.add(this.#goOn);
  }

  #cut(failure: Error): void {
    this.#keep(this.#underWay.length);
    if (this.#failure === null) this.end(failure);
    else this.#add(endingWith(this.#failure));
  }

  /** Waits for no more than so many of the first batch. */
  #keep(count: number): void {
    const [first] = this.#batches;
    const waiting = this.#batches.flatMap(({ results }) => results).slice(this.#taken);
    for (const result of waiting.slice(count)) result.leave();
    this.#batches = first === undefined || count === 0 ? [] : [{ ...first, results: waiting.slice(0, count) }];
    this.#taken = 0;
    this.#length = count;
  }

  readonly #goOn = (): void => {
    this.#isWoken = false;
    if (this.#joined === null || this.#underWay.length > 0) return;
    const { stream, writer } = this.#joined;
    const [batch] = this.#batches;
    if (batch !== undefined) this.#write(batch, writer);
    else if (this.#isEnding) {
      // A result that is still being made wakes it once more.
      this.#joined = null;
      writer.end();
      stream.remove(this);
    }
  };

  #write({ results }: Batch, writer: StreamWriter): void {
    const events = this.#ready(results);
    if (events.length === 0) return;
    this.#underWay = events;
    this.#writtenAt = performance.now();
    writer.write(events, () => this.#note(events));
  }

  /** What can be written now; more as soon as that is taken. */
  #ready(results: readonly SharedResult[]): readonly WrittenEvent[] {
    const events: WrittenEvent[] = [];
    let bytes = 0;
    for (let at = this.#taken; at < results.length; at++) {
      const shared = results[at] as SharedResult;
      const result = shared.get(this);
      if (result === null) break;
      // A failure has the id of what was written before it.
      events.push({ eventId: shared.event instanceof Error ? this.eventId : shared.event.eventId, result });
      bytes += result.bytes;
      const isEnough = bytes >= writtenAtOnce || events.length === eventsAtOnce;
      if (result.isLast || isEnough || this.#options.slices.isOver) break;
    }
    return events;
  }

  #note(events: readonly WrittenEvent[]): void {
    this.#blockedMs = this.blockedMs;
    this.#underWay = [];
    const last = events.at(-1);
    if (last !== undefined && !last.result.isLast) this.eventId = last.eventId;
    this.#take(events.length);
    if (last?.result.isLast === true) {
      this.end();
      this.#keep(0);
    }
    this.wake();
  }

  /** The connection has taken so many of the first batch, unless the client has gone. */
  #take(count: number): void {
    const [batch] = this.#batches;
    if (batch === undefined) return;
    for (const result of batch.results.slice(this.#taken, this.#taken + count)) result.leave();
    this.#taken += count;
    this.#length -= count;
    if (this.#taken < batch.results.length) return;
    this.#batches.shift();
    this.#taken = 0;
    this.#blockedMs = 0;
  }
}

function tooSlow(reason: string): GatewayError {
  return new GatewayError('QUERY_TOO_COMPLEX', {
    message: `${reason}. Read faster, select less or narrow the filter, and subscribe again, with Last-Event-ID where nothing may be missed.`,
  });
}
