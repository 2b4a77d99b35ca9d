import { bodyWeight, shareOfRoom } from '../../bounds.ts';
import { UnreadError, type Hold } from './wire-response.ts';

export interface BodyRoomOptions {
  /** The memory that large bodies may take together, in bytes. */
  readonly mostBytes: number;
  /** The largest body that is read, in bytes. */
  readonly maxBodyBytes: number;
  /** The longest wait for room, in milliseconds. */
  readonly waitMs: number;
}

interface Waiter {
  readonly hold: BodyHold;
  readonly weight: number;
  readonly go: () => void;
  readonly fail: (error: UnreadError) => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * Room for the bodies of all calls together, the small ones left out. What a caller may have of it hangs on what is left for the
 * others, so that who has nothing finds some; but one body at a time, of the caller who has the least, may go on to its end:
 * room for the largest is kept for it, so that those who have begun and need more do not wait for each other.
 */
export class BodyRoom {
  /** What is shared; the rest is kept for the one. */
  readonly #shared: number;
  readonly #waitMs: number;
  readonly #heldBy = new Map<string, number>();
  readonly #waiters = new Map<BodyHold, Waiter>();
  #total = 0;
  #favoured: BodyHold | null = null;

  constructor({ mostBytes, maxBodyBytes, waitMs }: BodyRoomOptions) {
    this.#shared = Math.max(0, mostBytes - unreadWeight({ bytes: maxBodyBytes, lists: 0 }));
    this.#waitMs = waitMs;
  }

  /** For one body of a caller: takes nothing yet. */
  hold(identity: string): BodyHold {
    return new BodyHold(this, identity);
  }

  /** See `BodyHold.grow`. */
  grow(hold: BodyHold, weight: number, go: () => void, fail: (error: UnreadError) => void): boolean {
    if (this.#mayGrow(hold, weight)) {
      this.#resize(hold, weight);
      return true;
    }
    const refuse = (): void => {
      this.#waiters.delete(hold);
      fail(tooMuch());
    };
    this.#waiters.set(hold, { hold, weight, go, fail, timer: setTimeout(refuse, this.#waitMs) });
    return false;
  }

  /** Gives back what a body takes beyond `weight`, which is all that it needs. */
  shrink(hold: BodyHold, weight: number): void {
    this.#resize(hold, weight);
    if (this.#favoured === hold) this.#favoured = null;
    this.#leave(hold);
    const byHeld = [...this.#waiters.values()].sort((a, b) => this.#heldOf(a.hold) - this.#heldOf(b.hold));
    for (const waiter of byHeld) {
      if (!this.#mayGrow(waiter.hold, waiter.weight)) continue;
      this.#leave(waiter.hold);
      this.#resize(waiter.hold, waiter.weight);
      waiter.go();
    }
  }

  #mayGrow(hold: BodyHold, weight: number): boolean {
    if (this.#favoured === hold) return true;
    const left = this.#shared - this.#total;
    const more = weight - hold.weight;
    const held = this.#heldOf(hold);
    if (held + more <= (left - more) * shareOfRoom) return true;
    if (this.#favoured !== null || left < 0 || held - hold.weight > left * shareOfRoom) return false;
    this.#favoured = hold;
    return true;
  }

  #heldOf({ identity }: BodyHold): number {
    return this.#heldBy.get(identity) ?? 0;
  }

  #resize(hold: BodyHold, weight: number): void {
    const held = this.#heldOf(hold) + weight - hold.weight;
    this.#total += weight - hold.weight;
    hold.weight = weight;
    if (held === 0) this.#heldBy.delete(hold.identity);
    else this.#heldBy.set(hold.identity, held);
  }

  #leave(hold: BodyHold): void {
    clearTimeout(this.#waiters.get(hold)?.timer);
    this.#waiters.delete(hold);
  }
}

/** How large a body is: its bytes, and about how many lists and objects there are in it. */
export interface BodySize {
  readonly bytes: number;
  readonly lists: number;
}

/** What it takes once it has been read. */
function readWeight({ bytes, lists }: BodySize): number {
  return Math.max(bytes * bodyWeight.read, lists * bodyWeight.perList);
}

/** What it takes until then. */
function unreadWeight(size: BodySize): number {
  return size.bytes * bodyWeight.unread + readWeight(size);
}

/** What one body takes, from its first bytes until nobody needs what was read of it. */
export class BodyHold implements Hold {
  readonly identity: string;
  /** What it takes, in bytes. */
  weight = 0;
  readonly #room: BodyRoom;
  #size: BodySize = { bytes: 0, lists: 0 };
  #users = 1;

  constructor(room: BodyRoom, identity: string) {
    this.#room = room;
    this.identity = identity;
  }

  /**
   * Makes room for what has come, or is still to come. True where there is some now; else one of the two runs: `go` once there
   * is, or `fail` with UPSTREAM_UNAVAILABLE when that has taken too long.
   */
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

function tooMuch(): UnreadError {
  return new UnreadError('UPSTREAM_UNAVAILABLE', {
    message: 'Too much is being read at once for so large an answer. Ask for less at a time, or try again in a moment.',
    retryAfterSeconds: 1,
  });
}
