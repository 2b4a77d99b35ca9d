import fc from 'fast-check';

const times = Number(process.env['RUNS'] ?? 1);

/** How many random runs a test makes: so many in the gate, and so many times as many with `RUNS=100`. */
export function runs(count: number): number {
  return Math.ceil(count * times);
}

/** The seed of random runs: one that is written down, or that of `SEED=…`. A test has it in its name. */
export const seed = process.env['SEED'] ?? '1';

// Loaded before each file of tests: all that fast-check makes up is the same each time, but for a run with another `SEED`.
fc.configureGlobal({ seed: Number(seed) });
