import type { Spread } from '../measure/figures.ts';
import { pairedTimes } from '../measure/rounds.ts';
import type { LoadFigures } from '../suites/load-figures.ts';

/** The names of two contenders: whose figure is divided, and by whose. */
export type Pair = readonly [own: string, other: string];

/** How many times another's figure with a query one's own is, round by round; null where no round has both. */
export function timesOf(
  load: readonly LoadFigures[],
  query: string,
  [own, other]: Pair,
  figure: 'cpuMicrosPerRequest' | 'p99Ms' = 'cpuMicrosPerRequest',
): Spread | null {
  const [above, below] = [own, other].map(
    (name) => load.find((figures) => figures.query === query && figures.contender === name)?.[figure]?.rounds ?? [],
  );
  return pairedTimes(above ?? [], below ?? []);
}
