import { runAfter, type CancelSignal } from '../../cancellation.ts';
import type { Config } from '../../config.ts';
import { GatewayError } from '../../errors.ts';
import { TransientMap } from '../transient-map.ts';

/** Of the room for bodies, a caller may have so many times what is left for the others. */
const shareOfRoom = 3;

/**
 * What a held body takes in memory, in bytes for each of its own: until it has been read, and from then on. Lists and reports as the API
 * sends them take less.
 */
const bodyWeight = { unread: 3, read: 1 } as const;

/** A response that the gateway had no room for: it says nothing of the upstream. */
export class UnreadError extends GatewayError {}

type BodyRoomOptions = Pick<Config, 'upstreamMaxHeldBytes' | 'upstreamMaxBodyBytes' | 'upstreamQueueTimeoutMs'>;

/** Somebody for whom a body is read. */
interface BodyUser {
  /** Calls a function when the body is no longer needed; absent: it is not needed once read. */
  readonly operation?: { hold(release: () => void): void } | undefined;
  readonly signal: CancelSignal;
}

interface Waiting {
  readonly weight: number;
  readonly go: () => void;
  readonly stopTime: () => void;
}

/**
 * Room for the large bodies of all calls together. A caller's part depends on what is left for the others, so that a caller who
 * has nothing finds some. One body at a time may go on to its end, of the caller who has the least: room for the largest body
 * is kept for it, so that bodies which have begun and need more do not wait for each other. All weights are in bytes.
 */
export class BodyRoom {
  /** The memory that all share; the rest is kept for the favoured body. */
  readonly #shared: number;
  readonly #waitMs: number;
  readonly #heldBy = new TransientMap<string, number>();
  readonly #waiting = new TransientMap<BodyHold, Waiting>();
  #total = 0;
  #favoured: BodyHold | null = null;

  constructor({ upstreamMaxHeldBytes, upstreamMaxBodyBytes, upstreamQueueTimeoutMs }: BodyRoomOptions) {
    this.#shared = Math.max(0, upstreamMaxHeldBytes - upstreamMaxBodyBytes * bodyWeight.unread);
    this.#waitMs = upstreamQueueTimeoutMs;
  }

  /**
   * Lets a hold have `weight` in all. True where there is room now; else one of the two functions runs: `go` once there is, or
   * `fail` with UPSTREAM_UNAVAILABLE when that has taken too long.
   */
  grow(hold: BodyHold, weight: number, go: () => void, fail: (error: UnreadError) => void): boolean {
    if (this.#mayGrow(hold, weight)) {
      this.#resize(hold, weight);
      return true;
    }
    const stopTime = runAfter(this.#waitMs, () => {
      this.#waiting.delete(hold);
      fail(noRoom());
    });
    this.#waiting.set(hold, { weight, go, stopTime });
    return false;
  }

  /** Takes back what a hold has beyond `weight`: it will not grow again. */
  shrink(hold: BodyHold, weight: number): void {
    this.#resize(hold, weight);
    if (this.#favoured === hold) this.#favoured = null;
    this.#stopWaiting(hold);
    const byHeld = [...this.#waiting].sort(([a], [b]) => this.#heldOf(a) - this.#heldOf(b));
    for (const [waiter, { weight: wanted, go }] of byHeld) {
      if (!this.#mayGrow(waiter, wanted)) continue;
      this.#stopWaiting(waiter);
      this.#resize(waiter, wanted);
      go();
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

  #stopWaiting(hold: BodyHold): void {
    this.#waiting.get(hold)?.stopTime();
    this.#waiting.delete(hold);
  }
}

/** The memory of one large body of a caller, none at first, until all who use what was read of it have released it. */
export class BodyHold {
  readonly identity: string;
  weight = 0;
  readonly #room: BodyRoom;
  #bytes = 0;
  #users = 1;

  constructor(room: BodyRoom, identity: string) {
    this.#room = room;
    this.identity = identity;
  }

  /** Makes room for a body of so many bytes that is still to come, or has come, as `BodyRoom.grow` does. */
  grow(bytes: number, go: () => void, fail: (error: UnreadError) => void): boolean {
    this.#bytes = bytes;
    const weight = bytes * bodyWeight.unread;
    if (weight > this.weight) return this.#room.grow(this, weight, go, fail);
    this.#room.shrink(this, weight);
    return true;
  }

  /** The body has been read: the memory of its bytes becomes free. */
  read(): void {
    this.#room.shrink(this, this.#bytes * bodyWeight.read);
  }

  /** Holds the body until a caller no longer needs it. */
  shareWith({ operation, signal }: BodyUser): void {
    if (operation === undefined || signal.aborted) return;
    this.#users++;
    operation.hold(() => this.release());
  }

  release(): void {
    this.#users--;
    if (this.#users === 0) this.#room.shrink(this, 0);
  }
}

function noRoom(): UnreadError {
  return new UnreadError('UPSTREAM_UNAVAILABLE', {
    message: 'Too much is being read at once for so large an answer. Ask for less at a time, or try again in a moment.',
    retryAfterSeconds: 1,
  });
}
