import { expect, test } from 'vitest';
import { encodings, readIn } from '../../pages/payloads.ts';

test.for(Object.keys(encodings))('payloads of %s are read in a time that grows with their length', (mediaType) => {
  const timeOf = (length: number): number => {
    const text = encodings[mediaType]?.([JSON.stringify('x'.repeat(length))]) ?? '';
    const times = Array.from({ length: 5 }, () => {
      const started = performance.now();
      expect(readIn(1_024, mediaType, text)).toHaveLength(1);
      return performance.now() - started;
    });
    // Whatever else runs only makes it longer.
    return Math.min(...times);
  };
  // The square would be sixty-four times as long.
  expect(timeOf(1_200_000)).toBeLessThan(40 * timeOf(150_000) + 20);
});
