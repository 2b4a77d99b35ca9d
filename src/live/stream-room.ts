import { FreeFormText } from '../json.ts';

/** Of the bytes that wait for readers (SUBSCRIPTION_BUFFER_BYTES), a caller may have one of so many parts. */
export const bufferCallerPart = 4;

/** Milliseconds for which its reader kept a stream waiting before it may end for lack of room. One who takes all needs a few. */
export const blockedMs = 5_000;

/** Bytes that a delivery takes that waits: its objects, and the id of its event, which has two kilobytes at most. */
export const deliveryWeight = 2_048;

/** Bytes that each value of it takes besides its characters. */
export const valueWeight = 32;

/** A stream's reader, as the room knows it. */
export interface RoomReader {
  /** How far it has come: the number of a reading, and behind the point the part of that which it has taken. */
  readonly position: number;
  /** For how long its connection has kept it waiting, in milliseconds. */
  readonly blockedMs: number;
  /** Goes on soon. */
  wake(): void;
  /** Ends its stream with an error from which it can resume. */
  giveWay(mostBytes: number): void;
  /** Cuts its connection off. */
  destroy(): void;
}

/** The bytes of all streams that wait for their readers: what many streams wait for counts once. */
export class StreamRooms {
  readonly #most: number;
  readonly #rooms = new Map<string, CallerRoom>();
  #bytes = 0;
  #readings = 0;

  constructor(mostBytes: number) {
    this.#most = mostBytes;
  }

  /** What a caller may fill: a quarter. */
  get share(): number {
    return this.#most / bufferCallerPart;
  }

  get isFull(): boolean {
    return this.#bytes >= this.#most;
  }

  /** How much deliveries may still take: as much as they, their results take. */
  get free(): number {
    return this.#most / 2 - this.#bytes;
  }

  /** The room of a caller, by identity, as long as somebody keeps it. */
  of(identity: string): CallerRoom {
    const room = this.#rooms.get(identity) ?? new CallerRoom(this, () => this.#rooms.delete(identity));
    this.#rooms.set(identity, room);
    return room;
  }

  /** Numbers the readings of all lists. */
  nextReading(): number {
    return ++this.#readings;
  }

  count(bytes: number): void {
    const wasFull = this.isFull;
    this.#bytes += bytes;
    if (wasFull && !this.isFull) for (const room of this.#rooms.values()) room.wakeSome();
  }

  /** The room with most in it; the given one where none has more. */
  largest(room: CallerRoom): CallerRoom {
    return this.#rooms.values().reduce((most, other) => (other.bytes > most.bytes ? other : most), room);
  }
}

// Streams that go on when some room is free again; each wakes others once it has been served.
const wokenAtOnce = 4;

/** What waits for the readers of one caller. */
export class CallerRoom {
  readonly #all: StreamRooms;
  readonly #whenUnused: () => void;
  readonly #readers = new Set<RoomReader>();
  /** Readers that cannot go on before there is room. */
  readonly #waiting = new Set<RoomReader>();
  #users = 0;
  #bytes = 0;
  /** Of these, results of executions. */
  #resultBytes = 0;
  /** The bytes that streams which have given way are still writing. */
  readonly #last = new Map<RoomReader, number>();
  #lastBytes = 0;

  constructor(all: StreamRooms, whenUnused: () => void) {
    this.#all = all;
    this.#whenUnused = whenUnused;
  }

  get bytes(): number {
    return this.#bytes;
  }

  nextReading(): number {
    return this.#all.nextReading();
  }

  /** Keeps the room until `leave`. */
  enter(): void {
    this.#users++;
  }

  leave(): void {
    if (--this.#users === 0) this.#whenUnused();
  }

  add(reader: RoomReader): void {
    this.#readers.add(reader);
    this.enter();
  }

  delete(reader: RoomReader): void {
    if (!this.#readers.delete(reader)) return;
    this.releaseLast(reader);
    if (this.#waiting.delete(reader)) this.wakeSome();
    this.leave();
  }

  hold(bytes: number): void {
    this.#count(bytes);
  }

  release(bytes: number): void {
    this.#count(-bytes);
    this.wakeSome();
  }

  holdResult(bytes: number): void {
    this.#resultBytes += bytes;
    this.#count(bytes);
  }

  releaseResult(bytes: number): void {
    this.#resultBytes -= bytes;
    this.release(bytes);
  }

  /**
   * Whether a reader may make one more result. Where there is no room, streams end for it that are further behind because their readers
   * are slow; where there are none, the reader is woken when there may be room.
   */
  allows(reader: RoomReader): boolean {
    // Results go one by one where deliveries alone take all the room.
    const isAllowed = (): boolean => !this.#isFull || this.#resultBytes === 0;
    if (!isAllowed()) {
      if (this.#bytes >= this.#all.share) this.#endFurthest(reader.position, isAllowed);
      else this.#all.largest(this).#endFurthest(Infinity, isAllowed);
    }
    if (isAllowed()) return true;
    this.#waiting.add(reader);
    return false;
  }

  /**
   * How many of the oldest of some deliveries a reading may hand on, by their weights; the others are to be read again later. Where
   * there is no room, streams end for them that are behind because their readers are slow.
   */
  intake(weights: readonly number[]): number {
    const wanted = weights.reduce((sum, weight) => sum + weight, 0);
    const hasRoom = (): boolean => this.#free >= Math.min(wanted, this.#all.share / 2);
    if (!hasRoom()) this.#endFurthest(Infinity, hasRoom);
    if (!hasRoom()) this.#all.largest(this).#endFurthest(Infinity, hasRoom);
    let free = this.#free;
    const beyond = weights.findIndex((weight) => (free -= weight) < 0);
    // One that is larger than all the room comes through too.
    if (beyond === 0 && this.#bytes === 0) return 1;
    return beyond === -1 ? weights.length : beyond;
  }

  /** Holds what a stream that has given way is still writing. Beyond a bound, the connections of those that did so first are cut off. */
  holdLast(reader: RoomReader, bytes: number): void {
    this.#last.set(reader, bytes);
    this.#lastBytes += bytes;
    for (const [oldest] of this.#last) {
      if (this.#lastBytes <= this.#all.share / 2) return;
      this.releaseLast(oldest);
      oldest.destroy();
    }
  }

  releaseLast(reader: RoomReader): void {
    this.#lastBytes -= this.#last.get(reader) ?? 0;
    this.#last.delete(reader);
  }

  /** Lets all that wait for room try again: a stream may have been behind for long enough by now. */
  retry(): void {
    this.#wake(Infinity);
  }

  wakeSome(): void {
    if (!this.#isFull || this.#resultBytes === 0) this.#wake(wokenAtOnce);
  }

  #wake(most: number): void {
    for (const reader of this.#waiting.values().take(most).toArray()) {
      this.#waiting.delete(reader);
      reader.wake();
    }
  }

  get #isFull(): boolean {
    return this.#bytes >= this.#all.share || this.#all.isFull;
  }

  get #free(): number {
    return Math.min(this.#all.share / 2 - this.#bytes, this.#all.free);
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    this.#all.count(bytes);
  }

  /** Ends slow readers' streams that are furthest behind, and further than a position, until it is enough. */
  #endFurthest(position: number, isEnough: () => boolean): void {
    for (;;) {
      let furthest = Infinity;
      for (const reader of this.#readers)
        if (reader.position < furthest && reader.blockedMs >= blockedMs) furthest = reader.position;
      if (furthest >= position) return;
      for (const reader of this.#readers) {
        if (reader.position !== furthest || reader.blockedMs < blockedMs) continue;
        reader.giveWay(this.#all.share);
        if (isEnough()) return;
      }
    }
  }
}

/** The deliveries of one reading, which take room for as long as some stream waits for them. */
export class Reading {
  /** Larger for a later one. */
  readonly number: number;
  readonly #room: CallerRoom;
  #bytes = 0;
  #users = 0;

  constructor(room: CallerRoom) {
    this.#room = room;
    this.number = room.nextReading();
  }

  /** Counts deliveries as a part of it. */
  note(weight: number): void {
    this.#bytes += weight;
  }

  hold(): void {
    if (this.#users++ === 0) this.#room.hold(this.#bytes);
  }

  release(): void {
    if (--this.#users === 0) this.#room.release(this.#bytes);
  }
}

/** About how many bytes a delivery takes in memory, with the id of its event. */
export function weightOf(delivery: unknown): number {
  let weight = deliveryWeight;
  const open: unknown[] = [delivery];
  while (open.length > 0) {
    const value = open.pop();
    weight += valueWeight;
    if (typeof value === 'string') weight += value.length;
    else if (value instanceof FreeFormText) weight += value.length;
    else if (typeof value === 'object' && value !== null) for (const reader of Object.values(value)) open.push(reader);
  }
  return weight;
}
