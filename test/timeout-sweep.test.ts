import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { deadlineSweepMs } from '../src/bounds.ts';
import { SweptTimeout, TimeoutSweep } from '../src/timeout-sweep.ts';

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

test.for([1, 20, 999, 10_000, 600_000])('a timeout of %i ms is never early, and late by a tenth at most', (length) => {
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
});

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
