import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CancelSource } from '../../../src/cancellation.ts';
import { pause, Sleep } from '../../../src/live/feed-share.ts';

const never = new CancelSource();

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => vi.useRealTimers());

/** How a promise stands. */
async function stateOf(promise: Promise<void>): Promise<'over' | 'sleeping'> {
  return Promise.race([promise.then(() => 'over' as const), Promise.resolve().then(() => 'sleeping' as const)]);
}

test('a sleep is as long as it is told, and leaves no timer', async () => {
  const sleep = pause(5_000, never);
  await vi.advanceTimersByTimeAsync(4_999);
  expect(await stateOf(sleep)).toBe('sleeping');
  await vi.advanceTimersByTimeAsync(1);
  expect(await stateOf(sleep)).toBe('over');
  expect(vi.getTimerCount()).toBe(0);
});

test('a sleep ends with its signal, before it begins as well, and leaves no timer', async () => {
  const source = new CancelSource();
  const sleep = pause(5_000, source);
  source.abort(new Error('over'));
  await sleep;
  await pause(5_000, source);
  expect(vi.getTimerCount()).toBe(0);
});

test('a message ends the sleep, or the next one where it comes between two', async () => {
  const sleep = new Sleep();
  const first = sleep.begin(5_000, never);
  sleep.wake();
  await first;
  const second = sleep.begin(5_000, never);
  expect(await stateOf(second)).toBe('sleeping');
  await vi.advanceTimersByTimeAsync(5_000);
  await second;
  sleep.wake();
  await sleep.begin(5_000, never);
  expect(vi.getTimerCount()).toBe(0);
});
