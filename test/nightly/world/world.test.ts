import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { describeFailure, runProcess, runWorlds } from './engine/worlds.ts';
import type { Line } from './engine/serve-runs.ts';
import { readPlanted } from './find-planted.ts';
import { seeds } from './seeds.ts';

/** A number that is another one for each commit that changes a file, and one for all who test the same files; 1 outside of a repository. */
function numberOfFiles(): number {
  const here = new URL('.', import.meta.url);
  const { stdout } = spawnSync('git', ['rev-parse', 'HEAD^{tree}'], { cwd: here, encoding: 'utf8' });
  return Number.parseInt(stdout?.slice(0, 8), 16) || 1;
}

// For a minute on two cores; more of them with `npm run world`.
const first = numberOfFiles();
const fresh = Array.from({ length: 40 }, (_, index) => ({ seed: String(first + index) }));

test(
  `every promise holds in new worlds, from seed ${first} on, and in those that have ever failed`,
  { timeout: 600_000 },
  async () => {
    const worlds = [...seeds, ...fresh];
    const { failed, runs } = await runWorlds({ worlds, shrinkSeconds: 10 });
    expect(failed.map(describeFailure)).toEqual([]);
    expect(runs).toBe(worlds.length);
  },
);

test('a seed decides the world to the byte, whatever ran before it', { timeout: 600_000 }, async () => {
  const lines: Line[] = [];
  const collect = (line: Line): void => void lines.push(line);
  await Promise.all([
    runProcess({ worlds: [{ seed: '1' }, { seed: '2' }] }, collect),
    runProcess({ worlds: [{ seed: '2' }, { seed: '1' }] }, collect),
  ]);
  const tracesOf = (seed: string): string[] => lines.filter((line) => line.seed === seed).map(({ trace }) => trace);
  for (const seed of ['1', '2']) {
    expect(tracesOf(seed)).toHaveLength(2);
    expect(new Set(tracesOf(seed)).size).toBe(1);
  }
});

test(
  'each planted fault breaks a promise in the world that has found it, where none is broken without the fault',
  { timeout: 600_000 },
  async () => {
    const planted = readPlanted();
    expect(planted.length).toBeGreaterThanOrEqual(30);
    const outcomeOf = async (some: typeof planted): Promise<readonly string[]> => {
      const worlds = some.flatMap(({ fault, found }) => (found === null ? [] : [{ ...found, plant: fault }, found]));
      const isBroken: boolean[] = [];
      await runProcess({ worlds }, ({ broken }) => isBroken.push(broken.length > 0));
      return some.map(({ fault }, index) => `${fault.name}: ${isBroken[2 * index]}, ${isBroken[2 * index + 1]}`);
    };
    const half = Math.ceil(planted.length / 2);
    const outcomes = await Promise.all([outcomeOf(planted.slice(0, half)), outcomeOf(planted.slice(half))]);
    expect(outcomes.flat()).toEqual(planted.map(({ fault: { name } }) => `${name}: true, false`));
  },
);
