// What replicas share, or workers. A store is given names that reveal nothing and bytes that are sealed: it never sees a key or a row. No
// method throws, and none takes longer than fifty milliseconds: where the store is away, slow, full or lying, whoever has asked does what
// one process does.

/** What one process tells all others. */
export interface Notice {
  /** `limit`: the API has told a caller to wait. `refusal`: the API has refused a caller. */
  readonly kind: 'limit' | 'refusal';
  /** The caller's name in the store, or one that the caller's secrets give to what is told. */
  readonly name: string;
  /** Short text, sealed: only the caller's secrets open it, so nobody else makes one up. */
  readonly value: string;
}

const kinds: ReadonlySet<unknown> = new Set<Notice['kind']>(['limit', 'refusal']);

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

/** Notices reach all processes that run but their sender, in any order, and now and then twice or not at all. */
export interface Notices {
  send(notice: Notice): void;
  /** Runs for each notice, for as long as the store is open. */
  watch(run: (notice: Notice) => void): void;
}

/** Sealed reports, each for a moment. A report belongs to a caller and has a name within that caller's. */
export interface ReportStore {
  /** Null where there is none, or the store is away. */
  get(caller: string, report: string): Promise<Buffer | null>;
  put(caller: string, report: string, sealed: Buffer, keepMs: number): void;
  /** Drops a report of a caller; all of them where its name is null. */
  drop(caller: string, report: string | null): void;
  /** Counts what was got, and is none that a replica has put. */
  countUnusable(): void;
}

/** For each feed a channel for sealed messages. What is sent may come twice, late, or not at all. */
export interface FeedStore {
  /** Sends a message to all who watch the feed, the sender included. */
  send(feed: string, sealed: Buffer): void;
  /** Runs for each message of a feed. Returns the function that ends it. A feed has one watcher. */
  watch(feed: string, hear: (sealed: Buffer) => void): () => void;
}
