import type { Claim, FeedEntry, FeedLook, FeedStore } from '../../src/fleet/shared-store.ts';

interface Lease {
  readonly token: string;
  readonly heartbeat: Buffer;
  readonly until: number;
}

/** What a store does with one command. */
export type Manner =
  | 'honest'
  /** Does what it is told, and does not say so in time. */
  | 'late'
  /** Does nothing, and says nothing. */
  | 'away'
  /** Says yes, and does nothing. */
  | 'flattering'
  /** Does everything but keep the entry. */
  | 'forgetful'
  /** Changes a bit of the entry. */
  | 'damaging'
  /** Shows what it held a while ago. */
  | 'nostalgic'
  /** Takes everything, and shows for ever what it held when that began. */
  | 'frozen';

interface State {
  readonly lease: Lease | null;
  readonly entries: readonly FeedEntry[];
}

/** The leases and streams of one feed, in a store whose manner changes as a test wants it. Its clock is `performance.now()`. */
export class LyingFeeds implements FeedStore {
  manner: () => Manner = () => 'honest';
  #state: State = { lease: null, entries: [] };
  #past: readonly State[] = [];
  #frozen: State | null = null;
  #made = 0;
  readonly #watchers = new Set<() => void>();

  /** Forgets everything. */
  flush(): void {
    this.#state = { lease: null, entries: [] };
  }

  async look(_feed: string, claim: Claim, after: string | null): Promise<FeedLook | null> {
    const manner = this.manner();
    if (manner === 'away') return late(null);
    this.#frozen = manner === 'frozen' ? (this.#frozen ?? this.#state) : null;
    const shown = manner === 'nostalgic' ? this.#past[Math.floor(this.#past.length / 2)] : (this.#frozen ?? undefined);
    if (shown === undefined && this.#held === null) this.#set({ ...this.#state, lease: leaseOf(claim) });
    if (manner === 'late') return late(null);
    const { lease, entries } = shown ?? this.#state;
    const { token, heartbeat } = lease ?? claim;
    const from = Number(after || 0);
    return {
      token,
      heartbeat,
      last: entries.at(-1)?.id ?? '',
      entries: after === null ? [] : entries.filter(({ id }) => Number(id) > from),
    };
  }

  async renew(_feed: string, claim: Claim, entry: Buffer | null): Promise<boolean> {
    const manner = this.manner();
    if (manner === 'away') return late(false);
    if (manner === 'flattering') return true;
    if (this.#held?.token !== claim.token) return false;
    const isKept = entry !== null && manner !== 'forgetful';
    const sealed = manner === 'damaging' ? damaged(entry) : entry;
    const added = isKept && sealed !== null ? [{ id: String(++this.#made), sealed }] : [];
    this.#set({ lease: leaseOf(claim), entries: [...this.#state.entries, ...added].slice(-8) });
    for (const wake of this.#watchers) wake();
    return manner === 'late' ? late(false) : true;
  }

  release(_feed: string, token: string): void {
    if (this.#held?.token === token) this.#set({ ...this.#state, lease: null });
  }

  watch(_feed: string, wake: () => void): () => void {
    this.#watchers.add(wake);
    return () => void this.#watchers.delete(wake);
  }

  get #held(): Lease | null {
    const { lease } = this.#state;
    return lease !== null && lease.until > performance.now() ? lease : null;
  }

  #set(state: State): void {
    this.#past = [...this.#past, this.#state].slice(-20);
    this.#state = state;
  }
}

function leaseOf({ token, heartbeat, leaseMs }: Claim): Lease {
  return { token, heartbeat, until: performance.now() + leaseMs };
}

function damaged(entry: Buffer | null): Buffer | null {
  const changed = entry && Buffer.from(entry);
  if (changed !== null) changed[30] = (changed[30] ?? 0) ^ 1;
  return changed;
}

function late<Value>(value: Value): Promise<Value> {
  return new Promise((resolve) => setTimeout(() => resolve(value), 50));
}
