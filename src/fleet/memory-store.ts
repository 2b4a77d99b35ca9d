import { feedEntries, keptNotices, leastStreamMs, memoryStoreBytes } from '../bounds.ts';
import type { Claim, FeedEntry, FeedLook, Notice } from './shared-store.ts';

/** What a client is told. */
export interface StoreClientEvents {
  readonly notice: (notice: Notice) => void;
  /** There is a new entry in this feed, or its lease was released. */
  readonly wake: (feed: string) => void;
}

/** One worker as the store sees it. */
export interface StoreClient {
  send(notice: Notice, keepMs: number): void;
  look(feed: string, claim: Claim, after: string | null): FeedLook;
  renew(feed: string, claim: Claim, entry: Buffer | null): boolean;
  release(feed: string, token: string): void;
  /** Frees all leases of the client, who has ended. */
  disconnect(): void;
}

interface Lease {
  readonly client: StoreClient;
  readonly token: string;
  readonly heartbeat: Buffer;
  readonly until: number;
}

interface Feed {
  lease: Lease | null;
  entries: readonly FeedEntry[];
  /** Until when the entries are kept at least. */
  until: number;
}

/**
 * What the workers of one process share, in the memory of its main thread: notices, and for each feed a lease and its newest
 * entries. The oldest entries make room for others; a worker who misses one reads the list itself.
 */
export class MemoryStore {
  readonly #now: () => number;
  readonly #clients = new Map<StoreClient, StoreClientEvents>();
  /** Those that are kept, by kind and name, the oldest first. */
  readonly #notices = new Map<string, { readonly notice: Notice; readonly until: number }>();
  /** The one whose last entry is the oldest comes first. */
  readonly #feeds = new Map<string, Feed>();
  #bytes = 0;
  #lastId = 0;

  /** `now` is in milliseconds, and never goes back. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Adds a worker, and tells it the notices that are kept. */
  connect(events: StoreClientEvents): StoreClient {
    const client: StoreClient = {
      send: (notice, keepMs) => this.#send(client, notice, keepMs),
      look: (name, claim, after) => this.#look(client, name, claim, after),
      renew: (name, claim, entry) => this.#renew(client, name, claim, entry),
      release: (name, token) => this.#release(name, (lease) => lease.token === token),
      disconnect: () => {
        this.#clients.delete(client);
        for (const name of this.#feeds.keys()) this.#release(name, (lease) => lease.client === client);
      },
    };
    this.#clients.set(client, events);
    const now = this.#now();
    for (const { notice, until } of this.#notices.values()) if (until > now) events.notice(notice);
    return client;
  }

  #send(sender: StoreClient, notice: Notice, keepMs: number): void {
    const key = `${notice.kind} ${notice.name}`;
    this.#notices.delete(key);
    const [oldest] = this.#notices.keys();
    if (this.#notices.size >= keptNotices && oldest !== undefined) this.#notices.delete(oldest);
    if (keepMs > 0) this.#notices.set(key, { notice, until: this.#now() + keepMs });
    for (const [client, events] of this.#clients) if (client !== sender) events.notice(notice);
  }

  #look(client: StoreClient, name: string, { token, heartbeat, leaseMs }: Claim, after: string | null): FeedLook {
    const now = this.#now();
    const feed = this.#feeds.get(name) ?? this.#open(name);
    if (feed.lease === null || feed.lease.until <= now) feed.lease = { client, token, heartbeat, until: now + leaseMs };
    const last = feed.entries.at(-1)?.id ?? '';
    const entries = after === null ? [] : feed.entries.filter(({ id }) => Number(id) > Number(after));
    return { token: feed.lease.token, heartbeat: feed.lease.heartbeat, last, entries };
  }

  #renew(client: StoreClient, name: string, { token, heartbeat, leaseMs }: Claim, entry: Buffer | null): boolean {
    const now = this.#now();
    const feed = this.#feeds.get(name);
    if (feed?.lease?.token !== token || feed.lease.until <= now) return false;
    feed.lease = { client, token, heartbeat, until: now + leaseMs };
    if (entry === null) return true;
    this.#keep(feed, [...feed.entries, { id: String(++this.#lastId), sealed: entry }].slice(-feedEntries));
    feed.until = now + Math.max(leastStreamMs, leaseMs);
    this.#feeds.delete(name);
    this.#feeds.set(name, feed);
    this.#makeRoom();
    this.#wakeOthers(client, name);
    return true;
  }

  #release(name: string, isMeant: (lease: Lease) => boolean): void {
    const feed = this.#feeds.get(name);
    if (feed?.lease == null || !isMeant(feed.lease)) return;
    const { client } = feed.lease;
    feed.lease = null;
    this.#wakeOthers(client, name);
  }

  #open(name: string): Feed {
    this.#forgetOver();
    const feed: Feed = { lease: null, entries: [], until: 0 };
    this.#feeds.set(name, feed);
    return feed;
  }

  /** Forgets the feeds that nobody polls any more. */
  #forgetOver(): void {
    const now = this.#now();
    for (const [name, feed] of this.#feeds) {
      if (feed.until > now || (feed.lease !== null && feed.lease.until > now)) continue;
      this.#keep(feed, []);
      this.#feeds.delete(name);
    }
  }

  #makeRoom(): void {
    for (const feed of this.#feeds.values()) {
      if (this.#bytes <= memoryStoreBytes) return;
      this.#keep(feed, []);
    }
  }

  #keep(feed: Feed, entries: readonly FeedEntry[]): void {
    this.#bytes += bytesOf(entries) - bytesOf(feed.entries);
    feed.entries = entries;
  }

  #wakeOthers(client: StoreClient, name: string): void {
    for (const [other, events] of this.#clients) if (other !== client) events.wake(name);
  }
}

function bytesOf(entries: readonly FeedEntry[]): number {
  return entries.reduce((sum, { sealed }) => sum + sealed.length, 0);
}
