import { blockedMs, bufferCallerPart, deliveryWeight, valueWeight } from '../bounds.ts';

/** A stream in a room: how far it is behind others, and what can be asked of it. */
export interface RoomMember {
  /**
   * The number of the reading that has brought what it waits for, and behind the point the part of that which it has taken; infinite
   * where it waits for nothing.
   */
  readonly position: number;
  /** For how long its connection has kept it waiting since it has taken all of an earlier reading, in milliseconds. */
  readonly blockedMs: number;
  /** Drops what waits for it, and ends it with an error from which its reader can resume. */
  giveWay(mostBytes: number): void;
  /** Cuts its connection off. */
  destroy(): void;
  /** Goes on. */
  wake(): void;
}

/** Something that is kept in memory, by its size. */
interface Sized {
  readonly result: { readonly bytes: number };
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
  readonly #members = new Set<RoomMember>();
  /** Members that cannot go on before there is room. */
  readonly #waiting = new Set<RoomMember>();
  #users = 0;
  #bytes = 0;
  /** Of these, results of executions. */
  #resultBytes = 0;
  /** What streams that have given way are still writing; each result counts once. */
  readonly #last = new Map<RoomMember, readonly Sized[]>();
  readonly #lastResults = new Map<object, number>();
  #lastBytes = 0;

  constructor(all: StreamRooms, whenUnused: () => void) {
    this.#all = all;
    this.#whenUnused = whenUnused;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Keeps the room until `leave`. */
  enter(): void {
    this.#users++;
  }

  leave(): void {
    if (--this.#users === 0) this.#whenUnused();
  }

  add(member: RoomMember): void {
    this.#members.add(member);
    this.enter();
  }

  delete(member: RoomMember): void {
    if (!this.#members.delete(member)) return;
    this.releaseLast(member);
    if (this.#waiting.delete(member)) this.wakeSome();
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
   * Whether a member may make one more result. Where there is no room, streams end for it that are further behind because their readers
   * are slow; where there are none, the member is woken when there may be room.
   */
  allows(member: RoomMember): boolean {
    // Results go one by one where deliveries alone take all the room.
    const isAllowed = (): boolean => !this.#isFull || this.#resultBytes === 0;
    if (!isAllowed()) {
      if (this.#bytes >= this.#all.share) this.#endFurthest(member.position, isAllowed);
      else this.#all.largest(this).#endFurthest(Infinity, isAllowed);
    }
    if (isAllowed()) return true;
    this.#waiting.add(member);
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
    // One that is larger than all the room has its turn too.
    if (beyond === 0 && this.#bytes === 0) return 1;
    return beyond === -1 ? weights.length : beyond;
  }

  /** Holds what a stream that has given way is still writing. Beyond a bound, the connections of those that did so first are cut off. */
  holdLast(member: RoomMember, events: readonly Sized[]): void {
    this.#last.set(member, events);
    for (const { result } of events) {
      const users = this.#lastResults.get(result) ?? 0;
      if (users === 0) this.#lastBytes += result.bytes;
      this.#lastResults.set(result, users + 1);
    }
    for (const [oldest] of this.#last) {
      if (this.#lastBytes <= this.#all.share / 2) return;
      this.releaseLast(oldest);
      oldest.destroy();
    }
  }

  releaseLast(member: RoomMember): void {
    const events = this.#last.get(member) ?? [];
    this.#last.delete(member);
    for (const { result } of events) {
      const users = (this.#lastResults.get(result) ?? 1) - 1;
      if (users > 0) this.#lastResults.set(result, users);
      else if (this.#lastResults.delete(result)) this.#lastBytes -= result.bytes;
    }
  }

  /** Lets all that wait for room try again: a stream may have been behind for long enough by now. */
  retry(): void {
    const waiting = Array.from(this.#waiting);
    for (const member of waiting) {
      this.#waiting.delete(member);
      member.wake();
    }
  }

  wakeSome(): void {
    if (this.#waiting.size === 0 || (this.#isFull && this.#resultBytes > 0)) return;
    for (const member of this.#waiting.values().take(wokenAtOnce).toArray()) {
      this.#waiting.delete(member);
      member.wake();
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
      for (const member of this.#members)
        if (member.position < furthest && member.blockedMs >= blockedMs) furthest = member.position;
      if (furthest >= position) return;
      for (const member of this.#members) {
        if (member.position !== furthest || member.blockedMs < blockedMs) continue;
        member.giveWay(this.#all.share);
        if (isEnough()) return;
      }
    }
  }
}

/** The deliveries of one reading, for as long as some stream waits for them. */
export class Reading {
  /** Larger for a later one. */
  readonly number: number;
  #bytes = 0;
  #users = 0;

  constructor(number: number) {
    this.number = number;
  }

  /** Counts deliveries as a part of it. */
  note(weight: number): void {
    this.#bytes += weight;
  }

  hold(room: CallerRoom): void {
    if (this.#users++ === 0) room.hold(this.#bytes);
  }

  release(room: CallerRoom): void {
    if (--this.#users === 0) room.release(this.#bytes);
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
    else if (typeof value === 'object' && value !== null) for (const member of Object.values(value)) open.push(member);
  }
  return weight;
}
