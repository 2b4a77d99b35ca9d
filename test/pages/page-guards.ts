import { expect } from 'vitest';

/** Every page keeps to itself: no guessed types, in no frame, without a referrer, open to no origin. */
export function expectGuarded({ headers }: Response): void {
  expect(Object.fromEntries(headers)).toMatchObject({
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
  });
  expect(headers.has('access-control-allow-origin')).toBe(false);
}
