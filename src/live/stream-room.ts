import { FreeFormText } from '../json.ts';

/** Of the bytes that wait for readers (SUBSCRIPTION_BUFFER_BYTES), a caller may have one of so many parts. */
const bufferCallerPart = 4;

/** Milliseconds for which its reader kept a stream waiting before it may end for lack of room. One who takes all needs a few. */
const blockedMs = 5_000;

/** Bytes that a delivery takes that waits: its objects, and the id of its event, which has two kilobytes at most. */
const deliveryWeight = 2_048;

/** Bytes that each value of it takes besides its characters. */
const valueWeight = 32;

/** A stream's reader, as the room knows it. */
export interface RoomReader {
  /** How far it has come: the number of a reading, and behind the point the part of that which it has taken. */
  readonly position: number;
  /** For how long its connection has kept it waiting, in milliseconds. */
  readonly blockedMs: number;
  /** Ends its stream with an error from which it can resume. */
  giveWay(mostBytes: number): void;
}

/**
 * The bytes of all streams that wait for their readers, deliveries and results: what many streams wait for counts once. While there is
 * no room, nothing new is handed on.
 */
export class StreamRooms {
  /** What a caller may fill. */
  readonly share: number;
  bytes = 0;
  readonly #most: number;
  readonly #rooms = new Map<string, CallerRoom>();
  #readings = 0;

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

  /** Numbers the readings of all lists. */
  nextReading(): number {
    return ++this.#readings;
  }

  get isFull(): boolean {
    return this.bytes >= this.#most;
  }

  /** The room with most in it; the given one where none has more. */
  largest(room: CallerRoom): CallerRoom {
    return this.#rooms.values().reduce((most, other) => (other.bytes > most.bytes ? other : most), room);
  }
}

/** What waits for the readers of one caller. */
export class CallerRoom {
  bytes = 0;
  readonly #all: StreamRooms;
  readonly #whenUnused: () => void;
  readonly #readers = new Set<RoomReader>();
  #users = 0;

  constructor(all: StreamRooms, whenUnused: () => void) {
    this.#all = all;
    this.#whenUnused = whenUnused;
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
    if (this.#readers.delete(reader)) this.leave();
  }

  hold(bytes: number): void {
    this.bytes += bytes;
    this.#all.bytes += bytes;
  }

  release(bytes: number): void {
    this.hold(-bytes);
  }

  /**
   * Whether another reading may be handed on; a caller of whom nothing waits may always. Where there is no room, slow readers' streams
   * end: those of this caller over its share, else those of the caller with most.
   */
  hasRoom(): boolean {
    const isOverShare = (): boolean => this.bytes >= this.#all.share;
    if (isOverShare()) this.#endSlow(isOverShare);
    if (this.#all.isFull) this.#all.largest(this).#endSlow(() => this.#all.isFull);
    return this.bytes === 0 || (!isOverShare() && !this.#all.isFull);
  }

  /** Ends slow readers' streams, the one that is furthest behind first, for as long as it is needed. */
  #endSlow(isNeeded: () => boolean): void {
    const slow = [...this.#readers].filter((reader) => reader.position < Infinity && reader.blockedMs >= blockedMs);
    for (const reader of slow.sort((left, right) => left.position - right.position)) {
      if (!isNeeded()) return;
      reader.giveWay(this.#all.share);
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

  /** Counts a delivery as a part of it. */
  note(delivery: unknown): void {
    const weight = weightOf(delivery);
    this.#bytes += weight;
    if (this.#users > 0) this.#room.hold(weight);
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
    else if (typeof value === 'object' && value !== null) for (const member of Object.values(value)) open.push(member);
  }
  return weight;
}
