import { writtenAtOnce } from '../bounds.ts';
import { GatewayError } from '../errors.ts';
import type { TimeSlices } from '../time-slices.ts';
import { endingWith, type Arrivals, type SharedEvent, type SharedStream } from './shared-stream.ts';
import type { DeliverySource, EventId, Execute, StreamWriter, WrittenEvent } from './stream.ts';
import type { CallerRoom, RoomReader } from './stream-room.ts';

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

/** What all streams of a feed have in common. */
export interface StreamOptions {
  readonly room: CallerRoom;
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
  /** What the connection has not taken yet, the events under way first. */
  #waiting: SharedEvent[] = [];
  #underWay: readonly WrittenEvent[] = [];
  /** When that was written, by performance.now(). */
  #writtenAt = 0;
  #blockedMs = 0;
  /** What was under way when the last arrivals came. */
  #underWayBefore: readonly WrittenEvent[] = [];
  /** Bytes under way that do not wait for it any more. */
  #lastBytes = 0;
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

  get position(): number {
    return this.#waiting[0]?.position ?? Infinity;
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
    if (isStuck && this.#waiting.length > mostWaiting)
      this.#cut(tooSlow(`More than ${mostWaiting} deliveries were waiting to be read when more came`));
    else this.#add(arrivals);
  }

  #add(arrivals: Arrivals): void {
    if (this.#joined === null) return void this.#early.push(arrivals);
    for (const event of this.#joined.stream.eventsOf(arrivals)) {
      event.join();
      this.#waiting.push(event);
    }
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

  giveWay(mostBytes: number): void {
    this.#cut(
      tooSlow(`Streams of this API key had ${mostBytes} bytes waiting to be read, and this one was furthest behind`),
    );
  }

  leave(): void {
    this.end();
    this.#early = [];
    this.#take(this.#waiting.length);
    this.#holdLast(0);
    this.#joined?.stream.remove(this);
  }

  wake(): void {
    if (this.#isWoken || this.#joined === null) return;
    this.#isWoken = true;
    this.#options.slices.add(this.#goOn);
  }

  #cut(failure: Error): void {
    this.#holdLast(this.#underWay.reduce((sum, { result }) => sum + result.bytes, 0));
    this.#take(this.#waiting.length);
    if (this.#failure === null) this.end(failure);
    else this.#add(endingWith(this.#failure));
  }

  #holdLast(bytes: number): void {
    const { room } = this.#options;
    if (bytes > this.#lastBytes) room.hold('results', bytes - this.#lastBytes);
    else if (bytes < this.#lastBytes) room.release('results', this.#lastBytes - bytes);
    this.#lastBytes = bytes;
  }

  /** The first of what waits has been taken, or is not wanted any more. */
  #take(count: number): void {
    for (const event of this.#waiting.splice(0, count)) event.leave();
  }

  readonly #goOn = (): void => {
    this.#isWoken = false;
    if (this.#joined === null || this.#underWay.length > 0) return;
    const { stream, writer } = this.#joined;
    const [first] = this.#waiting;
    if (first !== undefined) this.#write(first, writer);
    else if (this.#isEnding) {
      // A result that is still being made wakes it once more.
      this.#joined = null;
      writer.end();
      stream.remove(this);
    }
  };

  #write(first: SharedEvent, writer: StreamWriter): void {
    const events = this.#ready();
    if (events.length === 0) return;
    this.#underWay = events;
    this.#writtenAt = performance.now();
    writer.write(events, () => this.#note(first, events));
  }

  /** What can be written now; more as soon as that is taken. */
  #ready(): readonly WrittenEvent[] {
    const { slices } = this.#options;
    const events: WrittenEvent[] = [];
    let bytes = 0;
    for (const shared of this.#waiting) {
      const result = shared.resultFor(this);
      if (result === null) break;
      // A failure has the id of what was written before it.
      events.push({ eventId: shared.event instanceof Error ? this.eventId : shared.event.eventId, result });
      bytes += result.bytes;
      if (result.isLast || bytes >= writtenAtOnce || events.length === eventsAtOnce || slices.isOver) break;
    }
    return events;
  }

  #note(first: SharedEvent, events: readonly WrittenEvent[]): void {
    this.#blockedMs = this.blockedMs;
    this.#underWay = [];
    this.#holdLast(0);
    const last = events.at(-1);
    if (last !== undefined && !last.result.isLast) this.eventId = last.eventId;
    // What was waiting may have been dropped meanwhile.
    if (this.#waiting[0] === first) this.#take(events.length);
    if (this.#waiting[0]?.reading !== first.reading) this.#blockedMs = 0;
    if (last?.result.isLast === true) {
      this.end();
      this.#take(this.#waiting.length);
    }
    this.wake();
  }
}

function tooSlow(reason: string): GatewayError {
  return new GatewayError('QUERY_TOO_COMPLEX', {
    message: `${reason}. Read faster, select less or narrow the filter, and subscribe again, with Last-Event-ID where nothing may be missed.`,
  });
}
