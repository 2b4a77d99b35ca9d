import { runAfter } from '../../timeout.ts';
import { shareOfRoom } from '../../bounds.ts';
import { TransientMap } from '../../transient-map.ts';
import { BodyHold, type Room } from './body-hold.ts';
import { unreadWeight } from './body-size.ts';
import { UnreadError } from './wire-response.ts';

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
  readonly stopTime: () => void;
}

/**
 * Room for the large bodies of all calls together. A caller's part depends on what is left for the others, so that a caller who
 * has nothing finds some. One body at a time may go on to its end, of the caller who has the least: room for the largest body
 * is kept for it, so that bodies which have begun and need more do not wait for each other.
 */
export class BodyRoom implements Room {
  /** The memory that all share; the rest is kept for the favoured body. */
  readonly #shared: number;
  readonly #waitMs: number;
  readonly #heldBy = new TransientMap<string, number>();
  readonly #waiters = new TransientMap<BodyHold, Waiter>();
  #total = 0;
  #favoured: BodyHold | null = null;

  constructor({ mostBytes, maxBodyBytes, waitMs }: BodyRoomOptions) {
    this.#shared = Math.max(0, mostBytes - unreadWeight({ bytes: maxBodyBytes, lists: 0 }));
    this.#waitMs = waitMs;
  }

  /** A hold for one body of a caller, which takes nothing yet. */
  hold(identity: string): BodyHold {
    return new BodyHold(this, identity);
  }

  grow(hold: BodyHold, weight: number, go: () => void, fail: (error: UnreadError) => void): boolean {
    if (this.#mayGrow(hold, weight)) {
      this.#resize(hold, weight);
      return true;
    }
    const refuse = (): void => {
      this.#waiters.delete(hold);
      fail(noRoom());
    };
    this.#waiters.set(hold, { hold, weight, go, stopTime: runAfter(this.#waitMs, refuse) });
    return false;
  }

  shrink(hold: BodyHold, weight: number): void {
    this.#resize(hold, weight);
    if (this.#favoured === hold) this.#favoured = null;
    this.#stopWaiting(hold);
    const byHeld = [...this.#waiters.values()].sort((a, b) => this.#heldOf(a.hold) - this.#heldOf(b.hold));
    for (const waiter of byHeld) {
      if (!this.#mayGrow(waiter.hold, waiter.weight)) continue;
      this.#stopWaiting(waiter.hold);
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

  #stopWaiting(hold: BodyHold): void {
    this.#waiters.get(hold)?.stopTime();
    this.#waiters.delete(hold);
  }
}

function noRoom(): UnreadError {
  return new UnreadError('UPSTREAM_UNAVAILABLE', {
    message: 'Too much is being read at once for so large an answer. Ask for less at a time, or try again in a moment.',
    retryAfterSeconds: 1,
  });
}
