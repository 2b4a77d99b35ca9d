import type { FeedStore } from '../../src/fleet/shared-store.ts';

/** What a store does with one message, for each of those who watch. */
export type Manner =
  | 'honest'
  /** Brings it a while later. */
  | 'late'
  /** Brings nothing. */
  | 'away'
  /** Brings every other message. */
  | 'forgetful'
  /** Changes a bit of it. */
  | 'damaging'
  /** Brings each twice. */
  | 'doubling'
  /** Brings an old one behind it. */
  | 'nostalgic'
  /** Brings an old one instead. */
  | 'frozen';

/** The messages of one feed, in a store whose manner changes as a test wants it. */
export class LyingFeeds implements FeedStore {
  manner: () => Manner = () => 'honest';
  #past: readonly Buffer[] = [];
  #count = 0;
  readonly #watchers = new Set<(sealed: Buffer) => void>();

  send(_feed: string, sealed: Buffer): void {
    this.#past = [...this.#past, sealed].slice(-20);
    for (const hear of this.#watchers)
      for (const { bytes, afterMs } of this.#brought(sealed)) setTimeout(() => hear(bytes), afterMs);
  }

  watch(_feed: string, hear: (sealed: Buffer) => void): () => void {
    this.#watchers.add(hear);
    return () => void this.#watchers.delete(hear);
  }

  #brought(sealed: Buffer): readonly { readonly bytes: Buffer; readonly afterMs: number }[] {
    const now = { bytes: sealed, afterMs: 1 };
    const old = { bytes: this.#past[Math.floor(this.#past.length / 2)] ?? sealed, afterMs: 2 };
    switch (this.manner()) {
      case 'late':
        return [{ bytes: sealed, afterMs: 300 }];
      case 'away':
        return [];
      case 'forgetful':
        return this.#count++ % 2 === 0 ? [now] : [];
      case 'damaging':
        return [{ bytes: damaged(sealed), afterMs: 1 }];
      case 'doubling':
        return [now, { ...now, afterMs: 40 }];
      case 'nostalgic':
        return [now, old];
      case 'frozen':
        return [old];
      default:
        return [now];
    }
  }
}

function damaged(sealed: Buffer): Buffer {
  const changed = Buffer.from(sealed);
  changed[30] = (changed[30] ?? 0) ^ 1;
  return changed;
}
