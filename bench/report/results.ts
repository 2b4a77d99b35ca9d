import { mkdirSync, writeFileSync } from 'node:fs';
import type { Options } from '../options.ts';
import type { BreakdownFigures } from '../suites/breakdown-pages.ts';
import type { CrowdFigures } from '../suites/crowd.ts';
import type { ExportFigures } from '../suites/export.ts';
import type { LoadFigures } from '../suites/load-figures.ts';
import type { NewOperationFigures } from '../suites/new-operation.ts';
import { drawChart } from './chart.ts';
import type { Machine } from './machine.ts';

/** All figures of a run; null for a suite that did not run. */
export interface Results {
  readonly machine: Machine;
  readonly options: Options;
  readonly load: readonly LoadFigures[];
  readonly breakdown: readonly BreakdownFigures[] | null;
  readonly export: readonly ExportFigures[] | null;
  readonly crowd: readonly CrowdFigures[] | null;
  readonly newOperation: readonly NewOperationFigures[] | null;
}

const folder = new URL('../results/', import.meta.url);

/** Writes results/<name>.json. */
export function writeJson(name: string, results: object): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL(`${name}.json`, folder), `${JSON.stringify(results, null, 2)}\n`);
}

/**
 * Writes results/latest.json, and the charts. A run of a part of the
 * benchmark goes to results/partial.json, so that it does not replace a whole one.
 */
export function writeResults(results: Results): void {
  const { options, ...found } = results;
  const told = {
    ...options,
    contenders: options.contenders.map(({ name }) => name),
    queries: options.queries === null ? null : [...options.queries],
  };
  const name = options.isWhole ? 'latest' : 'partial';
  writeJson(name, { options: told, ...found });
  writeCharts(options.isWhole ? 'chart' : 'partial', results);
}

/** Writes the chart for light and for dark pages where the floor was measured. */
export function writeCharts(name: string, results: Pick<Results, 'load' | 'machine'>): void {
  for (const scheme of ['light', 'dark'] as const) {
    const chart = drawChart(results, scheme);
    if (chart !== null) writeFileSync(new URL(`${name}-${scheme}.svg`, folder), chart);
  }
}
