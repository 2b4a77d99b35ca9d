import { readWeight, unreadWeight, type BodySize } from './body-size.ts';
import type { Hold, UnreadError } from './wire-response.ts';

/** The room that a hold takes its memory from. All weights are in bytes. */
export interface Room {
  /**
   * Lets a hold have `weight` in all. True where there is room now; else one of the two functions runs: `go` once there is, or
   * `fail` with UPSTREAM_UNAVAILABLE when that has taken too long.
   */
  grow(hold: BodyHold, weight: number, go: () => void, fail: (error: UnreadError) => void): boolean;
  /** Takes back what a hold has beyond `weight`: it will not grow again. */
  shrink(hold: BodyHold, weight: number): void;
}

/** The memory of one large body, from its first bytes until nobody needs what was read of it. */
export class BodyHold implements Hold {
  readonly identity: string;
  /** The memory that it has, in bytes. */
  weight = 0;
  readonly #room: Room;
  #size: BodySize = { bytes: 0, lists: 0 };
  #users = 1;

  constructor(room: Room, identity: string) {
    this.#room = room;
    this.identity = identity;
  }

  /** Makes room for a body that is still to come, or has come, as `Room.grow` does. */
  grow(size: BodySize, go: () => void, fail: (error: UnreadError) => void): boolean {
    this.#size = size;
    const weight = unreadWeight(size);
    if (weight > this.weight) return this.#room.grow(this, weight, go, fail);
    this.#room.shrink(this, weight);
    return true;
  }

  read(): void {
    this.#room.shrink(this, readWeight(this.#size));
  }

  share(): void {
    this.#users++;
  }

  release(): void {
    this.#users--;
    if (this.#users === 0) this.#room.shrink(this, 0);
  }
}
