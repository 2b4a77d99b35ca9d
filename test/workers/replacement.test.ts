import { expect, test } from 'vitest';
import { replacementMs, steadyMs } from '../../src/bounds.ts';
import { createReplacement } from '../../src/workers/replacement.ts';

test('a worker that keeps ending is replaced less and less often, down to a bound', () => {
  const replacement = createReplacement();
  const waits = Array.from({ length: 20 }, () => replacement.nextWait(0));
  expect(waits.slice(0, 3)).toEqual([replacementMs.first, replacementMs.first * 2, replacementMs.first * 4]);
  expect(waits.every((wait, index) => index === 0 || wait >= (waits[index - 1] ?? 0))).toBe(true);
  expect(waits.at(-1)).toBe(replacementMs.longest);
});

test('a worker that has served for a while is replaced soon', () => {
  const replacement = createReplacement();
  for (let end = 0; end < 20; end++) replacement.nextWait(0);
  expect(replacement.nextWait(steadyMs)).toBe(replacementMs.first);
});
