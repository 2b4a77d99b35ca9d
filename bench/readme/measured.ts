import { existsSync, readFileSync } from 'node:fs';
import type { ConcernFigures } from '../report/concerns-table.ts';
import type { Results } from '../report/results.ts';
import type { TraceResults } from '../report/traces-table.ts';

/** The results that the pages are filled from; null for a command that was not run yet. */
export interface Measured {
  readonly latest: Omit<Results, 'options'>;
  readonly rounds: number;
  readonly traces: TraceResults | null;
  readonly concerns: readonly ConcernFigures[] | null;
}

/** Reads the results of the benchmark's commands. */
export function readMeasured(): Measured {
  const latest = read<Measured['latest'] & { readonly options: { readonly rounds: number } }>('latest');
  if (latest === null) throw new Error('There are no results of npm run bench.');
  return {
    latest,
    rounds: latest.options.rounds,
    traces: read<TraceResults>('traces'),
    concerns: read<{ readonly figures: readonly ConcernFigures[] }>('concerns')?.figures ?? null,
  };
}

function read<Found>(name: string): Found | null {
  const file = new URL(`../results/${name}.json`, import.meta.url);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Found) : null;
}
