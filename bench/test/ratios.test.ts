import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inRound, pairedTimes } from '../measure/rounds.ts';
import { loadQueries, type BenchQuery } from '../queries.ts';
import { loadBlock } from '../readme/load-block.ts';
import { targetsBlock } from '../readme/targets-block.ts';
import { ownRange, verdict } from '../readme/verdict.ts';
import { drawChart } from '../report/chart.ts';
import { loadTable } from '../report/load-table.ts';
import { timesOf } from '../report/times.ts';
import { joinRounds, type LoadFigures, type Sample } from '../suites/load-figures.ts';

const figure = fc.double({ min: 0.01, max: 100_000, noNaN: true });
/** Rounds of two contenders: a figure of each, and how slow the machine was meanwhile. */
const rounds = fc.array(fc.tuple(figure, figure, fc.double({ min: 0.1, max: 10, noNaN: true })), {
  minLength: 1,
  maxLength: 12,
});
const medianOf = (own: readonly number[], others: readonly number[]): number =>
  pairedTimes(own, others)?.median ?? Number.NaN;

describe('the order of a round', () => {
  test('lets neighbours change places in every other round', () => {
    expect(inRound(['floor', 'switchboard', 'mercurius'], 4)).toEqual(['floor', 'switchboard', 'mercurius']);
    expect(inRound(['floor', 'switchboard', 'mercurius'], 5)).toEqual(['switchboard', 'floor', 'mercurius']);
    expect(inRound(['a', 'b', 'c', 'd'], 1)).toEqual(['b', 'a', 'd', 'c']);
  });

  test('has everyone once, and lets no one wait for much longer than a round', () => {
    fc.assert(
      fc.property(fc.nat(12), fc.nat(20), (count, round) => {
        const all = Array.from({ length: count }, (_, index) => index);
        const [order, following] = [inRound(all, round), inRound(all, round + 1)];
        expect([...order].sort((a, b) => a - b)).toEqual(all);
        for (const one of all) expect(Math.abs(order.indexOf(one) - following.indexOf(one))).toBeLessThanOrEqual(1);
      }),
    );
  });
});

describe('the ratio of two contenders', () => {
  test('is the median of an odd number of ratios, each of one round', () => {
    expect(pairedTimes([20, 90, 40], [10, 30, 40])).toEqual({
      median: expect.closeTo(2),
      min: expect.closeTo(1),
      max: expect.closeTo(3),
    });
  });

  test('is between the two in the middle of an even number, as far from one as from the other', () => {
    expect(medianOf([20, 80, 10, 90], [10, 10, 10, 10])).toBeCloseTo(4);
  });

  test('leaves out a round that one of the two has not, and is null where they have none in common', () => {
    expect(medianOf([20, 20, 90, 90, 90], [10, 10])).toBeCloseTo(2);
    expect(medianOf([20, 20], [10, 10, 1, 1, 1])).toBeCloseTo(2);
    expect(pairedTimes([], [10])).toBeNull();
    expect(pairedTimes([10], [])).toBeNull();
  });

  test('does not change with how slow the machine is in any round', () => {
    fc.assert(
      fc.property(rounds, (all) => {
        const quiet = medianOf(
          all.map(([own]) => own),
          all.map(([, other]) => other),
        );
        const busy = medianOf(
          all.map(([own, , slow]) => own * slow),
          all.map(([, other, slow]) => other * slow),
        );
        expect(busy / quiet).toBeCloseTo(1, 9);
      }),
    );
  });

  test('is 1 divided by the ratio the other way round, and 1 to itself', () => {
    fc.assert(
      fc.property(rounds, (all) => {
        const [own, others] = [all.map(([one]) => one), all.map(([, other]) => other)];
        expect(medianOf(own, others) * medianOf(others, own)).toBeCloseTo(1, 9);
        expect(medianOf(own, own)).toBe(1);
      }),
    );
  });

  test('lies within the ratios of the rounds, in whatever order they come', () => {
    fc.assert(
      fc.property(rounds, (all) => {
        const of = (some: typeof all) =>
          pairedTimes(
            some.map(([own]) => own),
            some.map(([, other]) => other),
          );
        const { median, min, max } = of(all) ?? { median: Number.NaN, min: 0, max: 0 };
        expect(median).toBeGreaterThanOrEqual(min);
        expect(median).toBeLessThanOrEqual(max);
        expect(min).toBeCloseTo(Math.min(...all.map(([own, other]) => own / other)), 3);
        expect(of(all.toReversed())?.median).toBe(median);
      }),
    );
  });
});

function figuresOf(query: string, contender: string, micros: readonly number[], p99: readonly number[] = []) {
  const once = { query, contender, answerBytes: 1, rate: null, startMs: 1, idleMebibytes: 100, peakMebibytes: 100 };
  const samples = micros.map((cpuMicros): Sample => ({
    cpuMicros,
    perSecond: 1,
    calls: 1,
    saturatedLoopHeld: null,
    loadCore: 0.5,
    serverCore: 1,
  }));
  const paces = p99.map((milliseconds) => ({
    requests: 100,
    p50: 1,
    p99: milliseconds,
    loopHeld: null,
    loopP99: null,
  }));
  return joinRounds(once, samples, paces);
}

describe('the figures of a contender', () => {
  test('keep each round in its order, beside the median of all', () => {
    const { cpuMicrosPerRequest, p99Ms, paced } = figuresOf('q1', 'floor', [30, 10, 20], [3, 1, 2]);
    expect(cpuMicrosPerRequest).toEqual({ median: 20, min: 10, max: 30, rounds: [30, 10, 20] });
    expect(p99Ms).toEqual({ median: 2, min: 1, max: 3, rounds: [3, 1, 2] });
    expect(paced).toBe(100);
  });

  test('are null where nothing was sent at a fixed rate', () => {
    const { p50Ms, p99Ms, loopHeldMs, paced } = figuresOf('q1', 'floor', [30]);
    expect([p50Ms, p99Ms, loopHeldMs, paced]).toEqual([null, null, null, null]);
  });
});

// The machine was slow in some rounds, and in the last for Switchboard alone: 1.5 times the floor's by the rounds, and 4.5 times by the
// medians. Mercurius, 3 times the floor's, left after three rounds.
const load: readonly LoadFigures[] = ['q1', 'q1v'].flatMap((query) => [
  figuresOf(query, 'floor', [10, 10, 30, 10, 30, 30, 10], [1, 2, 4]),
  figuresOf(query, 'switchboard', [15, 15, 45, 15, 45, 45, 45], [2, 4, 4]),
  figuresOf(query, 'mercurius', [30, 30, 90]),
]);
const q1 = loadQueries[0] as BenchQuery;
const squeezed = (table: string): string => table.replaceAll(/ +/g, ' ');

describe('a published ratio', () => {
  test('is that of the rounds, and not that of the medians', () => {
    const [floor, own] = load as [LoadFigures, LoadFigures];
    expect(own.cpuMicrosPerRequest.median / floor.cpuMicrosPerRequest.median).toBe(4.5);
    expect(timesOf(load, 'q1', ['switchboard', 'floor'])?.median).toBeCloseTo(1.5);
    expect(timesOf(load, 'q1', ['switchboard', 'floor'], 'p99Ms')?.median).toBeCloseTo(2);
    expect(timesOf(load, 'q1', ['mercurius', 'switchboard'])?.median).toBeCloseTo(2);
  });

  test('is the same in the table of a query, in the pages, in the chart and beside a target', () => {
    expect(squeezed(loadTable(q1, load.slice(0, 3)))).toContain('| switchboard | 45 (15–45) | 1.50 (1.50–4.50) |');
    expect(squeezed(loadBlock(load))).toContain('| 10 | 45 (1.5) | 30 (3.0) |');
    expect(squeezed(targetsBlock({ load, breakdown: null, newOperation: null }))).toContain(
      '| CPU, × the floor | 1.5 (2.0) |',
    );
    expect(drawChart({ load, machine }, 'light')).toMatch(/>switchboard<[^]*?>1\.5×</);
    expect(ownRange(load)).toBe('1.5 to 1.5');
    // By the medians Mercurius would be cheaper.
    expect(verdict(load)).toBe('Switchboard takes less than the fastest of them for `q1` and `q1v`.');
  });

  test('is left out for a contender without samples', () => {
    const alone = load.filter(({ contender }) => contender !== 'floor');
    expect(timesOf(alone, 'q1', ['switchboard', 'floor'])).toBeNull();
    expect(squeezed(loadBlock(alone))).toContain('| 45 | 30 |');
    expect(squeezed(targetsBlock({ load: alone, breakdown: null, newOperation: null }))).toContain(
      '| CPU, × the floor | – |',
    );
    expect(drawChart({ load: alone, machine }, 'light')).toBeNull();
  });
});

const machine = {
  cpu: 'a processor',
  cores: 2,
  memoryGibibytes: 1,
  node: 'v26',
  versions: {},
  arePinned: true,
  date: '2026-11-22T00:00:00Z',
};
