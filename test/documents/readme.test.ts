import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { blocksOf } from '../../bench/readme/blocks.ts';
import { readMeasured } from '../../bench/readme/measured.ts';
import { filledPage } from '../../bench/readme/page.ts';
import { isHeld, targetsBlock } from '../../bench/readme/targets-block.ts';
import { drawChart } from '../../bench/report/chart.ts';
import type { LoadFigures } from '../../bench/suites/load-figures.ts';

const measured = readMeasured();
const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

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

describe('filledPage', () => {
  test('fills places within a line and in lines of their own, and leaves all else', () => {
    const page = 'a <!-- results: one --><!-- end --> b\n\n<!-- results: two -->\n\nold\n\n<!-- end -->\n';
    const filled = 'a <!-- results: one -->1<!-- end --> b\n\n<!-- results: two -->\n\n$& 2\n\n<!-- end -->\n';
    expect(filledPage(page, { one: '1', two: '$& 2' })).toBe(filled);
    expect(filledPage(filled, { one: '1', two: '$& 2' })).toBe(filled);
  });

  test('refuses a page without places, and a place without a text', () => {
    expect(() => filledPage('no place', {})).toThrow('no place for results');
    expect(() => filledPage('<!-- results: x --><!-- end -->', {})).toThrow('no results named x');
  });
});

describe('a target', () => {
  test.for([
    [{ result: 2.04, target: 2 }, true],
    [{ result: 2.06, target: 2 }, false],
    [{ result: 1.46, target: 1.5, isLeast: true }, true],
    [{ result: 1.44, target: 1.5, isLeast: true }, false],
    [{ result: null, target: 2 }, false],
  ] as const)('%o is held: %s', ([aim, held]) => {
    expect(isHeld(aim)).toBe(held);
  });

  test('is bold where it is missed, and a dash where nothing was measured', () => {
    const figures = (query: string, contender: string, micros: number) =>
      ({
        query,
        contender,
        cpuMicrosPerRequest: { median: micros, min: micros, max: micros, rounds: [micros] },
        peakMebibytes: micros,
        idleMebibytes: 200,
      }) as unknown as LoadFigures;
    const load = [
      figures('q1', 'floor', 10),
      figures('q1', 'switchboard', 15),
      figures('q4', 'floor', 10),
      figures('q4', 'switchboard', 30),
      figures('q4', 'mercurius', 60),
    ];
    const lines = targetsBlock({ load, breakdown: null, newOperation: null })
      .split('\n')
      .map((line) => line.replaceAll(/ +/g, ' '));
    expect(lines).toContain('| CPU, × the floor | 1.5 (2.0) | – | – | **3.0 (1.6)** | – |');
    expect(lines).toContain('| CPU of Mercurius, × Switchboard | – | – | – | 2.0 (1.5) | – |');
    expect(lines).toContain('| memory after the start, median MiB | 200 | 144 | **no** |');
    expect(lines).toContain('| an operation never seen before, median ms | – | 2 | – |');
  });
});
