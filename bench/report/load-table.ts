import type { LoadFigures } from '../suites/load-figures.ts';
import { isFloor, type BenchQuery } from '../queries.ts';
import { short, whole, withSpread } from './figure.ts';
import { markdownTable } from './markdown.ts';
import { timesOf } from './times.ts';

/** How many times another's processor time one's own is, and its spread; empty where there is no other. */
function timesCell(all: readonly LoadFigures[], { query, contender }: LoadFigures, other: string): string {
  const times = timesOf(all, query, [contender, other]);
  if (times === null) return '';
  return contender === other ? '1' : withSpread(times, (figure) => figure.toFixed(2));
}

/** The contender that takes the least processor time beside the floor and Switchboard; undefined where there is none. */
function fastestPeer(all: readonly LoadFigures[]): LoadFigures | undefined {
  const peers = all.filter(({ contender }) => !isFloor(contender) && contender !== 'switchboard');
  return peers.sort((a, b) => a.cpuMicrosPerRequest.median - b.cpuMicrosPerRequest.median)[0];
}

/** The figures of one query as a table in Markdown, its heading and what must be known to read it included. */
export function loadTable(query: BenchQuery, all: readonly LoadFigures[]): string {
  const fastest = fastestPeer(all)?.contender ?? '';
  const rows = all.map((figures) => [
    figures.contender,
    withSpread(figures.cpuMicrosPerRequest),
    timesCell(all, figures, 'floor'),
    timesCell(all, figures, fastest),
    withSpread(figures.requestsPerSecond),
    figures.upstreamCallsPerRequest.median.toFixed(2),
    figures.p50Ms === null ? '' : short(figures.p50Ms.median),
    figures.p99Ms === null ? '' : withSpread(figures.p99Ms, short),
    figures.loopP99Ms === null ? '' : short(figures.loopP99Ms.median),
    figures.loopHeldMs === null ? '' : short(figures.loopHeldMs.max),
    whole(figures.idleMebibytes),
    whole(figures.peakMebibytes),
    `${Math.round(figures.loadCore * 100)} %`,
  ]);
  const headings = [
    'contender',
    'CPU µs/request',
    '× floor',
    fastest === '' ? '× peer' : `× ${fastest}`,
    'req/s',
    'calls/req',
    'p50 ms',
    'p99 ms',
    'loop p99 ms',
    'loop held ms',
    'idle MiB',
    'peak MiB',
    'load core',
  ];
  const [first] = all;
  const bytes = all.find((figures) => figures.contender === 'switchboard')?.answerBytes ?? first?.answerBytes ?? 0;
  const note = [...bottlenecks(all)].map((line) => `\n${line}\n`).join('');
  const paced = all.find(({ rate }) => rate !== null);
  const pace =
    paced === undefined
      ? ''
      : `; latencies and loop delays at ${paced.rate} requests a second, ${paced.paced} in each sample`;
  return `### ${query.name}: ${query.title}\n\nAn answer of ${whole(bytes)} bytes${pace}.\n\n${markdownTable(headings, rows)}\n${note}`;
}

/** Where a figure is not what it seems: the load was too slow, or others used the core of the server. */
function* bottlenecks(all: readonly LoadFigures[]): Generator<string> {
  const names = (isOne: (figures: LoadFigures) => boolean): string =>
    all
      .filter(isOne)
      .map((figures) => figures.contender)
      .join(', ');
  const slow = names(({ loadCore }) => loadCore > 0.95);
  if (slow !== '')
    yield `The core of the load was the bottleneck for ${slow}: their req/s are a lower bound, CPU is not affected.`;
  const crowded = names(({ loadCore, serverCore }) => loadCore <= 0.95 && serverCore < 0.9);
  if (crowded !== '')
    yield `The server's core was less than 90 % busy with ${crowded}: others used it, or the load was too small, so req/s are a lower bound.`;
}
