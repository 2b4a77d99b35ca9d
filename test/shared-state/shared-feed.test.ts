import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { CancelSource } from '../../src/cancellation.ts';
import { createFeedSharing, openMessage, sealMessage, type FeedMessage } from '../../src/fleet/shared-feed.ts';
import { createCallerSecrets, type Channels } from '../../src/fleet/shared-store.ts';
import { parseExactly } from '../../src/json.ts';
import type { FeedShare } from '../../src/live/feed-share.ts';
import { runs } from '../support/runs.ts';

const pollMs = 1_000;
const stepMs = 20;

beforeEach(
  () =>
    void vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance', 'Date'],
    }),
);
afterEach(() => void vi.useRealTimers());

/** What a store brings of one message to each of those who watch. */
interface Brought {
  readonly bytes: Buffer;
  readonly afterMs: number;
}

/** What a store may do with a message, given an old one and how many it has had. */
const manners = {
  honest: (now) => [now],
  late: ({ bytes }) => [{ bytes, afterMs: 300 }],
  away: () => [],
  forgetful: (now, _old, count) => (count % 2 === 0 ? [now] : []),
  damaging: ({ bytes }) => [{ bytes: Buffer.from(bytes.map((byte, at) => (at === 30 ? byte ^ 1 : byte))), afterMs: 1 }],
  doubling: (now) => [now, { ...now, afterMs: 40 }],
  nostalgic: (now, old) => [now, old],
  frozen: (_now, old) => [old],
} satisfies Record<string, (now: Brought, old: Brought, count: number) => readonly Brought[]>;
type Manner = keyof typeof manners;
const names = Object.keys(manners) as Manner[];

/** The messages of one feed, in a store whose manner changes as a test wants it. */
class LyingFeeds implements Channels {
  manner: (count: number) => Manner = () => 'honest';
  #past: readonly Buffer[] = [];
  #count = 0;
  readonly #watchers = new Set<(sealed: Buffer) => void>();

  send(_feed: string, sealed: Buffer): void {
    this.#past = [...this.#past, sealed].slice(-20);
    const old = { bytes: this.#past[Math.floor(this.#past.length / 2)] ?? sealed, afterMs: 2 };
    for (const hear of this.#watchers) {
      const bring: (typeof manners)['forgetful'] = manners[this.manner(this.#count)];
      for (const { bytes, afterMs } of bring({ bytes: sealed, afterMs: 1 }, old, this.#count++))
        setTimeout(() => hear(bytes), afterMs);
    }
  }

  watch(_feed: string, hear: (sealed: Buffer) => void): () => void {
    this.#watchers.add(hear);
    return () => void this.#watchers.delete(hear);
  }
}

/** A list of numbers that grows, and how often it has been read. */
interface List {
  length: number;
  reads: number;
}

/**
 * A process that follows the list, as strict as can be: it asks for nothing older than the newest number that it has, so what
 * it has missed stays missed.
 */
class Replica {
  readonly got: number[] = [];
  readonly #list: List;
  readonly #share: FeedShare;
  readonly #cancel = new CancelSource();
  #next: number;

  constructor(list: List, store: LyingFeeds) {
    this.#list = list;
    this.#next = list.length;
    const secretsOf = createCallerSecrets('https://api.example.com/v2');
    const feed = { key: 'key', identity: 'caller', list: 'list' };
    this.#share = createFeedSharing(store, secretsOf)(feed, pollMs, (fresh) =>
      this.#take(fresh.map(({ id }) => Number(id))),
    );
    void this.#run();
  }

  leave(): void {
    this.#cancel.abort(null);
    this.#share.close();
  }

  async #run(): Promise<void> {
    await this.#share.reading(async () => {
      this.#next = this.#list.length;
      return [];
    });
    while (!this.#cancel.aborted) {
      await this.#share.wait(pollMs, this.#cancel, () => false);
      if (this.#cancel.aborted) return;
      await this.#share.reading(async () => {
        this.#list.reads++;
        const { length } = this.#list;
        // The list is read as it is when the reading begins; the response takes its time.
        const fresh = Array.from({ length: Math.max(0, length - this.#next) }, (_, index) => this.#next + index);
        await new Promise((resolve) => setTimeout(resolve, 30));
        this.#take(fresh);
        return fresh.map((id) => ({ id: String(id) }));
      });
    }
  }

  #take(numbers: readonly number[]): void {
    for (const number of numbers) {
      if (number < this.#next) continue;
      this.got.push(number);
      this.#next = number + 1;
    }
  }
}

/** Lets time pass, and the list grow meanwhile. */
async function pass(milliseconds: number, list: List, isGrowing: boolean): Promise<void> {
  for (let time = 0; time < milliseconds; time += stepMs) {
    if (isGrowing && time % 140 === 0) list.length++;
    await vi.advanceTimersByTimeAsync(stepMs);
  }
}

/** Whether each replica has each number from its first one on, once and in order, up to the end of the list. */
const isWhole = (list: List, { got }: Replica): boolean =>
  got.length > 0 && got.every((number, index) => number === (got[0] ?? 0) + index) && got.at(-1) === list.length - 1;

describe('replicas that share a feed', () => {
  test('read the list once each interval together', async () => {
    const [list, store] = [{ length: 10, reads: 0 }, new LyingFeeds()];
    const replicas = [1, 2, 3].map(() => new Replica(list, store));
    await pass(20 * pollMs, list, true);
    await pass(2 * pollMs, list, false);
    expect(list.reads).toBeLessThanOrEqual(22 + 2);
    expect(replicas.map((replica) => isWhole(list, replica))).toEqual([true, true, true]);
    for (const replica of replicas) replica.leave();
  });

  test('miss nothing and double nothing whatever the store does, for a while or for good', async () => {
    const anyManner = fc.constantFrom(...names, 'honest' as const, 'honest' as const);
    const course = fc.array(anyManner, { minLength: 50, maxLength: 50 });
    await fc.assert(
      fc.asyncProperty(course, fc.constantFrom(...names), async (each, last) => {
        const [list, store] = [{ length: 10, reads: 0 }, new LyingFeeds()];
        const replicas = [1, 2, 3].map(() => new Replica(list, store));
        await pass(4 * pollMs, list, true);
        store.manner = (count) => each[count % each.length] ?? 'honest';
        await pass(20 * pollMs, list, true);
        store.manner = () => last;
        await pass(8 * pollMs, list, false);
        expect(replicas.map((replica) => isWhole(list, replica))).toEqual([true, true, true]);
        // No process reads more often than if it were alone.
        expect(list.reads).toBeLessThanOrEqual(3 * 38);
        for (const replica of replicas) replica.leave();
        await vi.advanceTimersByTimeAsync(pollMs);
      }),
      { numRuns: names.length + runs(12), examples: names.map((name) => [Array<Manner>(50).fill(name), name]) },
    );
  });
});

test('a message brings deliveries as they were read, or leaves what is too much for it to a reading of the list', () => {
  const secrets = createCallerSecrets('https://api.example.com/v2')({ key: 'key', identity: 'caller' });
  const sent = (text: string) => {
    const fresh = parseExactly(text) as FeedMessage['fresh'];
    return openMessage(secrets, 'feed', sealMessage(secrets, 'feed', { sender: 'a', number: 7, sentAt: 0, fresh }))
      ?.fresh;
  };
  const text = '[{"id":"a","webhook":{"payload":{"big":12345678901234567890,"small":1.50,"none":null}}},null,7]';
  expect(JSON.stringify(sent(text))).toBe(text);
  expect(sent(`[{"id":"${'a'.repeat(262_144)}"}]`)).toBeNull();
  for (const levels of [1_000, 100_000])
    expect([null, 1]).toContain(sent(`[{"id":${'['.repeat(levels)}${']'.repeat(levels)}}]`)?.length ?? null);
});
