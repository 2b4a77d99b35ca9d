import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { computedPage } from '../../bench/capacity/page.ts';
import { readMeasured } from '../../bench/capacity/results.ts';

const measured = readMeasured();

test('the tables of bench/capacity.md are those that npm --prefix bench run capacity computes from the results', () => {
  const page = readFileSync(new URL('../../bench/capacity.md', import.meta.url), 'utf8');
  expect(computedPage(page, measured)).toBe(page);
});
