import { randomBytes } from 'node:crypto';
import type { WebhookDeliveryRecord } from '../resources/webhook-delivery.ts';
import type { CallerSecrets } from './caller-secrets.ts';
import { sealHeartbeat } from './heartbeat.ts';
import { sealEntry } from './feed-entry.ts';
import type { Claim, FeedStore } from './shared-store.ts';

/** A feed as the store knows it, and how often its owner gives a sign of life. */
export interface LeasedFeed {
  readonly name: string;
  readonly secrets: CallerSecrets;
  readonly heartbeatMs: number;
  /** Without a sign of life for so long, the lease is free. */
  readonly leaseMs: number;
}

/** A claim to a feed that has not sent anything yet. */
export function createClaim(feed: LeasedFeed): Claim {
  const token = randomBytes(16).toString('base64url');
  return claimOf(feed, token, 1, 0);
}

function claimOf({ name, secrets, leaseMs }: LeasedFeed, token: string, count: number, sequence: number): Claim {
  return { token, heartbeat: sealHeartbeat(secrets, name, token, { count, sequence }), leaseMs };
}

/**
 * The lease of a feed, from the claim that the store has taken until the first doubt: whatever cannot be written in time ends
 * it, for the others would miss that.
 */
export class FeedLease {
  readonly token: string;
  readonly #feed: LeasedFeed;
  readonly #store: FeedStore;
  readonly #timer: NodeJS.Timeout;
  #count = 1;
  #sequence = 0;
  #isHeld = true;
  /** Heartbeats and entries are written one after the other. */
  #written = Promise.resolve();

  constructor(feed: LeasedFeed, store: FeedStore, { token }: Claim) {
    this.#feed = feed;
    this.#store = store;
    this.token = token;
    this.#timer = setInterval(() => this.#write(null), feed.heartbeatMs);
    this.#timer.unref();
  }

  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** Sends deliveries to the others, the oldest first. */
  append(fresh: readonly WebhookDeliveryRecord[]): void {
    if (fresh.length > 0) this.#write(fresh);
  }

  /** Leaves the feed to the others at once. */
  release(): void {
    if (!this.#isHeld) return;
    this.#lose();
    this.#store.release(this.#feed.name, this.token);
  }

  #write(fresh: readonly WebhookDeliveryRecord[] | null): void {
    this.#written = this.#written.then(() => this.#writeNext(fresh));
  }

  async #writeNext(fresh: readonly WebhookDeliveryRecord[] | null): Promise<void> {
    if (!this.#isHeld) return;
    const { name, secrets } = this.#feed;
    const sequence = this.#sequence + (fresh === null ? 0 : 1);
    const claim = claimOf(this.#feed, this.token, ++this.#count, sequence);
    const entry = fresh && sealEntry(secrets, { feed: name, token: this.token, sequence }, fresh);
    if (await this.#store.renew(name, claim, entry)) this.#sequence = sequence;
    else this.#lose();
  }

  #lose(): void {
    this.#isHeld = false;
    clearInterval(this.#timer);
  }
}
