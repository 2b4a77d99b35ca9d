import type { Heartbeat } from './heartbeat.ts';

/**
 * Whether the owner of a feed lives, by its heartbeats. The store may keep a lease for longer than it should, or show an old one
 * again: only a heartbeat that this process has not seen yet is a sign of life.
 */
export class LeaseOwner {
  readonly #leaseMs: number;
  #token = '';
  #count = 0;
  #at = -Infinity;

  constructor(leaseMs: number) {
    this.#leaseMs = leaseMs;
  }

  /** When the last sign of life came, by performance.now(). */
  get at(): number {
    return this.#at;
  }

  /** Notes the heartbeat of an owner; false where the owner seems to be gone. */
  note(token: string, { count }: Heartbeat): boolean {
    const now = performance.now();
    if (token === this.#token && count <= this.#count) return now - this.#at < this.#leaseMs;
    this.#token = token;
    this.#count = count;
    this.#at = now;
    return true;
  }
}
