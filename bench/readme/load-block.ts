import { contenders } from '../contenders.ts';
import { isFloor, loadQueries, type BenchQuery } from '../queries.ts';
import { whole } from '../report/figure.ts';
import { markdownTable } from '../report/markdown.ts';
import { timesOf } from '../report/times.ts';
import type { LoadFigures } from '../suites/load-figures.ts';
import { variedQueries } from '../varied-queries.ts';

/** Processor time of a request, in microseconds; null where it was not measured. */
function microsOf(load: readonly LoadFigures[], query: string, contender: string): number | null {
  const found = load.find((one) => one.query === query && one.contender === contender);
  return found?.cpuMicrosPerRequest.median ?? null;
}

function cellOf(load: readonly LoadFigures[], query: string, contender: string): string {
  const own = microsOf(load, query, contender);
  if (own === null) return '–';
  const times = isFloor(contender) ? null : timesOf(load, query, [contender, 'floor']);
  return times === null ? whole(own) : `${whole(own)} (${times.median.toFixed(1)})`;
}

function tableOf(load: readonly LoadFigures[], queries: readonly BenchQuery[], names: readonly string[]): string {
  const chosen = contenders.filter(
    ({ name }) => names.includes(name) && load.some(({ contender }) => contender === name),
  );
  const rows = queries
    .filter(({ name }) => load.some(({ query }) => query === name))
    .map(({ name, title }) => [
      upper(titled(name, title)),
      ...chosen.map((contender) => cellOf(load, name, contender.name)),
    ]);
  return markdownTable(['query', ...chosen.map(({ title }) => title)], rows);
}

/** A query's title, which begins with the name of the query that it is made of, or else with its own. */
function titled(name: string, title: string): string {
  return /^q\d\b/.test(title) || !/^q\d$/.test(name) ? title : `${name}: ${title}`;
}

const upper = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Each query that everyone answers. */
export function loadBlock(load: readonly LoadFigures[]): string {
  const queries = loadQueries.filter(({ only }) => only === undefined);
  return tableOf(
    load,
    queries,
    contenders.map(({ name }) => name),
  );
}

/** What the floor, Switchboard and the fastest peer are asked besides. */
export function variedBlock(load: readonly LoadFigures[]): string {
  const queries = [...loadQueries.filter(({ only }) => only !== undefined), ...variedQueries];
  return tableOf(load, queries, ['floor', 'floor-piping', 'switchboard', 'mercurius']);
}
