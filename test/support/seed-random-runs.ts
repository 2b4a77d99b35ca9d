import fc from 'fast-check';
import { seed } from './runs.ts';

// Loaded before each file of tests: all that fast-check makes up is the same each time, but for a run with another `SEED`.
fc.configureGlobal({ seed: Number(seed) });
