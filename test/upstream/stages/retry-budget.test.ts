import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRetryBudget } from '../../../src/upstream/stages/retry.ts';

describe('the retry budget', () => {
  /** Calls and what they may retry, at so many calls a second for so many seconds, when every call wants two retries. */
  function spendAll(rates: readonly number[]): { readonly calls: number[]; readonly retries: number[] } {
    let time = 0;
    const budget = createRetryBudget({ now: () => time });
    const calls: number[] = [];
    const made: number[] = [];
    for (const rate of rates) {
      const start = time;
      let count = 0;
      for (let call = 0; call < rate; call++) {
        time = start + (call / rate) * 1000;
        budget.earn();
        for (let tries = 0; tries < 2; tries++) if (budget.spend()) count++;
      }
      time = start + 1000;
      calls.push(rate);
      made.push(count);
    }
    return { calls, retries: made };
  }

  const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
  // What is saved up, and what may be owed: ten each.
  const slack = 21;

  test('never allows more than a fifth of steady traffic, or ten a second where that is more, in any window', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2_000 }), fc.integer({ min: 1, max: 30 }), (rate, seconds) => {
        const { retries: made } = spendAll(Array<number>(seconds).fill(rate));
        for (let from = 0; from < seconds; from++)
          for (let to = from + 1; to <= seconds; to++)
            expect(sum(made.slice(from, to))).toBeLessThanOrEqual(Math.max(0.2 * rate, 10) * (to - from) + slack);
      }),
      { numRuns: 200 },
    );
  });

  test('bounds each second of traffic that comes and goes', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 500 }), { minLength: 1, maxLength: 30 }), (rates) => {
        const { calls, retries: made } = spendAll(rates);
        for (let from = 0; from < rates.length; from++)
          for (let to = from + 1; to <= rates.length; to++) {
            const allowed = sum(calls.slice(from, to).map((count) => Math.max(0.2 * count, 10)));
            expect(sum(made.slice(from, to))).toBeLessThanOrEqual(allowed + slack);
          }
      }),
      { numRuns: 500 },
    );
  });

  test('allows ten a second again soon after the traffic has gone', () => {
    const { retries: made } = spendAll([...Array<number>(60).fill(1_000), ...Array<number>(10).fill(20)]);
    expect(sum(made.slice(0, 60))).toBeGreaterThan(60 * 190);
    for (const count of made.slice(62)) expect(count).toBeGreaterThanOrEqual(9);
  });
});
