import { randomUUID } from 'node:crypto';
import type { CancelSignal } from '../cancellation.ts';
import type { WebhookDeliveryRecord } from '../generated/records.ts';
import { parseExactly } from '../json.ts';
import { Sleep, type FeedShare, type ShareFeed, type TakeDeliveries } from '../live/feed-share.ts';
import type { CallerSecrets, Channels, SecretsOf } from './shared-store.ts';

/** Bytes of what a poll has found, in one message; where it is more, the other replicas read the list themselves. */
const feedEntry = 262_144;

/** Signs of life of the replica that polls, in one poll interval. */
const signsPerPoll = 2;

/** So many of them may fail to come before another replica polls: both together take less than two poll intervals. */
const signsMissed = 2.5;

/** Milliseconds between two signs of life: lists that are polled every ten minutes have to be looked after too. */
const feedSignMs = { least: 100, most: 2_500 } as const;

/** What the process that polls a feed tells the others: deliveries, or nothing but that it lives. */
export interface FeedMessage {
  /** Names the sender in this feed. Who has followed it for longer has the smaller name. */
  readonly sender: string;
  /** One more with each message of a sender: none can be left out, or come again, without notice. */
  readonly number: number;
  /** In milliseconds since 1970. */
  readonly sentAt: number;
  /** What the sender has found, the oldest first; null where that did not fit into one message. */
  readonly fresh: readonly WebhookDeliveryRecord[] | null;
}

// Clocks agree within a second or so (docs/operations.md).
const clocksApartMs = 1_000;

/** Shares feeds by messages over a store. */
export function createFeedSharing(store: Channels, secretsOf: SecretsOf): ShareFeed {
  return ({ list, ...caller }, pollMs, take) => new SharedFeed(list, secretsOf(caller), store, pollMs, take);
}

/**
 * One process polls, the others take what it sends. Each process has a window of its own over the list (delivery-window.ts), so
 * it sees what comes twice. It misses nothing either: it follows a sender only from a reading of its own on, which began after it
 * had heard the sender, and only while every message behind that one comes and the sender lives. Else it reads the list again.
 * So whatever the store does may cost calls, but no delivery. Of several that poll, all but the oldest give way.
 */
class SharedFeed implements FeedShare {
  readonly #name: string;
  readonly #secrets: CallerSecrets;
  readonly #store: Channels;
  readonly #take: TakeDeliveries;
  readonly #signMs: number;
  /** Without a message for so long, the sender is gone. */
  readonly #patienceMs: number;
  readonly #sender = `${String(Date.now()).padStart(15, '0')} ${randomUUID()}`;
  readonly #sleep = new Sleep();
  readonly #unwatch: () => void;
  #sent = 0;
  /** Signs of life, while this process polls for all. */
  #signs: NodeJS.Timeout | null = null;
  /** The last message of the process that polls for all; null before the first. */
  #heard: Pick<FeedMessage, 'sender' | 'number'> | null = null;
  #heardAt = -Infinity;
  #isReading = false;
  /** Whether this process has all that was sent until now, once the reading that is under way has ended. */
  #isCovered = false;
  /** What came during that reading. */
  #early: (readonly WebhookDeliveryRecord[])[] = [];
  #isClosed = false;

  constructor(list: string, secrets: CallerSecrets, store: Channels, pollMs: number, take: TakeDeliveries) {
    this.#name = secrets.nameOf(`feed ${list}`);
    this.#secrets = secrets;
    this.#store = store;
    this.#take = take;
    this.#signMs = Math.min(feedSignMs.most, Math.max(feedSignMs.least, pollMs / signsPerPoll));
    this.#patienceMs = this.#signMs * signsMissed;
    this.#unwatch = store.watch(this.#name, (sealed) => this.#hear(sealed));
  }

  async reading(read: () => Promise<readonly WebhookDeliveryRecord[]>): Promise<void> {
    this.#isReading = true;
    this.#isCovered = this.#isFollowed;
    this.#early = [];
    try {
      const fresh = await read();
      this.#isReading = false;
      if (this.#isCovered) for (const rows of this.#early.splice(0)) this.#take(rows);
      else if (!this.#isFollowed && !this.#isClosed) this.#lead(fresh);
    } catch (error) {
      this.#isReading = this.#isCovered = false;
      this.#giveWay();
      throw error;
    }
  }

  async wait(milliseconds: number, signal: CancelSignal, isWanted: () => boolean): Promise<void> {
    const due = performance.now() + milliseconds;
    while (!signal.aborted) {
      const until = this.#isCovered && !isWanted() ? Math.max(due, this.#heardAt + this.#patienceMs) : due;
      const left = until - performance.now();
      if (left <= 0) return;
      await this.#sleep.begin(left, signal);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#giveWay();
    this.#unwatch();
  }

  /** Whether another process polls. */
  get #isFollowed(): boolean {
    return performance.now() - this.#heardAt < this.#patienceMs;
  }

  #lead(fresh: readonly WebhookDeliveryRecord[]): void {
    if (fresh.length > 0 || this.#signs === null) this.#send(fresh);
    this.#signs ??= setInterval(() => this.#send([]), this.#signMs).unref();
  }

  #giveWay(): void {
    clearInterval(this.#signs ?? undefined);
    this.#signs = null;
  }

  #send(fresh: readonly WebhookDeliveryRecord[]): void {
    const message = { sender: this.#sender, number: ++this.#sent, sentAt: Date.now(), fresh };
    this.#store.send(this.#name, sealMessage(this.#secrets, this.#name, message));
  }

  #hear(sealed: Buffer): void {
    const message = openMessage(this.#secrets, this.#name, sealed);
    if (message === null || !this.#isBelieved(message)) return;
    const { sender, number, fresh } = message;
    const isNext = this.#heard?.sender === sender && this.#heard.number + 1 === number;
    this.#heard = { sender, number };
    this.#heardAt = performance.now();
    this.#giveWay();
    this.#isCovered &&= isNext && fresh !== null;
    if (this.#isCovered && this.#isReading) this.#early.push(fresh ?? []);
    else if (this.#isCovered && fresh !== null && fresh.length > 0) this.#take(fresh);
    this.#sleep.wake();
  }

  /** Whether a message is a new one of the process that polls, or of an older one that polls as well. */
  #isBelieved({ sender, number, sentAt }: FeedMessage): boolean {
    if (Math.abs(Date.now() - sentAt) > this.#patienceMs + clocksApartMs) return false;
    if (sender === this.#heard?.sender) return number > this.#heard.number;
    return sender < (this.#isFollowed && this.#heard !== null ? this.#heard.sender : this.#sender);
  }
}

/**
 * A message is sealed for its feed. It is not compressed: its length would show something of what stands beside a text that anybody
 * can choose, such as that of a delivery.
 */
export function sealMessage(secrets: CallerSecrets, feed: string, message: FeedMessage): Buffer {
  return secrets.seal(contextOf(feed), textOf(message) ?? Buffer.from(JSON.stringify({ ...message, fresh: null })));
}

/** Null where it is too long, or too deep for JSON.stringify. Numbers beyond a double are printed digit for digit. */
function textOf(message: FeedMessage): Buffer | null {
  try {
    const text = Buffer.from(JSON.stringify(message));
    return text.length > feedEntry ? null : text;
  } catch {
    return null;
  }
}

/** Null for what is no message of this feed. */
export function openMessage(secrets: CallerSecrets, feed: string, sealed: Buffer): FeedMessage | null {
  const text = sealed.length > 2 * feedEntry ? null : secrets.open(contextOf(feed), sealed);
  return text === null ? null : (parseExactly(text.toString('utf8')) as FeedMessage);
}

function contextOf(feed: string): string {
  return `feed ${feed}`;
}
