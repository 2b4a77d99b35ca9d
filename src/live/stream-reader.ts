import { writtenAtOnce } from '../bounds.ts';
import { GatewayError } from '../errors.ts';
import { doSoon, isSliceOver } from '../time-slices.ts';
import { endingWith, type Arrivals, type Batch } from './arrivals.ts';
import type { DeliverySource, EventId, Execute, StreamWriter, WrittenEvent } from './stream.ts';
import type { CallerRoom, RoomReader, SharedStream } from './stream-room.ts';

/** Events that are written to one stream at a time: each takes the connection some microseconds. */
const eventsAtOnce = 64;

/** A source without deliveries, whose streams end at once. */
export const noDeliveries: DeliverySource = {
  eventId: () => '',
  join: (_key, _execute, writer) => writer.end(),
  [Symbol.asyncIterator]: neverRead,
};

function neverRead(): AsyncIterator<never> {
  return { next: () => new Promise(() => {}) };
}

/** The reader of one stream: what waits for it, and how far it has come. What comes before it has joined waits here. */
export class StreamReader implements DeliverySource, RoomReader {
  /** The id of all that was there before the first delivery, then of the last event that was written. */
  eventId: EventId = () => '';
  readonly #room: CallerRoom;
  readonly #mostWaiting: number;
  readonly #whenEnded: () => void;
  /** The stream that it shares, and what writes for it; null before it has joined. */
  #joined: { readonly stream: SharedStream; readonly writer: StreamWriter } | null = null;
  readonly #waiting: Arrivals[] = [];
  /** What the connection has not taken yet. */
  #underWay: readonly WrittenEvent[] = [];
  /** When that was written, by performance.now(). */
  #writtenAt = 0;
  #blockedMs = 0;
  /** What was under way when the last arrivals came. */
  #underWayBefore: readonly WrittenEvent[] = [];
  /** How many of the first arrivals the connection has taken. */
  #taken = 0;
  #isWoken = false;
  /** No more arrivals come. */
  #isEnding = false;
  /** Its last arrival, a failure; null where it ends without one. */
  #ending: Arrivals | null = null;

  /**
   * `mostWaiting` deliveries may wait when more come (SUBSCRIPTION_BUFFER). `whenEnded` is called as soon as it takes no more of them.
   */
  constructor(room: CallerRoom, mostWaiting: number, whenEnded: () => void) {
    this.#room = room;
    this.#mostWaiting = mostWaiting;
    this.#whenEnded = whenEnded;
  }

  join<Writer extends StreamWriter>(key: string, execute: Execute<Writer>, writer: Writer): void {
    // A key belongs to one kind of writer.
    const stream = this.#room.streamOf(key, execute as unknown as Execute<StreamWriter>);
    this.#joined = { stream, writer };
    stream.add(this, writer);
    for (const arrivals of this.#waiting) arrivals.in(stream).join();
    this.wake();
  }

  [Symbol.asyncIterator](): AsyncIterator<never> {
    return neverRead();
  }

  /** For how long its connection has kept it waiting since it has taken all of earlier arrivals, in milliseconds. */
  get blockedMs(): number {
    return this.#blockedMs + (this.#underWay.length > 0 ? performance.now() - this.#writtenAt : 0);
  }

  /** Adds arrivals; ends the stream instead where the reader is too far behind, and has taken nothing since the last ones came. */
  push(arrivals: Arrivals): void {
    if (this.#isEnding || arrivals.events.length === 0) return;
    const isStuck = this.#underWay.length > 0 && this.#underWay === this.#underWayBefore;
    this.#underWayBefore = this.#underWay;
    if (isStuck && this.#waiting.reduce((sum, { events }) => sum + events.length, -this.#taken) > this.#mostWaiting)
      this.#cut(tooSlow(`More than ${this.#mostWaiting} deliveries were waiting to be read when more came`));
    else this.#add(arrivals);
  }

  #add(arrivals: Arrivals): void {
    this.#waiting.push(arrivals);
    if (this.#joined !== null) arrivals.in(this.#joined.stream).join();
    this.wake();
  }

  /** Ends the stream behind what is waiting, with a failure as its last arrival where one is given. */
  end(ending: Arrivals | null = null): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#ending = ending;
    if (ending !== null) this.#add(ending);
    this.#whenEnded();
    this.wake();
  }

  /** Drops what waits for it, and ends it with an error from which its reader can resume. */
  giveWay(mostBytes: number): void {
    this.#cut(tooSlow(`Streams of this API key had ${mostBytes} bytes waiting to be read, this one for too long`));
  }

  /** Leaves at once: the client has gone. */
  leave(): void {
    this.end();
    this.#drop();
    this.#joined?.stream.remove(this);
  }

  wake(): void {
    if (this.#isWoken || this.#joined === null) return;
    this.#isWoken = true;
    doSoon(this.#goOn);
  }

  #cut(failure: Error): void {
    // Its ending takes no room.
    if (this.#waiting[0] === this.#ending) return;
    this.#drop();
    if (this.#ending === null) this.end(endingWith(failure));
    else this.#add(this.#ending);
  }

  #drop(): void {
    for (const arrivals of this.#waiting.splice(0)) {
      if (this.#joined !== null) arrivals.in(this.#joined.stream).move(this.#taken);
      this.#taken = 0;
    }
  }

  readonly #goOn = (): void => {
    this.#isWoken = false;
    if (this.#joined === null || this.#underWay.length > 0) return;
    const { stream, writer } = this.#joined;
    const [arrivals] = this.#waiting;
    if (arrivals !== undefined) {
      const batch = arrivals.in(stream);
      const events = this.#ready(batch);
      if (events.length === 0) return;
      this.#underWay = events;
      this.#writtenAt = performance.now();
      writer.write(events, () => this.#note(batch, events));
    } else if (this.#isEnding) {
      // A result that is still being made wakes it once more.
      this.#joined = null;
      writer.end();
      stream.remove(this);
    }
  };

  /** What can be written now; more as soon as that is taken. */
  #ready(batch: Batch): readonly WrittenEvent[] {
    const events: WrittenEvent[] = [];
    let bytes = 0;
    const next = batch.arrivals.events.slice(this.#taken, this.#taken + eventsAtOnce);
    for (const [offset, event] of next.entries()) {
      const result = batch.resultAt(this.#taken + offset, this);
      if (result === null) break;
      // A failure has the id of what was written before it.
      events.push({ eventId: event instanceof Error ? this.eventId : event.eventId, result });
      bytes += result.bytes;
      if (result.isLast || bytes >= writtenAtOnce || isSliceOver()) break;
    }
    return events;
  }

  #note(batch: Batch, events: readonly WrittenEvent[]): void {
    this.#blockedMs = this.blockedMs;
    this.#underWay = [];
    const { result, eventId } = events.at(-1) as WrittenEvent;
    if (result.isLast) {
      this.end();
      this.#drop();
    } else {
      this.eventId = eventId;
      // What was waiting may have been dropped meanwhile.
      if (this.#waiting[0] === batch.arrivals) this.#move(batch, events.length);
    }
    this.wake();
  }

  #move(batch: Batch, count: number): void {
    batch.move(this.#taken, this.#taken + count);
    this.#taken += count;
    if (this.#taken < batch.arrivals.events.length) return;
    this.#waiting.shift();
    this.#taken = 0;
    this.#blockedMs = 0;
  }
}

function tooSlow(reason: string): GatewayError {
  return new GatewayError('QUERY_TOO_COMPLEX', {
    message: `${reason}. Read faster, select less or narrow the filter, and subscribe again, with Last-Event-ID where nothing may be missed.`,
  });
}
