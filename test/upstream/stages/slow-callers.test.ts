import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { limitConcurrency } from '../../../src/upstream/stages/bulkhead.ts';
import { runMix, type GreedyCallers, type Mix, type Verdict } from './slow-callers.ts';

const most = 128;
const options = { most, queueSize: 1_000, queueTimeoutMs: 2_000 };
const modest = { count: 5, everyMs: 700, calls: 3, callMs: 100 };

const slowCalls = (count: number, calls: number): Mix => ({
  greedy: [{ count, calls, callMs: 9_000 }],
  modest,
  isStreamed: false,
});
const isKept = ({ queries, bad }: Verdict): boolean => bad <= queries / 100;

describe('callers with short calls are served within a second', () => {
  test('while another one has two hundred calls of nine seconds, and nearly all slots', async () => {
    const verdict = await runMix(slowCalls(1, 200), limitConcurrency(options));
    expect(verdict).toMatchObject({ bad: 0, mostOfOne: 112 });
    expect(verdict.queries).toBeGreaterThan(100);
  });

  test.for([
    [2, 200],
    [10, 30],
    [100, 3],
  ] as const)('while %d others have %d such calls each', async ([count, calls]) => {
    expect(await runMix(slowCalls(count, calls), limitConcurrency(options))).toMatchObject({ bad: 0 });
  });

  test('while one to thirty others have calls of any length that is longer than the queue is patient', async () => {
    const greedy: fc.Arbitrary<GreedyCallers> = fc.record({
      count: fc.integer({ min: 1, max: 10 }),
      calls: fc.integer({ min: 2, max: 60 }),
      callMs: fc.integer({ min: 2_100, max: 60_000 }),
    });
    const mixes: fc.Arbitrary<Mix> = fc.record({
      greedy: fc.array(greedy, { minLength: 1, maxLength: 3 }),
      modest: fc.record({
        count: fc.integer({ min: 1, max: 6 }),
        everyMs: fc.integer({ min: 600, max: 1_500 }),
        calls: fc.integer({ min: 1, max: 4 }),
        callMs: fc.integer({ min: 20, max: 150 }),
      }),
      isStreamed: fc.constant(false),
    });
    await fc.assert(
      fc.asyncProperty(mixes, async (mix) => {
        expect(await runMix(mix, limitConcurrency(options))).toSatisfy(isKept);
      }),
      { numRuns: 15 },
    );
  });

  test('while three others have downloads that do not end', async () => {
    const mix = { ...slowCalls(3, 200), isStreamed: true };
    expect(await runMix(mix, limitConcurrency(options))).toMatchObject({ bad: 0 });
  });
});
