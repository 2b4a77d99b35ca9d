import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { needOfRequests, needOfStreams } from '../../bench/capacity/model.ts';
import { computedPage } from '../../bench/capacity/page.ts';
import { readMeasured } from '../../bench/capacity/results.ts';

const measured = readMeasured();

test('the tables of bench/capacity.md are those that npm --prefix bench run capacity computes from the results', () => {
  const page = readFileSync(new URL('../../bench/capacity.md', import.meta.url), 'utf8');
  expect(computedPage(page, measured)).toBe(page);
});

test('ten times the load takes ten times as much, and never less than one core and one process', () => {
  // Whole cores: of few, the last one counts.
  const [some, more] = [needOfRequests(measured.load, 1_000_000), needOfRequests(measured.load, 10_000_000)];
  for (const name of ['cores', 'processes', 'calls', 'gigabitsIn', 'redisCommands'] as const)
    expect(more[name] / some[name]).toBeCloseTo(10, 0);
  for (const need of [needOfRequests(measured.load, 0.1), needOfStreams(measured.load, measured.streams, 1)])
    expect(need).toMatchObject({ cores: 1, processes: 1 });
});
