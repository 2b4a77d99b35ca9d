import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { findMutants, type Mutant } from './mutants.ts';
import { measureReach, preload, projects, type Group } from './reach.ts';

// Plants faults in parts of `src/`, one at a time, and tells which of them no test notices.
//   npx node test/nightly/planter/main.ts                              40 faults in each part
//   npx node test/nightly/planter/main.ts --most 0 src/billing         every fault of one
//   npx node test/nightly/planter/main.ts --seed 7                     another sample
//   npx node test/nightly/planter/main.ts --seconds 20                 a first look, with the nearest tests only
//   npx node test/nightly/planter/main.ts --tests test/fields src/billing   measures and runs no other tests

interface Planted extends Mutant {
  readonly part: string;
  readonly file: string;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    most: { type: 'string', default: '40' },
    seed: { type: 'string', default: '1' },
    // The time of tests that is spent on one mutant.
    seconds: { type: 'string', default: '240' },
    // Only files of tests under these folders are measured and run; all otherwise.
    tests: { type: 'string', multiple: true, default: [] },
    workers: { type: 'string', default: String(availableParallelism() + 1) },
  },
});
const parts = [
  'src/paging',
  'src/billing',
  'src/limits',
  'src/lists',
  'src/live',
  'src/upstream',
  'src/http/operation-rules.ts',
  'src/transcoder',
];
/** A mutant that runs for ever is noticed: tests that take so many milliseconds, whatever they are, and so many times theirs. */
const longestRun = { least: 60_000, times: 6 };

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

/** Whether tests notice the mutant. */
async function isNoticed({ file, start, end, replacement }: Planted, { paths, seconds }: Group): Promise<boolean> {
  const url = pathToFileURL(file).href;
  const bounds = ['--maxWorkers', '1', '--testTimeout', '20000', '--hookTimeout', '20000'];
  const run = spawn('node_modules/.bin/vitest', ['run', '--bail', '1', ...bounds, ...projects, ...paths], {
    stdio: 'ignore',
    detached: true,
    env: {
      ...process.env,
      NODE_OPTIONS: preload,
      MUTANT: JSON.stringify({ url, start, end, replacement }),
    },
  });
  const longest = longestRun.least + longestRun.times * 1_000 * seconds;
  const timer = setTimeout(() => process.kill(-run.pid!, 'SIGKILL'), longest);
  const [code] = (await once(run, 'exit')) as [number | null];
  clearTimeout(timer);
  return code !== 0;
}

const chosen = positionals.length > 0 ? positionals : parts;
const workers = Number(values.workers);
const reach = await measureReach(workers, values.tests);
const queue = chosen.flatMap((part) => sampleOf(part, Number(values.most), Number(values.seed)));
const counts = new Map(chosen.map((part) => [part, { noticed: 0, all: 0 }]));

async function work(): Promise<void> {
  for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
    const count = counts.get(mutant.part)!;
    count.all += 1;
    const groups = reach.groupsOf(mutant.file, mutant.start, Number(values.seconds));
    let noticed = false;
    for (const group of groups) noticed ||= await isNoticed(mutant, group);
    if (noticed) count.noticed += 1;
    else {
      const { file, line, original, replacement } = mutant;
      console.log(
        `survives  ${file}:${line}  ${original}  →  ${replacement}  (of ${groups.flatMap(({ paths }) => paths).length} files of tests)`,
      );
    }
  }
}

await Promise.all(Array.from({ length: workers }, work));
for (const [part, { noticed, all }] of counts) {
  const share = all === 0 ? 100 : (100 * noticed) / all;
  console.log(`${part}: ${noticed} of ${all} noticed (${share.toFixed(0)} %)`);
}
