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
  /** How far it has come: the number of its arrivals, and behind the point the part of these that it has taken. */
  readonly position: number;
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
    const wasFull = this.free(kind) <= 0;
    this.#bytes[kind] += bytes;
    if (wasFull && this.free(kind) > 0) for (const room of this.#rooms.values()) room.wakeSome();
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

  add(reader: RoomReader): void {
    this.#readers.add(reader);
    this.enter();
  }

  delete(reader: RoomReader): void {
    if (!this.#readers.delete(reader)) return;
    if (this.#waiting.delete(reader)) this.wakeSome();
    this.leave();
  }

  hold(kind: Kind, bytes: number): void {
    this.bytes[kind] += bytes;
    this.#all.count(kind, bytes);
  }

  release(kind: Kind, bytes: number): void {
    this.hold(kind, -bytes);
    this.wakeSome();
  }

  /** Whether a reader may make one more result: one at a time in any case. Where it may not, it is woken when there may be room. */
  allows(reader: RoomReader): boolean {
    if (!this.#hasRoom) this.#makeRoom('results', 1, reader.position, () => this.#hasRoom);
    if (this.#hasRoom) return true;
    this.#waiting.add(reader);
    return false;
  }

  /** How many of the oldest of some deliveries a reading may hand on, by their weights; the others are to be read again later. */
  intake(weights: readonly number[]): number {
    const sum = weights.reduce((total, weight) => total + weight, 0);
    const wanted = Math.min(sum, this.#all.share / 2);
    const hasRoom = (): boolean => this.#free('deliveries') >= wanted;
    if (!hasRoom()) this.#makeRoom('deliveries', wanted, Infinity, hasRoom);
    let free = this.#free('deliveries');
    const beyond = weights.findIndex((weight) => (free -= weight) < 0);
    // One that is larger than all the room comes through too.
    if (beyond === 0 && this.bytes.deliveries === 0) return 1;
    return beyond === -1 ? weights.length : beyond;
  }

  /** Lets all that wait for room try again: a stream may have been behind for long enough by now. */
  retry(): void {
    this.#wake(Infinity);
  }

  wakeSome(): void {
    if (this.#hasRoom) this.#wake(wokenAtOnce);
  }

  #wake(most: number): void {
    for (const reader of this.#waiting.values().take(most).toArray()) {
      this.#waiting.delete(reader);
      reader.wake();
    }
  }

  get #hasRoom(): boolean {
    return this.bytes.results === 0 || this.#free('results') > 0;
  }

  #free(kind: Kind): number {
    return Math.min(this.#all.share / 2 - this.bytes[kind], this.#all.free(kind));
  }

  /** Ends slow readers' streams: of this caller behind a position, where its share is too small; else of the caller with most. */
  #makeRoom(kind: Kind, wanted: number, position: number, isEnough: () => boolean): void {
    const isOverShare = this.bytes[kind] + wanted > this.#all.share / 2;
    if (isOverShare) this.#endFurthest(position, isEnough);
    else this.#all.largest(kind, this).#endFurthest(Infinity, isEnough);
  }

  /** Ends slow readers' streams that are further behind than a position, the furthest first, until it is enough. */
  #endFurthest(position: number, isEnough: () => boolean): void {
    const slow = [...this.#readers].filter((reader) => reader.position < position && reader.blockedMs >= blockedMs);
    for (const reader of slow.sort((left, right) => left.position - right.position)) {
      reader.giveWay(this.#all.share);
      if (isEnough()) return;
    }
  }
}
