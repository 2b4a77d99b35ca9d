import type { BreakdownFigures } from '../suites/breakdown-pages.ts';
import type { CrowdFigures } from '../suites/crowd.ts';
import type { ExportFigures } from '../suites/export.ts';
import type { NewOperationFigures } from '../suites/new-operation.ts';
import { short, whole, withSpread } from './figure.ts';
import { markdownTable } from './markdown.ts';

/** The table of q5's pages. */
export function breakdownTable(all: readonly BreakdownFigures[]): string {
  const headings = [
    'contender',
    'one page ms',
    'its CPU ms',
    'pages',
    'all ms',
    'all CPU ms',
    'calls',
    'loop p99 ms',
    'loop held ms',
    'new report ms',
    'loop held ms',
    'peak MiB',
  ];
  const rows = all.map((figures) => [
    figures.contender,
    short(figures.onePageMs),
    short(figures.onePageCpuMs),
    whole(figures.pages),
    whole(figures.wallMs),
    whole(figures.cpuMs),
    whole(figures.calls),
    figures.loop === null ? '' : short(figures.loop.p99Ms),
    figures.loop === null ? '' : short(figures.loop.heldMs),
    short(figures.freshMs),
    figures.freshLoop === null ? '' : short(figures.freshLoop.heldMs),
    whole(figures.peakMebibytes),
  ]);
  return `### q5: 20,000 numbers of a breakdown, 500 a page\n\nOne request at a time: a page alone, page by page to the end, and the first page of reports that are new. The floor is asked for the whole report 40 times.\n\n${markdownTable(headings, rows)}\n`;
}

/** The table of q5's CSV exports. */
export function exportTable(all: readonly ExportFigures[]): string {
  const headings = ['contender', 'report', 'bytes', 'MiB/s', 'CPU ms/MiB', 'idle MiB', 'peak MiB'];
  const rows = all.map((figures) => [
    figures.contender,
    figures.report,
    whole(figures.bytes),
    whole(figures.mebibytesPerSecond),
    short(figures.cpuMsPerMebibyte),
    whole(figures.idleMebibytes),
    whole(figures.peakMebibytes),
  ]);
  return `### csv: the breakdown as CSV, streamed\n\n${markdownTable(headings, rows)}\n`;
}

/** The table of q7. */
export function crowdTable(all: readonly CrowdFigures[]): string {
  const headings = ['contender', 'wall ms', 'upstream calls', 'CPU ms'];
  const rows = all.map((figures) => [
    figures.contender,
    withSpread(figures.wallMs),
    withSpread(figures.calls),
    withSpread(figures.cpuMs),
  ]);
  return `### q7: 100 equal q1 of one caller at once, an upstream that takes 50 ms\n\n${markdownTable(headings, rows)}\n`;
}

/** The table of q8. */
export function newOperationTable(all: readonly NewOperationFigures[]): string {
  const headings = ['contender', 'new: median ms', 'p99 ms', 'CPU µs', 'known: median ms', 'CPU µs'];
  const rows = all.map((figures) => [
    figures.contender,
    short(figures.medianMs),
    short(figures.p99Ms),
    whole(figures.cpuMicros),
    short(figures.knownMedianMs),
    whole(figures.knownCpuMicros),
  ]);
  return `### q8: q1 with an alias never seen before, one request at a time\n\n${markdownTable(headings, rows)}\n`;
}
