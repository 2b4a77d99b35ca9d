import { CancelSource } from '../cancellation.ts';
import type { EventResult, Execute, StreamEvent, StreamWriter } from './stream.ts';

/** Of the bytes that wait for readers (SUBSCRIPTION_BUFFER_BYTES), a caller may have one of so many parts. */
const bufferCallerPart = 4;

/** Milliseconds for which its reader kept a stream waiting before it may end for lack of room. One who takes all needs a few. */
const blockedMs = 5_000;

/** Streams that go on when some room is free again; each wakes others once it has been served. */
const wokenAtOnce = 4;

/** What waits for readers: deliveries, and the results of executions. Each may take half of the room. */
type Kind = 'deliveries' | 'results';

/** A stream's reader, as the room knows it. */
export interface RoomReader {
  /** For how long its connection has kept it waiting, in milliseconds. */
  readonly blockedMs: number;
  wake(): void;
  /** Ends its stream with an error from which it can resume. */
  giveWay(mostBytes: number): void;
}

/** The bytes of all streams that wait for their readers: what many streams wait for counts once. */
export class StreamRooms {
  /** What a caller may fill. */
  readonly share: number;
  readonly #most: number;
  readonly #rooms = new Map<string, CallerRoom>();
  readonly #bytes = { deliveries: 0, results: 0 };

  constructor(mostBytes: number) {
    this.#most = mostBytes;
    this.share = mostBytes / bufferCallerPart;
  }

  /** The room of a caller, by identity, as long as somebody keeps it. */
  of(identity: string): CallerRoom {
    const room = this.#rooms.get(identity) ?? new CallerRoom(this, () => this.#rooms.delete(identity));
    this.#rooms.set(identity, room);
    return room;
  }

  /** How many bytes of a kind are free; less than none where one that is larger than all room came through. */
  free(kind: Kind): number {
    return this.#most / 2 - this.#bytes[kind];
  }

  count(kind: Kind, bytes: number): void {
    this.#bytes[kind] += bytes;
  }

  /** The room with most of a kind in it; the given one where none has more. */
  largest(kind: Kind, room: CallerRoom): CallerRoom {
    return this.#rooms.values().reduce((most, other) => (other.bytes[kind] > most.bytes[kind] ? other : most), room);
  }
}

/** What waits for the readers of one caller. */
export class CallerRoom {
  readonly bytes = { deliveries: 0, results: 0 };
  readonly #all: StreamRooms;
  readonly #whenUnused: () => void;
  /** By the keys that their readers have given. */
  readonly #streams = new Map<string, SharedStream>();
  readonly #readers = new Set<RoomReader>();
  /** Readers that cannot go on before there is room. */
  readonly #waiting = new Set<RoomReader>();
  #users = 0;

  constructor(all: StreamRooms, whenUnused: () => void) {
    this.#all = all;
    this.#whenUnused = whenUnused;
  }

  /** Keeps the room until `leave`. */
  enter(): void {
    this.#users++;
  }

  leave(): void {
    if (--this.#users === 0) this.#whenUnused();
  }

  /** The stream of all readers that give equal keys, of whichever feeds. */
  streamOf(key: string, execute: Execute<StreamWriter>): SharedStream {
    const stream = this.#streams.get(key) ?? new SharedStream(this, execute, () => this.#streams.delete(key));
    this.#streams.set(key, stream);
    return stream;
  }

  add(reader: RoomReader): void {
    this.#readers.add(reader);
    this.enter();
  }

  delete(reader: RoomReader): void {
    if (!this.#readers.delete(reader)) return;
    if (this.#waiting.delete(reader)) this.wake(wokenAtOnce);
    this.leave();
  }

  hold(kind: Kind, bytes: number): void {
    this.bytes[kind] += bytes;
    this.#all.count(kind, bytes);
  }

  release(kind: Kind, bytes: number): void {
    this.hold(kind, -bytes);
    this.wake(wokenAtOnce);
  }

  /** Whether a reader may make one more result: one at a time in any case. Where it may not, it is woken when there may be room. */
  allows(reader: RoomReader): boolean {
    const isAllowed = this.#admits('results', reader);
    if (!isAllowed) this.#waiting.add(reader);
    return isAllowed;
  }

  /**
   * How many of the oldest of some deliveries a reading may hand on, by their weights, the one that fills the room included; the others are
   * to be read again later.
   */
  intake(weights: readonly number[]): number {
    if (!this.#admits('deliveries')) return 0;
    let free = this.#free('deliveries');
    const last = weights.findIndex((weight) => (free -= weight) <= 0);
    return last === -1 ? weights.length : last + 1;
  }

  /** Lets some that wait for room try again: there is more of it, or a stream may have been slow for long enough by now. */
  wake(most = Infinity): void {
    for (const reader of this.#waiting.values().take(most).toArray()) {
      this.#waiting.delete(reader);
      reader.wake();
    }
  }

  #hasRoom(kind: Kind): boolean {
    return this.bytes[kind] === 0 || this.#free(kind) > 0;
  }

  #free(kind: Kind): number {
    return Math.min(this.#all.share / 2 - this.bytes[kind], this.#all.free(kind));
  }

  /** Whether one more may come. For lack of room slow streams end: those of this caller over its share, else of the one with most. */
  #admits(kind: Kind, asking?: RoomReader): boolean {
    if (this.#hasRoom(kind)) return true;
    const { share } = this.#all;
    const room = this.bytes[kind] < share / 2 ? this.#all.largest(kind, this) : this;
    for (const reader of room.#readers) if (reader !== asking && reader.blockedMs >= blockedMs) reader.giveWay(share);
    return this.#hasRoom(kind);
  }
}

/** One subscription that is executed once for all streams that ask the same. */
export class SharedStream {
  readonly room: CallerRoom;
  readonly #execute: Execute<StreamWriter>;
  readonly #whenEmpty: () => void;
  readonly #cancel = new CancelSource();
  readonly #readers = new Map<RoomReader, StreamWriter>();

  constructor(room: CallerRoom, execute: Execute<StreamWriter>, whenEmpty: () => void) {
    this.room = room;
    this.#execute = execute;
    this.#whenEmpty = whenEmpty;
  }

  add(reader: RoomReader, writer: StreamWriter): void {
    this.#readers.set(reader, writer);
    this.room.add(reader);
  }

  remove(reader: RoomReader): void {
    if (!this.#readers.delete(reader)) return;
    this.room.delete(reader);
    if (this.#readers.size > 0) return;
    this.#whenEmpty();
    this.#cancel.abort(new Error('Nobody reads the stream any more.'));
  }

  /** Executes an event on behalf of one of the readers. */
  execute(event: StreamEvent, reader: RoomReader): EventResult | Promise<EventResult> {
    return this.#execute(event, this.#readers.get(reader) as StreamWriter, this.#cancel);
  }
}
