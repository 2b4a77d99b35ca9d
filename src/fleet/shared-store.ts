/**
 * What replicas share. It is given names that reveal nothing and bytes that are sealed: it never
 * sees a key or a row. No method throws, and none takes longer than fifty milliseconds: where the store is away, slow, full or
 * lying, it returns null or false, and whoever has asked does what one process does.
 */
export interface SharedStore {
  readonly notices: Notices;
  readonly reports: ReportStore;
  readonly feeds: FeedStore;
  /** Gives up all connections; what is under way ends as if the store were away. */
  close(): Promise<void>;
}

/** What the workers of one gateway share without such a store. Each keeps its reports, and polls its lists, for itself. */
export interface WorkerStore extends Pick<SharedStore, 'notices' | 'close'> {
  readonly reports: null;
  readonly feeds: null;
}

/** What one process tells all others. */
export interface Notice {
  /** `limit`: the API has told a caller to wait. `refusal`: the API has refused a caller. `breaker`: an endpoint is left alone. */
  readonly kind: 'limit' | 'refusal' | 'breaker';
  /** The caller's name in the store; for `breaker` the name of the endpoint. */
  readonly name: string;
  /** Short text, sealed where it is the caller's. */
  readonly value: string;
}

const kinds: ReadonlySet<unknown> = new Set<Notice['kind']>(['limit', 'refusal', 'breaker']);

/** The notice that a text of JSON is; null for any other text. */
export function noticeIn(text: string): Notice | null {
  try {
    const { kind, name, value } = JSON.parse(text) as Partial<Record<keyof Notice, unknown>>;
    const isNotice = kinds.has(kind) && typeof name === 'string' && typeof value === 'string';
    return isNotice ? { kind: kind as Notice['kind'], name, value } : null;
  } catch {
    return null;
  }
}

/** Notices reach all processes but their sender, in any order, and now and then twice or not at all. */
export interface Notices {
  /** Tells all others now, and those that come within `keepMs` when they come; 0 keeps nothing. */
  send(notice: Notice, keepMs: number): void;
  /** Runs for each notice, for as long as the store is open. */
  watch(run: (notice: Notice) => void): void;
}

/** Sealed reports, each for a moment. A report belongs to a caller and has a name within that caller's. */
export interface ReportStore {
  /** Null where there is none, or the store is away. */
  get(caller: string, report: string): Promise<Buffer | null>;
  put(caller: string, report: string, sealed: Buffer, keepMs: number): void;
  /** Drops the reports of a caller whose names begin so; all of them where the beginning is empty. */
  drop(caller: string, beginning: string): void;
}

/** Characters of a token: 128 random bits. */
export const tokenLength = 22;

/** A claim to a feed's lease. Only the process whose token is in the lease may write to the feed. */
export interface Claim {
  /** Unlike all other tokens that there have ever been: it fences off an owner who has lost the lease and does not know. */
  readonly token: string;
  /** Sealed; changes with each renewal, which is how others know that the owner lives. */
  readonly heartbeat: Buffer;
  /** After so many milliseconds without a renewal the lease is free. */
  readonly leaseMs: number;
}

/** Who polls a feed, and what the poller has sent. */
export interface FeedLook {
  /** The lease as it is now; the look's own claim where the lease was free. */
  readonly token: string;
  readonly heartbeat: Buffer;
  /** The id of the newest entry; empty where there is none. */
  readonly last: string;
  /** The entries after the id that was given, the oldest first. */
  readonly entries: readonly FeedEntry[];
}

export interface FeedEntry {
  readonly id: string;
  readonly sealed: Buffer;
}

/** For each feed a lease, and a stream with the newest entries. */
export interface FeedStore {
  /** Takes the lease where it is free, and reads the entries after an id; none for null. Null where the store is away. */
  look(feed: string, claim: Claim, after: string | null): Promise<FeedLook | null>;
  /** Renews the lease and adds an entry, both or neither; false where the token is not in the lease, or the store is away. */
  renew(feed: string, claim: Claim, entry: Buffer | null): Promise<boolean>;
  /** Frees the lease, if the token is in it, and wakes those who watch the feed. */
  release(feed: string, token: string): void;
  /** Runs, soon and perhaps in vain, when there is a new entry or the lease was released. Returns the function that ends it. */
  watch(feed: string, wake: () => void): () => void;
}
