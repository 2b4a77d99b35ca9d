import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { CancelSource } from '../../src/cancellation.ts';
import { createCallerSecrets } from '../../src/fleet/caller-secrets.ts';
import {
  createFeedSharing,
  openMessage,
  sealMessage,
  type FeedMessage,
  feedEntry,
} from '../../src/fleet/shared-feed.ts';
import { parseExactly } from '../../src/json.ts';
import type { FeedShare } from '../../src/live/feed-share.ts';
import { LyingFeeds, type Manner } from './lying-feeds.ts';
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
    this.#share.begin();
    this.#next = this.#list.length;
    this.#share.end([]);
    while (!this.#cancel.aborted) {
      await this.#share.wait(pollMs, this.#cancel, () => false);
      if (this.#cancel.aborted) return;
      this.#share.begin();
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

  test('go on within two intervals after the one that reads has died', async () => {
    const [list, store] = [{ length: 10, reads: 0 }, new LyingFeeds()];
    const dying = new Replica(list, store);
    await pass(3 * pollMs, list, true);
    const living = [1, 2].map(() => new Replica(list, store));
    await pass(3 * pollMs, list, true);
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
    'forgetful',
    'damaging',
    'doubling',
    'nostalgic',
    'frozen',
  ];

  test.for(manners)('miss nothing while the store is %s for good', async (manner) => {
    const [list, store] = [{ length: 10, reads: 0 }, new LyingFeeds()];
    const replicas = [1, 2, 3].map(() => new Replica(list, store));
    await pass(4 * pollMs, list, true);
    store.manner = () => manner;
    await pass(10 * pollMs, list, true);
    await pass(3 * pollMs, list, false);
    expect(replicas.map((replica) => isWhole(list, replica))).toEqual([true, true, true]);
    // No process reads more often than if it were alone.
    expect(list.reads).toBeLessThanOrEqual(3 * 23);
    for (const replica of replicas) replica.leave();
  });

  test('miss nothing and double nothing whatever the store does', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...manners, 'honest' as const, 'honest' as const), { minLength: 50, maxLength: 50 }),
        fc.constantFrom(...manners),
        async (course, last) => {
          const [list, store] = [{ length: 10, reads: 0 }, new LyingFeeds()];
          const replicas = [1, 2, 3].map(() => new Replica(list, store));
          let message = 0;
          store.manner = () => course[message++ % course.length] ?? 'honest';
          await pass(30 * pollMs, list, true);
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

describe('a message', () => {
  const secrets = createCallerSecrets('https://api.example.com/v2')({ key: 'key', identity: 'caller' });
  const sealed = (text: string): Buffer =>
    sealMessage(secrets, 'feed', {
      sender: 'a',
      number: 7,
      sentAt: 0,
      fresh: parseExactly(text) as FeedMessage['fresh'],
    });
  const sent = (text: string) => openMessage(secrets, 'feed', sealed(text))?.fresh;

  test('brings deliveries as they were read, numbers digit for digit', () => {
    const text = '[{"id":"a","webhook":{"payload":{"big":12345678901234567890,"small":1.50,"none":null}}},null,7]';
    expect(JSON.stringify(sent(text))).toBe(text);
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), (rows) => {
        const printed = JSON.stringify(rows);
        expect(JSON.stringify(sent(printed))).toBe(printed);
      }),
    );
  });

  test('of another feed is none', () => {
    expect(openMessage(secrets, 'other', sealed('[{"id":"a"}]'))).toBeNull();
  });

  test('leaves deliveries that are too long for it to a reading of the list', () => {
    expect(sent(`[{"id":"${'a'.repeat(feedEntry)}"}]`)).toBeNull();
  });

  test.for([1_000, 20_000, 100_000])(
    'brings deliveries of %i levels as they are, or leaves them to a reading',
    (levels) => {
      const rows = sent(`[{"id":${'['.repeat(levels)}${']'.repeat(levels)}}]`);
      expect([null, 1]).toContain(rows?.length ?? null);
    },
  );
});
