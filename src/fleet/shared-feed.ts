import { lookMs, looksPerLease, looksPerPoll } from '../bounds.ts';
import type { CancelSignal } from '../cancellation.ts';
import { pause, Sleep, type FeedShare, type ShareFeed, type TakeDeliveries } from '../live/feed-share.ts';
import type { WebhookDeliveryRecord } from '../resources/webhook-delivery.ts';
import type { SecretsOf } from './caller-secrets.ts';
import { createClaim, FeedLease, openEntry, openHeartbeat, type Heartbeat, type LeasedFeed } from './feed-lease.ts';
import type { FeedEntry, FeedLook, FeedStore } from './shared-store.ts';

/** How far this process follows an owner. */
interface Position {
  readonly token: string;
  /** The number of the owner's last entry that was taken, or that a reading has covered. */
  readonly sequence: number;
  /** The id of the last entry that was looked at. */
  readonly last: string;
}

/** What a look has found of another owner who lives. */
interface Followed extends Position {
  readonly entries: readonly FeedEntry[];
}

/** Shares feeds through a store. */
export function createFeedSharing(store: FeedStore, secretsOf: SecretsOf): ShareFeed {
  return ({ list, ...caller }, pollMs, take) => {
    const secrets = secretsOf(caller);
    const heartbeatMs = Math.min(lookMs.most, Math.max(lookMs.least, pollMs / looksPerPoll));
    const leaseMs = Math.ceil(heartbeatMs * looksPerLease);
    return new SharedFeed({ name: secrets.nameOf(`feed ${list}`), secrets, heartbeatMs, leaseMs }, store, pollMs, take);
  };
}

/**
 * One process polls, the others take what it sends. Each process has a window of its own over the list (delivery-window.ts), so
 * it sees what comes twice. It misses nothing either: it follows an owner only from a reading of its own on, which began after
 * the owner's last entry was noted, and only while every entry behind that one is there and the owner lives. Else it reads the
 * list again. So whatever the store says may cost calls, but no delivery.
 */
class SharedFeed implements FeedShare {
  readonly #feed: LeasedFeed;
  readonly #store: FeedStore;
  readonly #pollMs: number;
  readonly #take: TakeDeliveries;
  readonly #owner: LeaseOwner;
  readonly #sleep = new Sleep();
  readonly #unwatch: () => void;
  #lease: FeedLease | null = null;
  /** Null where this process reads the list itself: it holds the lease, or there is nobody to follow. */
  #position: Position | null = null;
  #readAt = -Infinity;
  /** A claim of this process that the store may have taken without its knowledge. */
  #lostToken = '';
  #isClosed = false;

  constructor(feed: LeasedFeed, store: FeedStore, pollMs: number, take: TakeDeliveries) {
    this.#feed = feed;
    this.#store = store;
    this.#pollMs = pollMs;
    this.#take = take;
    this.#owner = new LeaseOwner(feed.leaseMs);
    this.#unwatch = store.watch(feed.name, () => this.#sleep.wake());
  }

  async begin(): Promise<void> {
    this.#position = null;
    if (!this.#isPolling) this.#position = await this.#look(null);
  }

  end(fresh: readonly WebhookDeliveryRecord[]): void {
    this.#readAt = performance.now();
    if (this.#isPolling) this.#lease?.append(fresh);
  }

  fail(): void {
    this.#position = null;
    this.#lease?.release();
  }

  async wait(milliseconds: number, signal: CancelSignal, isWanted: () => boolean): Promise<void> {
    let due = performance.now() + milliseconds;
    while (!signal.aborted) {
      const left = due - performance.now();
      if (this.#position === null) return pause(Math.max(0, left), signal);
      if (left <= 0 && isWanted()) return;
      await this.#sleep.begin(isWanted() ? Math.min(left, this.#feed.heartbeatMs) : this.#feed.heartbeatMs, signal);
      if (signal.aborted) return;
      const polledAt = await this.#follow(this.#position);
      if (polledAt === null) continue;
      this.#position = null;
      due = polledAt + this.#pollMs;
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#unwatch();
    this.#lease?.release();
  }

  get #isPolling(): boolean {
    return this.#lease?.isHeld === true;
  }

  /**
   * Takes what the owner has sent. Where this process has to read the list itself, returns the time by which it was read last:
   * a store that lies makes no process read more often than if it were alone.
   */
  async #follow({ token, sequence, last }: Position): Promise<number | null> {
    const found = await this.#look(last);
    // An owner who is gone, or cannot be seen, has polled until its last sign of life.
    if (found === null) return this.#isPolling ? this.#readAt : Math.max(this.#readAt, this.#owner.at);
    if (found.token !== token) return this.#readAt;
    let taken = sequence;
    for (const { sealed } of found.entries) {
      const fresh = openEntry(this.#feed.secrets, { feed: this.#feed.name, token, sequence: ++taken }, sealed);
      if (fresh === null) return this.#readAt;
      this.#take(fresh);
    }
    this.#position = { token, sequence: taken, last: found.last };
    return taken === found.sequence ? null : this.#readAt;
  }

  /** Looks who polls, and polls itself from now on where nobody does; null then, or where there is nobody to follow. */
  async #look(after: string | null): Promise<Followed | null> {
    const claim = createClaim(this.#feed);
    const look = await this.#store.look(this.#feed.name, claim, after);
    if (look === null) {
      this.#lostToken = claim.token;
      return null;
    }
    if (look.token !== claim.token) return this.#followed(look);
    this.#lease = new FeedLease(this.#feed, this.#store, claim);
    // Its last reader has left meanwhile.
    if (this.#isClosed) this.#lease.release();
    return null;
  }

  #followed({ token, heartbeat: sealed, last, entries }: FeedLook): Followed | null {
    if (token === this.#lostToken || token === this.#lease?.token) {
      this.#store.release(this.#feed.name, token);
      return null;
    }
    const heartbeat = openHeartbeat(this.#feed.secrets, this.#feed.name, token, sealed);
    if (heartbeat === null || !this.#owner.note(token, heartbeat)) return null;
    return { token, sequence: heartbeat.sequence, last, entries };
  }
}

/**
 * Whether the owner of a feed lives, by its heartbeats. The store may keep a lease for longer than it should, or show an old one
 * again: only a heartbeat that this process has not seen yet is a sign of life.
 */
class LeaseOwner {
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
