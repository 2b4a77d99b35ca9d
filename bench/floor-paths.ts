import { breakdownPage, loadQueries } from './queries.ts';
import { furtherFloorPaths, variedQueries } from './varied-queries.ts';

/** The upstream calls of the floor, by the path that is asked. */
export const floorPaths: ReadonlyMap<string, readonly string[]> = new Map([
  ...[...loadQueries, ...variedQueries, breakdownPage].map(
    ({ name, upstreamPaths }) => [`/${name}`, upstreamPaths] as const,
  ),
  ...furtherFloorPaths,
]);
