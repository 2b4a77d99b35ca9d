import { readFileSync } from 'node:fs';
import type { MeasuredLoad, MeasuredStreams } from './model.ts';
import type { Measured } from './page.ts';

/** Reads the results of the benchmark's three commands. */
export function readMeasured(): Measured {
  return {
    load: read<{ load: readonly MeasuredLoad[] }>('latest').load,
    workers: read<{ load: readonly MeasuredLoad[] }>('workers').load,
    streams: read<MeasuredStreams>('streams'),
  };
}

function read<Results>(name: string): Results {
  return JSON.parse(readFileSync(new URL(`../results/${name}.json`, import.meta.url), 'utf8')) as Results;
}
