import { expect, test } from 'vitest';
import type { Line } from './engine/serve-runs.ts';
import { describeFailure, runProcess, runWorlds } from './engine/worlds.ts';
import { seeds } from './seeds.ts';

// New ones each night. WORLD_SECONDS=3600 looks for an hour.
const seconds = Number(process.env['WORLD_SECONDS'] ?? 240);
const first = Date.now() % 1_000_000_000;
const timeout = 600_000 + seconds * 2_000;

test('every promise holds in the worlds that have found a fault', { timeout }, async () => {
  const lines = await runWorlds({ worlds: seeds, shrinkSeconds: 30 });
  expect(lines.filter(({ broken }) => broken.length > 0).map(describeFailure)).toEqual([]);
  expect(lines).toHaveLength(seeds.length);
});

test(`every promise holds in ${seconds} seconds of new worlds, from seed ${first} on`, { timeout }, async () => {
  const failed: string[] = [];
  const lines = await runWorlds({
    seconds,
    first,
    shrinkSeconds: 30,
    each: (line) => {
      if (line.broken.length === 0) return;
      failed.push(line.seed);
      // For test/nightly/world/seeds.ts, even where the run is ended before its time.
      console.log(describeFailure(line));
    },
  });
  console.log(`${lines.length} worlds from seed ${first} on, ${failed.length} failed`);
  expect(failed).toEqual([]);
});

test('a seed decides the world to the byte, whatever ran before it', { timeout }, async () => {
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
