import { readFileSync, writeFileSync } from 'node:fs';
import { runProcess } from './engine/worlds.ts';
import type { Line } from './engine/serve-runs.ts';
import type { Plant } from './engine/gateway.ts';
import type { Step } from './types.ts';

/** A fault that is planted in the source: one line that is wrong. */
interface PlantedFault extends Plant {
  readonly name: string;
}

/** The smallest world that has found a fault, after so many seconds of processor time with new seeds. */
interface FoundIn {
  readonly seed: string;
  readonly seconds: number;
  readonly promise: string;
  readonly script: readonly Step[];
}

const faultsFile = new URL('planted-faults.json', import.meta.url);
// Written by `npm run world -- --plant`.
const worldsFile = new URL('planted-worlds.json', import.meta.url);

const readFaults = (): PlantedFault[] => JSON.parse(readFileSync(faultsFile, 'utf8')) as PlantedFault[];
const readWorlds = (): Record<string, FoundIn> =>
  JSON.parse(readFileSync(worldsFile, 'utf8')) as Record<string, FoundIn>;

/** All planted faults, each with the world that has found it; null where none has. */
export function readPlanted(): readonly { readonly fault: PlantedFault; readonly found: FoundIn | null }[] {
  const worlds = readWorlds();
  return readFaults().map((fault) => ({ fault, found: worlds[fault.name] ?? null }));
}

/**
 * Looks for planted faults with the seeds from `first` on, for so many seconds of the processor each, and writes down what has found
 * them: for those of the given names, or for all. Returns the names of those that were not found.
 */
export async function findPlanted(
  first: number,
  huntSeconds: number,
  names: readonly string[],
  processes: number,
): Promise<readonly string[]> {
  const wanted = readFaults().filter(({ name }) => names.length === 0 || names.includes(name));
  const notFound: string[] = [];
  const hunts = Array.from({ length: processes }, (_, index) =>
    wanted.filter((_fault, at) => at % processes === index),
  );
  await Promise.all(
    hunts.map(async (faults) => {
      const left = [...faults];
      const found = (line: Line): void => note(left.shift(), line);
      const missed = (): void => void notFound.push(left.shift()?.name ?? '');
      await runProcess({ hunts: faults, first, huntSeconds, shrinkSeconds: 10 }, found, missed);
    }),
  );
  return notFound;
}

function note(fault: PlantedFault | undefined, { seed, smallest, ms, broken }: Line): void {
  if (fault === undefined || smallest === undefined) return;
  const { promise = '' } = broken[0] ?? {};
  const found: FoundIn = { seed, seconds: Math.ceil(ms / 1_000), promise, script: smallest };
  console.log(`${found.seconds} s, seed ${seed}: ${fault.name} (${promise}, ${smallest.length} steps)`);
  // Another process may have found something meanwhile.
  const worlds = { ...readWorlds(), [fault.name]: found };
  const lines = readFaults().flatMap(({ name }) => {
    const world = worlds[name];
    return world === undefined ? [] : `${JSON.stringify(name)}:${JSON.stringify(world)}`;
  });
  writeFileSync(worldsFile, `{\n${lines.join(',\n')}\n}\n`);
}
