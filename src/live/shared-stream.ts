import { eventsAtOnce, writtenAtOnce } from '../bounds.ts';
import { CancelSource, type CancelSignal } from '../cancellation.ts';
import { GatewayError } from '../errors.ts';
import type { TimeSlices } from '../time-slices.ts';
import type { WebhookDeliveryRecord } from '../resources/webhook-delivery.ts';
import type { Arrivals, EventId } from './arrivals.ts';
import type { CallerRoom, RoomMember } from './stream-room.ts';

/** What one event is executed with: a delivery, or the failure that ends the stream. */
export type StreamEvent = WebhookDeliveryRecord | Error;

/** The result of one event, as bytes that all streams of an execution share. */
export interface EventResult {
  /** The result as JSON. A name stands where each stream has a text of its own. */
  readonly parts: readonly (Buffer | 'requestId' | 'eventId')[];
  readonly bytes: number;
  readonly errorCodes: readonly string[];
  /** Whether no event comes behind it, since the execution itself has failed: it has no id. */
  readonly isLast: boolean;
}

/** A result on its way to one reader. */
export interface WrittenEvent {
  readonly eventId: EventId;
  readonly result: EventResult;
}

/** Writes the events of one stream in the form of its transport. */
export interface StreamWriter {
  /**
   * Writes events one behind the other, large ones in several slices, and calls `taken` when the connection has taken them all. It is
   * not called again before.
   */
  write(events: readonly WrittenEvent[], slices: TimeSlices, taken: () => void): void;
  /** Ends the stream behind what was written. */
  end(): void;
  /** Cuts the connection off. */
  destroy(): void;
}

/**
 * Executes a subscription for one event. It rejects and throws nothing. `asking` is one of the streams; the signal aborts after the
 * last of them.
 */
export type Execute<Writer extends StreamWriter> = (
  event: StreamEvent,
  asking: Writer,
  signal: CancelSignal,
) => EventResult | Promise<EventResult>;

/** What all streams have in common. */
export interface StreamOptions {
  readonly room: CallerRoom;
  readonly slices: TimeSlices;
  /** How many deliveries may wait for one reader when more come. */
  readonly mostWaiting: number;
}

/** A result, null while it is being made, and who waits for it. */
interface Entry {
  result: EventResult | null;
  readonly waiting: SharedStreamMember[];
}

function newEntry(): Entry {
  return { result: null, waiting: [] };
}

/**
 * One subscription that is executed once for all streams that ask the same. An event is executed when the first of them can write it,
 * and its bytes are kept until the last of them has written it.
 */
export class SharedStream {
  readonly options: StreamOptions;
  readonly #execute: Execute<StreamWriter>;
  readonly #whenEmpty: () => void;
  readonly #cancel = new CancelSource();
  readonly #members = new Set<SharedStreamMember>();
  readonly #batches = new Map<Arrivals, Batch>();
  readonly #failures = new WeakMap<Error, Entry>();

  constructor(options: StreamOptions, execute: Execute<StreamWriter>, whenEmpty: () => void) {
    this.options = options;
    this.#execute = execute;
    this.#whenEmpty = whenEmpty;
  }

  /** Adds a stream; `whenEnded` is called once, as soon as it takes no more deliveries. */
  add(writer: StreamWriter, firstId: EventId, whenEnded: () => void): SharedStreamMember {
    const member = new SharedStreamMember(this, writer, firstId, whenEnded);
    this.#members.add(member);
    this.options.room.add(member);
    return member;
  }

  remove(member: SharedStreamMember): void {
    if (!this.#members.delete(member)) return;
    this.options.room.delete(member);
    if (this.#members.size > 0) return;
    this.#whenEmpty();
    this.#cancel.abort(new Error('Nobody reads the stream any more.'));
  }

  /** The batch of some arrivals, which all members share. */
  batchOf(arrivals: Arrivals): Batch {
    const known = this.#batches.get(arrivals);
    if (known !== undefined) return known;
    const batch = new Batch(this, arrivals, () => this.#batches.delete(arrivals));
    this.#batches.set(arrivals, batch);
    return batch;
  }

  /** The result of a failure; null where it is being made. The member is woken then. */
  failureResult(failure: Error, member: SharedStreamMember): EventResult | null {
    const known = this.#failures.get(failure);
    const entry = known ?? newEntry();
    if (known === undefined) {
      this.#failures.set(failure, entry);
      this.execute(failure, member, entry, () => {});
    }
    if (entry.result === null) entry.waiting.push(member);
    return entry.result;
  }

  /** Executes an event. `whenMade` runs when its result is there. */
  execute(
    event: StreamEvent,
    { writer }: SharedStreamMember,
    entry: Entry,
    whenMade: (result: EventResult) => void,
  ): void {
    const note = (result: EventResult): void => {
      entry.result = result;
      whenMade(result);
      for (const member of entry.waiting.splice(0)) member.wake();
    };
    const result = this.#execute(event, writer, this.#cancel);
    if (result instanceof Promise) void result.then(note);
    else note(result);
  }
}

/** Arrivals of one moment with their results, from the first that some member has not taken on. */
class Batch {
  readonly arrivals: Arrivals;
  readonly #stream: SharedStream;
  readonly #whenEmpty: () => void;
  readonly #entries: (Entry | undefined)[] = [];
  /** How many members have taken so many of them. */
  readonly #takers: Uint32Array;
  /** The first whose result may still be wanted. */
  #first = 0;
  #size = 0;

  constructor(stream: SharedStream, arrivals: Arrivals, whenEmpty: () => void) {
    this.#stream = stream;
    this.arrivals = arrivals;
    this.#whenEmpty = whenEmpty;
    this.#takers = new Uint32Array(arrivals.length + 1);
    arrivals.reading.hold(stream.options.room);
  }

  join(): void {
    this.#size++;
    this.#takers[0]!++;
    this.#first = 0;
  }

  move(from: number, to: number): void {
    this.#takers[from]!--;
    this.#takers[to]!++;
    this.#release();
  }

  leave(from: number): void {
    this.#takers[from]!--;
    this.#size--;
    this.#release();
    if (this.#size > 0) return;
    this.#whenEmpty();
    this.arrivals.reading.release(this.#stream.options.room);
  }

  /** The result at an index; null where it is being made, or where there is no room for it. The member is woken then. */
  resultAt(index: number, member: SharedStreamMember): EventResult | null {
    const entry = this.#entries[index] ?? this.#begin(index, member);
    if (entry?.result === null) entry.waiting.push(member);
    return entry?.result ?? null;
  }

  #begin(index: number, member: SharedStreamMember): Entry | null {
    const { room } = this.#stream.options;
    const arrival = this.arrivals.at(index);
    if (arrival === undefined || !room.allows(member)) return null;
    const entry = newEntry();
    this.#entries[index] = entry;
    this.#stream.execute(arrival.delivery, member, entry, ({ bytes }) => {
      // Nobody may want it any more.
      if (this.#entries[index] === entry) room.holdResult(bytes);
    });
    return entry;
  }

  #release(): void {
    for (; this.#first < this.arrivals.length && this.#takers[this.#first] === 0; this.#first++) {
      const result = this.#entries[this.#first]?.result;
      this.#entries[this.#first] = undefined;
      if (result != null) this.#stream.options.room.releaseResult(result.bytes);
    }
  }
}

/** One stream: how far its reader has come. */
export class SharedStreamMember implements RoomMember {
  readonly writer: StreamWriter;
  readonly #stream: SharedStream;
  readonly #whenEnded: () => void;
  readonly #batches: Batch[] = [];
  /** What the connection has not taken yet. */
  #underWay: readonly WrittenEvent[] = [];
  /** When that was written, by performance.now(). */
  #writtenAt = 0;
  #blockedMs = 0;
  /** The same, when the last arrivals came. */
  #underWayBefore: readonly WrittenEvent[] = [];
  /** How many of the first batch the connection has taken. */
  #taken = 0;
  /** How many of the batches are waiting in all. */
  #length = 0;
  #latestId: EventId;
  #isWoken = false;
  /** No more arrivals come. */
  #isEnding = false;
  #failure: Error | null = null;

  constructor(stream: SharedStream, writer: StreamWriter, firstId: EventId, whenEnded: () => void) {
    this.#stream = stream;
    this.writer = writer;
    this.#latestId = firstId;
    this.#whenEnded = whenEnded;
  }

  get position(): number {
    const [batch] = this.#batches;
    return batch === undefined ? Infinity : batch.arrivals.reading.number + this.#taken / batch.arrivals.length;
  }

  get blockedMs(): number {
    return this.#blockedMs + (this.#underWay.length > 0 ? performance.now() - this.#writtenAt : 0);
  }

  /** Adds arrivals; ends the stream instead where the reader is too far behind, and has taken nothing since the last ones came. */
  push(arrivals: Arrivals): void {
    if (this.#isEnding || arrivals.length === 0) return;
    const { mostWaiting } = this.#stream.options;
    const isStuck = this.#underWay.length > 0 && this.#underWay === this.#underWayBefore;
    this.#underWayBefore = this.#underWay;
    if (isStuck && this.#length > mostWaiting)
      return this.#cut(tooSlow(`More than ${mostWaiting} deliveries were waiting to be read when more came`));
    const batch = this.#stream.batchOf(arrivals);
    batch.join();
    this.#batches.push(batch);
    this.#length += arrivals.length;
    this.wake();
  }

  /** Ends the stream behind what is waiting, with a failure as its last event where one is given. */
  end(failure: Error | null = null): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#failure = failure;
    this.#whenEnded();
    this.wake();
  }

  giveWay(mostBytes: number): void {
    this.#cut(
      tooSlow(`Streams of this API key had ${mostBytes} bytes waiting to be read, and this one was furthest behind`),
    );
  }

  destroy(): void {
    this.writer.destroy();
  }

  /** Leaves at once: the client has gone. */
  leave(): void {
    this.#drop();
    this.end();
    this.#stream.remove(this);
  }

  wake(): void {
    if (this.#isWoken) return;
    this.#isWoken = true;
    this.#stream.options.slices.add(this.#goOn);
  }

  #cut(failure: Error): void {
    this.#drop();
    this.end(failure);
    if (this.#underWay.length > 0) this.#stream.options.room.holdLast(this, this.#underWay);
  }

  #drop(): void {
    let from = this.#taken;
    for (const batch of this.#batches.splice(0)) {
      batch.leave(from);
      from = 0;
    }
    this.#taken = 0;
    this.#length = 0;
  }

  readonly #goOn = (): void => {
    this.#isWoken = false;
    if (this.#underWay.length > 0) return;
    const [batch] = this.#batches;
    if (batch === undefined) return this.#isEnding ? this.#finish() : undefined;
    const events = this.#ready(batch);
    if (events.length === 0) return;
    this.#underWay = events;
    this.#writtenAt = performance.now();
    this.writer.write(events, this.#stream.options.slices, () => this.#note(batch, events));
  };

  /** What can be written now; more as soon as that is taken. */
  #ready(batch: Batch): readonly WrittenEvent[] {
    const { slices } = this.#stream.options;
    const events: WrittenEvent[] = [];
    let bytes = 0;
    for (let at = this.#taken; at < batch.arrivals.length; at++) {
      const result = batch.resultAt(at, this);
      const eventId = batch.arrivals.at(at)?.eventId;
      if (result === null || eventId === undefined) break;
      events.push({ eventId, result });
      bytes += result.bytes;
      if (result.isLast || bytes >= writtenAtOnce || events.length === eventsAtOnce || slices.isOver) break;
    }
    return events;
  }

  #note(batch: Batch, events: readonly WrittenEvent[]): void {
    this.#blockedMs = this.blockedMs;
    this.#underWay = [];
    this.#stream.options.room.releaseLast(this);
    const last = events.at(-1);
    if (last !== undefined && !last.result.isLast) this.#latestId = last.eventId;
    // What was waiting may have been dropped meanwhile.
    if (this.#batches[0] === batch) this.#move(batch, events.length);
    if (last?.result.isLast === true) {
      this.#drop();
      this.end();
    }
    this.wake();
  }

  #move(batch: Batch, count: number): void {
    batch.move(this.#taken, this.#taken + count);
    this.#taken += count;
    this.#length -= count;
    if (this.#taken < batch.arrivals.length) return;
    batch.leave(this.#taken);
    this.#batches.shift();
    this.#taken = 0;
    this.#blockedMs = 0;
  }

  #finish(): void {
    const failure = this.#failure;
    if (failure === null) {
      this.writer.end();
      return this.#stream.remove(this);
    }
    const result = this.#stream.failureResult(failure, this);
    if (result === null) return undefined;
    this.#underWay = [{ eventId: this.#latestId, result }];
    return this.writer.write(this.#underWay, this.#stream.options.slices, () => {
      this.#underWay = [];
      this.#failure = null;
      this.wake();
    });
  }
}

function tooSlow(reason: string): GatewayError {
  return new GatewayError('QUERY_TOO_COMPLEX', {
    message: `${reason}. Read faster, select less or narrow the filter, and subscribe again, with Last-Event-ID where nothing may be missed.`,
  });
}
