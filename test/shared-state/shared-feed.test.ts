import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { CancelSource } from '../../src/cancellation.ts';
import { createCallerSecrets } from '../../src/fleet/caller-secrets.ts';
import { createFeedSharing } from '../../src/fleet/shared-feed.ts';
import type { FeedShare } from '../../src/live/feed-share.ts';
import { LyingFeeds, type Manner } from './lying-feeds.ts';
import { runs } from '../support/runs.ts';

const pollMs = 1_000;
const stepMs = 20;

beforeEach(
  () =>
    void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] }),
);
afterEach(() => void vi.useRealTimers());

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
    await this.#share.begin();
    this.#next = this.#list.length;
    this.#share.end([]);
    while (!this.#cancel.aborted) {
      await this.#share.wait(pollMs, this.#cancel, () => false);
      if (this.#cancel.aborted) return;
      await this.#share.begin();
      this.#list.reads++;
      const { length } = this.#list;
      // The list is read as it is when the reading begins; the response takes its time.
      const fresh = Array.from({ length: Math.max(0, length - this.#next) }, (_, index) => this.#next + index);
      await new Promise((resolve) => setTimeout(resolve, 30));
      this.#take(fresh);
      this.#share.end(fresh.map((id) => ({ id: String(id) })));
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
async function pass(milliseconds: number, list: List, isGrowing: boolean, each: () => void = () => {}): Promise<void> {
  for (let time = 0; time < milliseconds; time += stepMs) {
    if (isGrowing && time % 140 === 0) list.length++;
    each();
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

  test('go on within two intervals after the one that reads has died', async () => {
    const [list, store] = [{ length: 10, reads: 0 }, new LyingFeeds()];
    const dying = new Replica(list, store);
    await pass(3 * pollMs, list, true);
    const living = [1, 2].map(() => new Replica(list, store));
    await pass(3 * pollMs, list, true);
    // What it has held stays in the store; nothing is released.
    vi.spyOn(store, 'release').mockImplementation(() => {});
    dying.leave();
    const { reads } = list;
    await pass(2 * pollMs, list, true);
    expect(list.reads).toBeGreaterThan(reads);
    await pass(2 * pollMs, list, false);
    expect(living.map((replica) => isWhole(list, replica))).toEqual([true, true]);
    for (const replica of living) replica.leave();
  });

  const manners: readonly Manner[] = [
    'honest',
    'late',
    'away',
    'flattering',
    'forgetful',
    'damaging',
    'nostalgic',
    'frozen',
  ];

  test.for(manners)('miss nothing while the store is %s for good', async (manner) => {
    const [list, store] = [{ length: 10, reads: 0 }, new LyingFeeds()];
    const replicas = [1, 2, 3].map(() => new Replica(list, store));
    await pass(4 * pollMs, list, true);
    store.manner = () => manner;
    await pass(10 * pollMs, list, true);
    // A store that shows the past, and goes on with it, brings everything, as late as that.
    await pass((manner === 'nostalgic' ? 8 : 3) * pollMs, list, false);
    expect(replicas.map((replica) => isWhole(list, replica))).toEqual([true, true, true]);
    // No process reads more often than if it were alone.
    expect(list.reads).toBeLessThanOrEqual(3 * 23);
    for (const replica of replicas) replica.leave();
  });

  test('miss nothing and double nothing whatever the store does', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...manners, 'honest' as const, 'honest' as const), { minLength: 50, maxLength: 50 }),
        fc.array(fc.nat(1_500), { maxLength: 6 }),
        fc.constantFrom(...manners),
        async (course, flushes, last) => {
          const [list, store] = [{ length: 10, reads: 0 }, new LyingFeeds()];
          const replicas = [1, 2, 3].map(() => new Replica(list, store));
          let [command, step] = [0, 0];
          store.manner = () => course[command++ % course.length] ?? 'honest';
          await pass(30 * pollMs, list, true, () => {
            if (flushes.includes(step++)) store.flush();
          });
          store.manner = () => last;
          await pass(8 * pollMs, list, false);
          expect(replicas.map((replica) => isWhole(list, replica))).toEqual([true, true, true]);
          for (const replica of replicas) replica.leave();
          await vi.advanceTimersByTimeAsync(pollMs);
        },
      ),
      { numRuns: runs(12) },
    );
  });
});
