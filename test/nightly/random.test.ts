import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

// The random tests of the gate once more, with as many runs as a night has time for, and with a seed of its own.
// RUNS=100 makes more, SEED=… repeats a night.
const root = fileURLToPath(new URL('../../', import.meta.url));
const runs = process.env['RUNS'] ?? '10';
const seed = process.env['SEED'] ?? String(Date.now() % 1_000_000_000);
const timeout = 6 * 3_600_000;

/** The files of tests that ask for how many runs they make, and with which seed. */
function randomFiles(): string[] {
  const files = globSync('test/**/*.test.ts', { cwd: root, exclude: ['**/node_modules/**', 'test/nightly/**'] });
  return files.filter((file) => readFileSync(root + file, 'utf8').includes('/runs.ts')).sort();
}

test(`${runs} times as many random runs as the gate makes find nothing (SEED=${seed})`, { timeout }, async () => {
  const outer = Object.keys(process.env).filter((name) => name.startsWith('VITEST'));
  const env = { ...process.env, ...Object.fromEntries(outer.map((name) => [name, undefined])), RUNS: runs, SEED: seed };
  const projects = ['quick', 'alone', 'packages'].flatMap((name) => ['--project', name]);
  const run = spawn('node_modules/.bin/vitest', ['run', '--testTimeout', '7200000', ...projects, ...randomFiles()], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [run.stdout, run.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(-100_000)));
  const [code] = (await once(run, 'close')) as [number | null];
  if (code !== 0) console.log(`${output}\nTo repeat it: RUNS=${runs} SEED=${seed} npx vitest run <file>`);
  expect(code).toBe(0);
});
