import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { hungAfterPings, pingMs } from '../../src/bounds.ts';
import { watchForHanging } from '../../src/workers/workers.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a worker that answers is left alone, however long it lives', async () => {
  const giveUp = vi.fn<() => void>();
  watchForHanging(() => Promise.resolve(), giveUp);
  await vi.advanceTimersByTimeAsync(pingMs * 1_000);
  expect(giveUp).not.toHaveBeenCalled();
});

test('a worker that answers late, or had no time to, is left alone', async () => {
  const giveUp = vi.fn<() => void>();
  const late = pingMs * (hungAfterPings - 1);
  watchForHanging(() => new Promise((resolve) => setTimeout(resolve, late)), giveUp);
  await vi.advanceTimersByTimeAsync(pingMs * 100);
  expect(giveUp).not.toHaveBeenCalled();
});

test('a worker that does not answer is given up once', async () => {
  const giveUp = vi.fn<() => void>();
  watchForHanging(() => new Promise(() => {}), giveUp);
  await vi.advanceTimersByTimeAsync(pingMs * hungAfterPings);
  expect(giveUp).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(pingMs * 100);
  expect(giveUp).toHaveBeenCalledOnce();
});

test('a worker that has ended is not given up', async () => {
  const giveUp = vi.fn<() => void>();
  watchForHanging(() => Promise.reject(new Error('ended')), giveUp);
  const end = watchForHanging(() => new Promise(() => {}), giveUp);
  end();
  await vi.advanceTimersByTimeAsync(pingMs * 100);
  expect(giveUp).not.toHaveBeenCalled();
});
