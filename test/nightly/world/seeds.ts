import type { Chosen } from './engine/serve-runs.ts';

/** A world that has failed, and what it found. */
export interface RecordedSeed extends Chosen {
  readonly found: string;
}

/** Every seed that has ever failed. */
export const seeds: readonly RecordedSeed[] = [
  { seed: '1036', found: 'a rate limit that lasted longer when the machine’s clock was set back' },
  { seed: '3035', found: 'a row that was not found, without an error, behind pages of one row in a list that grew' },
  { seed: '3148', found: 'a cursor that was refused when its connection had gone' },
  { seed: '10171', found: 'a reader of states who waited for the next poll of a paused feed, beyond the deadline' },
  { seed: '654938466', found: 'a judge who forgot that a page of a clamped list may take a call a row' },
  { seed: '1004', found: 'a judge who forgot that a reader sees again what a clock set back makes doubtful' },
  { seed: '2002', found: 'a judge who gave too few calls to a list that moves, with small searches' },
  { seed: '2043', found: 'a judge who forgot that an early refusal may be lost with its connection' },
  { seed: '2078', found: 'a judge who took the refusal of another day for one of today' },
  { seed: '2101', found: 'a judge who forgot that rows which go hide others of the same reading' },
  { seed: '4104', found: 'a judge who forgot that late replies open a breaker' },
  { seed: '1116177578', found: 'a judge who asked for a row that nobody can miss in a list without counts' },
  { seed: '10533', found: 'a judge who gave too few calls to a clamped list that moves' },
  { seed: '10629', found: 'a judge who forgot that a clock ahead believes deliveries from the future' },
  { seed: '4294062839', found: 'a judge who asked for the order of a list without counts that grew by many rows' },
  {
    seed: '2007042655',
    found: 'rows behind a cursor that were left out, where smaller pages looked like the last of a list',
  },
  { seed: '3214791978', found: 'a first reading of a feed that ended although a row was in it twice, and another not' },
  { seed: 'long 59', found: 'a judge who forgot that calls are made anew when their connections are cut' },
  { seed: 'long 92', found: 'a connection of the world that was cut before anybody listened' },
  { seed: 'long 179', found: 'a judge who forgot that callers who are not known yet share with each other' },
  { seed: 'long 1061', found: 'a judge who took a caller for known whose key had been refused' },
  { seed: 'long 1394', found: 'a judge who forgot the calls of a page that failed' },
];
