import { expect, test, vi } from 'vitest';
import { GatewayError } from '../../../src/errors.ts';
import { waitAfterFailure } from '../../../src/live/delivery-reading.ts';

const waits = (failures: number, told: number | undefined, pollMs = 2_000): readonly number[] =>
  [0, 1].map((random) => {
    const failure = new GatewayError('RATE_LIMITED', {
      message: 'Wait.',
      ...(told !== undefined && { retryAfterSeconds: told }),
    });
    vi.spyOn(Math, 'random').mockReturnValueOnce(random);
    return waitAfterFailure(failure, failures, pollMs);
  });

test('the wait between polls doubles with each failure, with jitter, up to half a minute', () => {
  expect([1, 2, 3, 4, 5, 5_000].map((failures) => waits(failures, undefined))).toEqual([
    [2_000, 4_000],
    [4_000, 8_000],
    [8_000, 16_000],
    [15_000, 30_000],
    [15_000, 30_000],
    [15_000, 30_000],
  ]);
  expect(waits(3, undefined, 600_000)).toEqual([300_000, 600_000]);
});

test('the wait between polls is as long as the upstream asks for, five minutes at most', () => {
  expect(waits(1, 7)).toEqual([9_000, 11_000]);
  expect(waits(1, 86_400)).toEqual([302_000, 304_000]);
});
