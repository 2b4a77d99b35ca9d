import { expect, test } from 'vitest';
import { computedPage } from '../../bench/capacity/page.ts';
import { readMeasured as readCapacity } from '../../bench/capacity/results.ts';
import { blocksOf } from '../../bench/readme/blocks.ts';
import { readMeasured } from '../../bench/readme/measured.ts';
import { filledPage } from '../../bench/readme/page.ts';
import { drawChart } from '../../bench/report/chart.ts';
import { read } from './page.ts';

const measured = readMeasured();

test.for(['bench/README.md', 'README.md'])(
  'the figures of %s are those that npm --prefix bench run readme writes from the results',
  (path) => {
    const page = read(path);
    expect(filledPage(page, blocksOf(measured))).toBe(page);
  },
);

test.for(['light', 'dark'] as const)('the %s chart is drawn from the results', (scheme) => {
  expect(drawChart(measured.latest, scheme)).toBe(read(`bench/results/chart-${scheme}.svg`));
});

test('the tables of bench/capacity.md are those that npm --prefix bench run capacity computes from the results', () => {
  const page = read('bench/capacity.md');
  expect(computedPage(page, readCapacity())).toBe(page);
});
