import { feedEntries, keptNotices, leastStreamMs, memoryStoreBytes } from '../bounds.ts';
import type { Claim, FeedEntry, FeedLook, Notice } from './shared-store.ts';

/** What a member is told. */
export interface MemberEvents {
  readonly notice: (notice: Notice) => void;
  /** There is a new entry in this feed, or its lease was released. */
  readonly wake: (feed: string) => void;
}

/** One worker as the store sees it. */
export interface Member {
  send(notice: Notice, keepMs: number): void;
  look(feed: string, claim: Claim, after: string | null): FeedLook;
  renew(feed: string, claim: Claim, entry: Buffer | null): boolean;
  release(feed: string, token: string): void;
  /** Frees all leases of the member, who has ended. */
  leave(): void;
}

interface Lease {
  readonly member: Member;
  readonly token: string;
  readonly beat: Buffer;
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
  readonly #members = new Map<Member, MemberEvents>();
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
  join(events: MemberEvents): Member {
    const member: Member = {
      send: (notice, keepMs) => this.#send(member, notice, keepMs),
      look: (name, claim, after) => this.#look(member, name, claim, after),
      renew: (name, claim, entry) => this.#renew(member, name, claim, entry),
      release: (name, token) => this.#release(name, (lease) => lease.token === token),
      leave: () => {
        this.#members.delete(member);
        for (const name of this.#feeds.keys()) this.#release(name, (lease) => lease.member === member);
      },
    };
    this.#members.set(member, events);
    const now = this.#now();
    for (const { notice, until } of this.#notices.values()) if (until > now) events.notice(notice);
    return member;
  }

  #send(sender: Member, notice: Notice, keepMs: number): void {
    const key = `${notice.kind} ${notice.name}`;
    this.#notices.delete(key);
    const [oldest] = this.#notices.keys();
    if (this.#notices.size >= keptNotices && oldest !== undefined) this.#notices.delete(oldest);
    if (keepMs > 0) this.#notices.set(key, { notice, until: this.#now() + keepMs });
    for (const [member, events] of this.#members) if (member !== sender) events.notice(notice);
  }

  #look(member: Member, name: string, { token, beat, leaseMs }: Claim, after: string | null): FeedLook {
    const now = this.#now();
    const feed = this.#feeds.get(name) ?? this.#open(name);
    if (feed.lease === null || feed.lease.until <= now) feed.lease = { member, token, beat, until: now + leaseMs };
    const last = feed.entries.at(-1)?.id ?? '';
    const entries = after === null ? [] : feed.entries.filter(({ id }) => Number(id) > Number(after));
    return { token: feed.lease.token, beat: feed.lease.beat, last, entries };
  }

  #renew(member: Member, name: string, { token, beat, leaseMs }: Claim, entry: Buffer | null): boolean {
    const now = this.#now();
    const feed = this.#feeds.get(name);
    if (feed?.lease?.token !== token || feed.lease.until <= now) return false;
    feed.lease = { member, token, beat, until: now + leaseMs };
    if (entry === null) return true;
    this.#keep(feed, [...feed.entries, { id: String(++this.#lastId), sealed: entry }].slice(-feedEntries));
    feed.until = now + Math.max(leastStreamMs, leaseMs);
    this.#feeds.delete(name);
    this.#feeds.set(name, feed);
    this.#makeRoom();
    this.#wakeOthers(member, name);
    return true;
  }

  #release(name: string, isMeant: (lease: Lease) => boolean): void {
    const feed = this.#feeds.get(name);
    if (feed?.lease == null || !isMeant(feed.lease)) return;
    const { member } = feed.lease;
    feed.lease = null;
    this.#wakeOthers(member, name);
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

  #wakeOthers(member: Member, name: string): void {
    for (const [other, events] of this.#members) if (other !== member) events.wake(name);
  }
}

function bytesOf(entries: readonly FeedEntry[]): number {
  return entries.reduce((sum, { sealed }) => sum + sealed.length, 0);
}
