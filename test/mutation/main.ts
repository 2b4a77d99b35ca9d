import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { folders } from './folders.ts';
import { findMutants, type Mutant } from './mutants.ts';

// Plants faults in parts of `src/`, one at a time, and tells which of them no test notices.
//   npm run mutation                                40 mutants of each part
//   npm run mutation -- --most 0 src/billing        every mutant of one
//   npm run mutation -- --seed 7                    another sample

interface Planted extends Mutant {
  readonly part: string;
  readonly file: string;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    most: { type: 'string', default: '40' },
    seed: { type: 'string', default: '1' },
    workers: { type: 'string', default: String(availableParallelism()) },
  },
});
const load = new URL('load.ts', import.meta.url).href;
/** A mutant that runs for ever is noticed. */
const longestRun = 180_000;

/** The modules of a part that tests execute as they stand; the transcoder's AssemblyScript is compiled before. */
function filesOf(part: string): string[] {
  if (statSync(part).isFile()) return [part];
  return globSync(`${part}/**/*.ts`)
    .filter((file) => !file.includes('/assembly/'))
    .sort();
}

/** `most` of the mutants of a part, the same for the same seed; 0: all. */
function sampleOf(part: string, most: number, seed: number): Planted[] {
  const all = filesOf(part).flatMap((file) =>
    findMutants(readFileSync(file, 'utf8')).map((mutant) => ({ ...mutant, part, file })),
  );
  if (most === 0) return all;
  let state = seed;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return all
    .map((mutant) => ({ mutant, rank: next() }))
    .sort((a, b) => a.rank - b.rank)
    .slice(0, most)
    .map(({ mutant }) => mutant);
}

/** Whether the tests of `paths` notice the mutant. */
async function isNoticed({ file, start, end, replacement }: Planted, paths: readonly string[]): Promise<boolean> {
  const url = pathToFileURL(file).href;
  const options = ['--bail', '1', '--retry', '0', '--maxWorkers', '1', '--testTimeout', '20000', '--reporter', 'dot'];
  const projects = ['quick', 'model', 'replacing'].flatMap((name) => ['--project', name]);
  const run = spawn('node_modules/.bin/vitest', ['run', ...options, ...projects, ...paths], {
    stdio: 'ignore',
    detached: true,
    env: {
      ...process.env,
      NODE_OPTIONS: `--import=${load} --disable-warning=ExperimentalWarning`,
      MUTANT: JSON.stringify({ url, start, end, replacement }),
    },
  });
  const timer = setTimeout(() => process.kill(-run.pid!, 'SIGKILL'), longestRun);
  const [code] = (await once(run, 'exit')) as [number | null];
  clearTimeout(timer);
  return code !== 0;
}

/** The tests of a part, without a fault in it, must pass: else they would notice everything. */
async function requireGreen(part: string): Promise<void> {
  const { own = [], more = [] } = folders[part] ?? {};
  const none = { part, file: part, line: 0, start: 0, end: 0, original: '', replacement: '' };
  if (await isNoticed(none, [...own, ...more])) throw new Error(`The tests of ${part} fail without a fault.`);
}

const parts = positionals.length > 0 ? positionals : Object.keys(folders);
const queue = parts.flatMap((part) => sampleOf(part, Number(values.most), Number(values.seed)));
const counts = new Map(parts.map((part) => [part, { noticed: 0, own: 0, all: 0 }]));

for (const part of parts) await requireGreen(part);

async function work(): Promise<void> {
  for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
    const { own, more } = folders[mutant.part] ?? { own: [], more: ['test'] };
    const count = counts.get(mutant.part)!;
    count.all += 1;
    const isOwn = await isNoticed(mutant, own);
    if (isOwn) count.own += 1;
    if (isOwn || (await isNoticed(mutant, more))) count.noticed += 1;
    else console.log(`survives  ${mutant.file}:${mutant.line}  ${mutant.original}  →  ${mutant.replacement}`);
  }
}

await Promise.all(Array.from({ length: Number(values.workers) }, work));
for (const [part, { noticed, own, all }] of counts) {
  const share = all === 0 ? 100 : (100 * noticed) / all;
  console.log(`${part}: ${noticed} of ${all} noticed (${share.toFixed(0)} %), ${own} by the part's own tests`);
}
