import { expect, onTestFinished, test, vi } from 'vitest';
import { Countdown, TimeoutError, withTimeout } from '../../../src/cancellation.ts';

const never = new Promise<never>(() => {});

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

test('a countdown runs once its time is up, and begins anew where it has begun', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate'] });
  onTestFinished(() => void vi.useRealTimers());
  let runs = 0;
  const countdown = new Countdown(100, () => void runs++);
  countdown.restart();
  vi.advanceTimersByTime(1_000);
  countdown.begin();
  vi.advanceTimersByTime(99);
  countdown.restart();
  vi.advanceTimersByTime(99);
  expect(runs).toBe(0);
  vi.advanceTimersByTime(2);
  expect(runs).toBe(1);
  countdown.begin();
  countdown.end();
  vi.advanceTimersByTime(1_000);
  expect([runs, vi.getTimerCount()]).toEqual([1, 0]);
});
