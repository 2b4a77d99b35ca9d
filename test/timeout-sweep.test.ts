import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { deadlineSweepMs } from '../src/bounds.ts';
import { TimeoutError, withTimeout, SweptTimeout, TimeoutSweep } from '../src/timeout-sweep.ts';

const never = new Promise<never>(() => {});

test('a promise that settles in time is returned as it settles', async () => {
  expect(await withTimeout(Promise.resolve(7), 60_000)).toBe(7);
  await expect(withTimeout(Promise.reject(new Error('no')), 60_000)).rejects.toThrow('no');
});

test('a promise that takes too long is given up, and its failure afterwards is ignored', async () => {
  await expect(withTimeout(never, 1)).rejects.toThrow(TimeoutError);
  const late = Promise.withResolvers<number>();
  await expect(withTimeout(late.promise, 1)).rejects.toThrow(TimeoutError);
  late.reject(new Error('late'));
  // An unhandled rejection would fail the run.
  await new Promise((resolve) => setImmediate(resolve));
});

test('a reply that is there when a busy process looks at its timers counts as in time', async () => {
  const reply = new Promise<number>((resolve) => setTimeout(() => setImmediate(resolve, 7), 1));
  const waiting = withTimeout(reply, 2);
  const end = performance.now() + 20;
  while (performance.now() < end);
  expect(await waiting).toBe(7);
});

test('a wait keeps no process alive', () => {
  const active = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = active();
  void withTimeout(never, 60_000).catch(() => {});
  expect(active()).toBe(before);
});

describe('a sweep', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance'] }));
  afterEach(() => void vi.useRealTimers());

  class Noted extends SweptTimeout {
    expiredAt: number | null = null;
    readonly #run: () => void;

    constructor(run: () => void = () => {}) {
      super();
      this.#run = run;
    }

    expire(): void {
      this.expiredAt = performance.now();
      this.#run();
    }
  }

  test.for([1, 20, 999, 10_000, 600_000])(
    'a timeout of %i ms is never early, and late by a tenth at most',
    (length) => {
      const sweep = new TimeoutSweep<Noted>(length);
      const timeouts = [0, 1 / 3, 1 / 2, 1].map((part) => {
        vi.advanceTimersByTime(Math.ceil(part * length * 0.9));
        const timeout = new Noted();
        sweep.add(timeout);
        return { timeout, begun: performance.now() };
      });
      vi.advanceTimersByTime(2 * length + 2 * deadlineSweepMs);
      for (const { timeout, begun } of timeouts) {
        const took = (timeout.expiredAt ?? Number.NaN) - begun;
        expect(took).toBeGreaterThanOrEqual(length);
        expect(took).toBeLessThanOrEqual(length + Math.min(deadlineSweepMs, Math.max(1, length / 10)) + 1);
      }
      expect(vi.getTimerCount()).toBe(0);
    },
  );

  test('a timeout that was taken out does not expire, one that throws keeps no other from it, and one may take out another', () => {
    const sweep = new TimeoutSweep<Noted>(100);
    const [gone, victim, last] = [new Noted(), new Noted(), new Noted()];
    const thrower = new Noted(() => {
      throw new Error('planted');
    });
    const taker = new Noted(() => sweep.delete(victim));
    for (const timeout of [gone, thrower, taker, victim, last]) sweep.add(timeout);
    expect(sweep.delete(gone)).toBe(true);
    expect(sweep.delete(gone)).toBe(false);
    expect(() => vi.advanceTimersByTime(1_000)).toThrow('planted');
    vi.advanceTimersByTime(1_000);
    expect([gone, thrower, taker, victim, last].map(({ expiredAt }) => expiredAt !== null)).toEqual([
      false,
      true,
      true,
      false,
      true,
    ]);
    expect(sweep.delete(last)).toBe(false);
  });
});
