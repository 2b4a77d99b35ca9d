import { contenders } from '../contenders.ts';
import { isFloor } from '../queries.ts';
import { timesOf } from '../report/times.ts';
import type { LoadFigures } from '../suites/load-figures.ts';

// One caller's equal calls are made once, and compression costs everyone alike: neither tells what a request costs.
const isPlain = (query: string): boolean => !/one$|gzip$|zstd$/.test(query);

function queriesIn(load: readonly LoadFigures[]): readonly string[] {
  return [...new Set(load.map(({ query }) => query))].filter(isPlain);
}

function range(figures: readonly number[]): string {
  const show = (figure: number): string => (figure < 10 ? figure.toFixed(1) : String(Math.round(figure)));
  return `${show(Math.min(...figures))} to ${show(Math.max(...figures))}`;
}

function timesFloor(load: readonly LoadFigures[], names: readonly string[]): readonly number[] {
  return queriesIn(load).flatMap((query) =>
    names.flatMap((name) => timesOf(load, query, [name, 'floor'])?.median ?? []),
  );
}

const peers = contenders.map(({ name }) => name).filter((name) => !isFloor(name) && name !== 'switchboard');

/** How many times the floor's processor time Switchboard takes, from the least query to the most. */
export function ownRange(load: readonly LoadFigures[]): string {
  return range(timesFloor(load, ['switchboard']));
}

/** The same of its peers. */
export function peersRange(load: readonly LoadFigures[]): string {
  return range(timesFloor(load, peers));
}

/** Where Switchboard takes less than the fastest of its peers, and where it does not, in words. */
export function verdict(load: readonly LoadFigures[]): string {
  const [cheaper, dearer]: [string[], string[]] = [[], []];
  for (const query of queriesIn(load)) {
    const times = peers.flatMap((name) => timesOf(load, query, [name, 'switchboard'])?.median ?? []);
    if (times.length === 0) continue;
    (times.every((one) => one > 1) ? cheaper : dearer).push(`\`${query}\``);
  }
  const less = `Switchboard takes less than the fastest of them for ${listed(cheaper)}`;
  return dearer.length === 0 ? `${less}.` : `${less}, and no less for ${listed(dearer)}.`;
}

function listed(names: readonly string[]): string {
  if (names.length < 2) return names[0] ?? 'none';
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
