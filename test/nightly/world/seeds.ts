import type { Chosen } from './engine/serve-runs.ts';

/** A world that has found a fault of the gateway. */
export interface RecordedSeed extends Chosen {
  readonly found: string;
}

/**
 * Every world that has found one: its seed and, for those found from now on, the smallest script, which outlives changes of the
 * generator.
 */
export const seeds: readonly RecordedSeed[] = [
  { seed: '1036', found: 'a rate limit that lasted longer when the machine’s clock was set back' },
  { seed: '3035', found: 'a row that was not found, without an error, behind pages of one row in a list that grew' },
  { seed: '3148', found: 'a cursor that was refused when its connection had gone' },
  { seed: '10171', found: 'a reader of states who waited for the next poll of a paused feed, beyond the deadline' },
  {
    seed: '2007042655',
    found: 'rows behind a cursor that were left out, where smaller pages looked like the last of a list',
  },
  { seed: '3214791978', found: 'a first reading of a feed that ended although a row was in it twice, and another not' },
];
