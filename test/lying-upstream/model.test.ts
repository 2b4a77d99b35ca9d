import { expect, test } from 'vitest';
import { runModel } from './model.ts';
import { runs } from '../support/runs.ts';

// All runs of the suite have one seed. LYING_SEED chooses another, LYING_RUNS makes a longer run, LYING_FROM begins it further on, and
// LYING_ONLY runs one of it and prints its upstream calls.
const { LYING_SEED: seed = 'bg', LYING_RUNS, LYING_FROM = '0', LYING_ONLY } = process.env;
const most = Number(LYING_RUNS ?? runs(600));

test(
  `every answer is right or an error, whatever the upstream tells of its lists (LYING_SEED=${seed})`,
  { timeout: 60_000 + most * 200 },
  async () => {
    const numbers = Array.from({ length: most }, (_, index) => Number(LYING_FROM) + index);
    const tally = await runModel({ seed, numbers: LYING_ONLY === undefined ? numbers : [Number(LYING_ONLY)] });
    // Figures to look at.
    console.log(
      [...tally]
        .sort()
        .map(([name, count]) => `${name}: ${count}`)
        .join('\n'),
    );
    if (LYING_ONLY !== undefined) return;
    const count = (pattern: RegExp): number =>
      [...tally].reduce((sum, [name, times]) => sum + (pattern.test(name) ? times : 0), 0);
    expect(count(/^honest .* right$/)).toBe(count(/^honest /));
    expect(count(/^clamped .* (right|exhausted)$/) / count(/^clamped /)).toBeGreaterThan(0.98);
    expect(count(/^moving .* right$/) / count(/^moving /)).toBeGreaterThan(0.85);
    // A liar of whom nothing could be had would prove little.
    expect(count(/^liar .* right$/) / count(/^liar /)).toBeGreaterThan(0.3);
  },
);
