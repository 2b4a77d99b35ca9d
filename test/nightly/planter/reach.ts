import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Characters from the first to before the second. */
type Span = readonly [start: number, end: number];

/** What one file of tests runs of `src/`. */
interface Reached {
  /** Of the file of tests and of `src/`, when this was seen. One that failed is not run again before either changes. */
  readonly hash: string;
  readonly seconds: number;
  /** By file of `src/`. */
  readonly spans: Readonly<Record<string, readonly Span[]>>;
}

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly ranges: readonly { readonly startOffset: number; readonly endOffset: number; readonly count: number }[];
    }[];
  }[];
}

/** The projects of vitest that need no packages of their own. */
export const projects: readonly string[] = ['quick', 'alone'].flatMap((name) => ['--project', name]);
/** Loads `load.ts` before all else. */
export const preload = `--import=${new URL('load.ts', import.meta.url).href} --disable-warning=ExperimentalWarning`;
/** Folders whose tests have another subject, or run for long in processes of their own. */
const apart = /^test\/(?:house|documents|pages|pictures|process)\//;
const kept = 'node_modules/.cache/planter/reach.json';
const root = fileURLToPath(new URL('../../../', import.meta.url));
/** Files of tests that take longer are left out: a mutant that only they notice counts as not noticed. */
const longestSeconds = 120;
const leastSeconds = 0.5;
/** So often a file is run that fails, or of which nothing is seen. */
const mostRuns = 3;
/** A file takes so many times as long while it is measured, for others are measured beside it. */
const slowdown = 3;

/** Files of tests that are run together. */
export interface Group {
  readonly paths: string[];
  /** What they take, roughly, on a machine that does nothing else. */
  seconds: number;
}

/** Which files of tests run a place of `src/`. */
export class Reach {
  readonly #tests: readonly (Reached & { readonly path: string; readonly size: number })[];
  /** What a usual file took: most of it was the start of its process. */
  readonly #start: number;

  constructor(tests: Readonly<Record<string, Reached>>) {
    this.#tests = Object.entries(tests)
      .map(([path, test]) => ({ ...test, path, size: Object.values(test.spans).flat().length }))
      .sort((a, b) => a.size - b.size);
    const seconds = this.#tests.map((test) => test.seconds).sort((a, b) => a - b);
    this.#start = seconds[seconds.length >> 1] ?? 0;
  }

  /**
   * Files of tests that run the character `at` of `file`, in groups: those of the folder that mirrors it first, then those of the folders
   * above, then those that run the least else. Each group takes longer than the one before, all together at most `mostSeconds`.
   */
  groupsOf(file: string, at: number, mostSeconds: number): Group[] {
    const folders = file.split('/').slice(1, -1);
    const nearness = ({ path }: { readonly path: string }): number => {
      const own = path.split('/').slice(1, -1);
      const other = folders.findIndex((name, index) => name !== own[index]);
      return other === -1 ? folders.length : other;
    };
    const ordered = this.#tests
      .filter(({ spans }) => spans[file]?.some(([start, end]) => start <= at && at < end))
      .sort((a, b) => nearness(b) - nearness(a));
    const groups: Group[] = [];
    let left = mostSeconds;
    for (const { path, seconds } of ordered) {
      const own = Math.max(leastSeconds, (seconds - this.#start) / slowdown);
      if (own > left) continue;
      left -= own;
      const last = groups.at(-1);
      if (last !== undefined && last.seconds < 4 * 3 ** (groups.length - 1)) {
        last.paths.push(path);
        last.seconds += own;
      } else groups.push({ paths: [path], seconds: own });
    }
    return groups;
  }
}

/** Runs every file of tests by itself, or those under some folders, those left out whose last run still holds, and keeps what was seen. */
export async function measureReach(workers: number, folders: readonly string[]): Promise<Reach> {
  const sources = hashOf(globSync('src/**/*.{ts,graphql,wasm}').sort());
  const before = readKept();
  const after: Record<string, Reached> = {};
  const all = await listTests();
  const queue = folders.length === 0 ? all : all.filter((path) => folders.some((folder) => path.startsWith(folder)));
  const folder = mkdtempSync(join(tmpdir(), 'reach-'));
  const work = async (): Promise<void> => {
    for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
      const hash = `${sources} ${hashOf([path])}`;
      const last = before[path];
      const reached = last?.hash === hash ? last : await runUntilSeen(path, hash, folder);
      if (Object.keys(reached.spans).length === 0)
        console.log(`left out  ${path}: it fails without a fault, or nothing that it runs was seen`);
      after[path] = reached;
      if (reached !== last) writeFileSync(kept, JSON.stringify({ ...before, ...after }));
    }
  };
  mkdirSync('node_modules/.cache/planter', { recursive: true });
  await Promise.all(Array.from({ length: workers }, work));
  remove(folder);
  return new Reach(Object.fromEntries(Object.entries(after).filter(([, { seconds }]) => seconds < longestSeconds)));
}

/** A worker may write yet when its run has ended. */
function remove(folder: string): void {
  rmSync(folder, { recursive: true, maxRetries: 10 });
}

/** Without spans where the tests fail each time. */
async function runUntilSeen(path: string, hash: string, folder: string): Promise<Reached> {
  let reached: Reached = { hash, seconds: 0, spans: {} };
  // A worker that is ended while others are busy may be killed before it has written what it has executed.
  for (let runs = 0; runs < mostRuns && Object.keys(reached.spans).length === 0; runs++)
    reached = (await run(path, hash, folder)) ?? reached;
  return reached;
}

function hashOf(paths: readonly string[]): string {
  const hash = createHash('sha256');
  for (const path of paths) hash.update(readFileSync(path));
  return hash.digest('base64url').slice(0, 16);
}

function readKept(): Record<string, Reached> {
  try {
    return JSON.parse(readFileSync(kept, 'utf8')) as Record<string, Reached>;
  } catch {
    return {};
  }
}

async function listTests(): Promise<string[]> {
  const listing = spawn('node_modules/.bin/vitest', ['list', '--filesOnly', '--json', ...projects], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const text = (await listing.stdout.setEncoding('utf8').toArray()).join('');
  const files = (JSON.parse(text) as { readonly file: string }[]).map(({ file }) => file.slice(root.length));
  return files.filter((file) => !apart.test(file));
}

/** Null where the tests fail. */
async function run(path: string, hash: string, parent: string): Promise<Reached | null> {
  const folder = mkdtempSync(join(parent, 'run-'));
  const began = performance.now();
  const env = { ...process.env, NODE_V8_COVERAGE: folder, NODE_OPTIONS: preload };
  const tests = spawn('node_modules/.bin/vitest', ['run', '--maxWorkers', '1', ...projects, path], {
    stdio: 'ignore',
    env,
  });
  const [code] = (await once(tests, 'exit')) as [number | null];
  const seconds = (performance.now() - began) / 1_000;
  const spans = readSpans(folder);
  remove(folder);
  return code === 0 ? { hash, seconds, spans } : null;
}

/** What any process of a run has executed. */
function readSpans(folder: string): Record<string, Span[]> {
  const marks = new Map<string, Uint8Array>();
  for (const name of readdirSync(folder)) {
    for (const { url, functions } of readCoverage(join(folder, name)).result) {
      const file = url.startsWith('file:') ? fileURLToPath(url.split('?')[0]!).slice(root.length) : '';
      if (!file.startsWith('src/')) continue;
      const ran = markRun(functions);
      const marked = marks.get(file);
      if (marked === undefined) marks.set(file, ran);
      else ran.forEach((mark, at) => (marked[at] ||= mark));
    }
  }
  return Object.fromEntries([...marks].map(([file, marked]) => [file, spansOf(marked)]));
}

/** Empty where the process was ended while it wrote. */
function readCoverage(path: string): Coverage {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Coverage;
  } catch {
    return { result: [] };
  }
}

/** 1 for each character that ran: of ranges in one another, the inner one counts. */
function markRun(functions: Coverage['result'][number]['functions']): Uint8Array {
  const ranges = functions.flatMap((one) => one.ranges);
  ranges.sort((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
  const marked = new Uint8Array(Math.max(0, ...ranges.map(({ endOffset }) => endOffset)));
  for (const { startOffset, endOffset, count } of ranges) marked.fill(Math.min(count, 1), startOffset, endOffset);
  return marked;
}

function spansOf(marked: Uint8Array): Span[] {
  const spans: Span[] = [];
  for (let start = marked.indexOf(1); start !== -1;) {
    const next = marked.indexOf(0, start);
    const end = next === -1 ? marked.length : next;
    spans.push([start, end]);
    start = marked.indexOf(1, end);
  }
  return spans;
}
