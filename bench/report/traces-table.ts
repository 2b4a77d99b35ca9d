import type { TraceFigures, TraceOptions } from '../traces/price.ts';
import { short, whole, withSpread } from './figure.ts';
import { markdownTable } from './markdown.ts';

/** The results of the command that prices traces. */
export interface TraceResults {
  readonly options: TraceOptions;
  readonly figures: readonly TraceFigures[];
}

/** What traces cost a request, as a table in Markdown. */
export function tracesTable({ options, figures }: TraceResults): string {
  const rate = `at ${whole(options.rate)} requests/s`;
  const headings = ['query, traces', 'at saturation', '× off', rate, '× off', 'spans of a request'];
  const rows = figures.map((one) => {
    const off = figures.find(({ query, setting }) => query === one.query && setting === 'off') ?? one;
    return [
      `${one.query.toUpperCase()}, ${one.setting}`,
      withSpread(one.saturatedMicros),
      (one.saturatedMicros.median / off.saturatedMicros.median).toFixed(2),
      withSpread(one.pacedMicros),
      (one.pacedMicros.median / off.pacedMicros.median).toFixed(2),
      one.spansPerRequest === 0 ? '0' : short(one.spansPerRequest),
    ];
  });
  return markdownTable(headings, rows);
}
