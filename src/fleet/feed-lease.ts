import { randomBytes } from 'node:crypto';
import { feedEntry } from '../bounds.ts';
import { parseExactly } from '../json.ts';
import type { WebhookDeliveryRecord } from '../resources/webhook-delivery.ts';
import type { CallerSecrets } from './caller-secrets.ts';
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

/** A sign of life of a feed's owner. */
export interface Heartbeat {
  /** Larger with each heartbeat of an owner: an old one that comes again is no sign of life. */
  readonly count: number;
  /** The number of the owner's last entry; 0 before the first. */
  readonly sequence: number;
}

const numberBytes = 6;

function sealHeartbeat(secrets: CallerSecrets, feed: string, token: string, { count, sequence }: Heartbeat): Buffer {
  const bytes = Buffer.alloc(2 * numberBytes);
  bytes.writeUIntBE(count, 0, numberBytes);
  bytes.writeUIntBE(sequence, numberBytes, numberBytes);
  return secrets.seal(`beat ${feed} ${token}`, bytes);
}

/** Null for what is no heartbeat of this owner. */
export function openHeartbeat(secrets: CallerSecrets, feed: string, token: string, sealed: Buffer): Heartbeat | null {
  const bytes = secrets.open(`beat ${feed} ${token}`, sealed);
  if (bytes?.length !== 2 * numberBytes) return null;
  return { count: bytes.readUIntBE(0, numberBytes), sequence: bytes.readUIntBE(numberBytes, numberBytes) };
}

/**
 * An entry is sealed for its feed, its owner and its number among that owner's: none can be moved, left out or sent again
 * without notice. It is not compressed: its length would show something of what stands beside a text that anybody can choose,
 * such as that of a message.
 */
export function sealEntry(
  secrets: CallerSecrets,
  position: EntryPosition,
  fresh: readonly WebhookDeliveryRecord[],
): Buffer {
  return secrets.seal(nameOf(position), textOf(fresh) ?? Buffer.from('null'));
}

/** Null where it is too long, or too deep for JSON.stringify. Numbers beyond a double are printed digit for digit. */
function textOf(fresh: readonly WebhookDeliveryRecord[]): Buffer | null {
  try {
    const text = Buffer.from(JSON.stringify(fresh));
    return text.length > feedEntry ? null : text;
  } catch {
    return null;
  }
}

/** The deliveries of an entry; null where they did not fit into one, and for what is no entry of this position. */
export function openEntry(
  secrets: CallerSecrets,
  position: EntryPosition,
  sealed: Buffer,
): readonly WebhookDeliveryRecord[] | null {
  const text = secrets.open(nameOf(position), sealed)?.toString('utf8');
  const rows = text === undefined ? null : parseExactly(text);
  return Array.isArray(rows) ? (rows as readonly WebhookDeliveryRecord[]) : null;
}

/** Where an entry stands: in a feed, by the token of its owner and its number. */
export interface EntryPosition {
  readonly feed: string;
  readonly token: string;
  readonly sequence: number;
}

function nameOf({ feed, token, sequence }: EntryPosition): string {
  return `entry ${feed} ${token} ${sequence}`;
}
