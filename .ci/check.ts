import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { install } from './install.ts';

// `npm run check`: every check but the tests, side by side. It installs the packages of test/ meanwhile, which some checks need.
const root = fileURLToPath(new URL('../', import.meta.url));
const linted = ['src', 'client', 'explorer', 'test', '.ci'];
const apart = ['test/clients/projects', 'test/routers'].flatMap((folder) => ['--ignore-pattern', folder]);

/** Runs a command, and says how it ended; its output is shown if it failed. */
async function check(name: string, command: string, args: readonly string[]): Promise<boolean> {
  const started = performance.now();
  const told = (outcome: string): string =>
    `${outcome} ${name} (${Math.round((performance.now() - started) / 1_000)} s)`;
  try {
    await promisify(execFile)(command, args, { cwd: root, maxBuffer: 1e8 });
    console.log(told('passed'));
    return true;
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as Error & { stdout?: string; stderr?: string };
    console.error(`${told('FAILED')}\n${stdout}${stderr || message}`);
    return false;
  }
}

const node = (name: string, ...args: string[]): Promise<boolean> => check(name, process.execPath, args);

async function withPackages(): Promise<readonly boolean[]> {
  await install('test');
  return Promise.all([
    check('types', 'tsc', ['--noEmit']),
    check('types of the explorer', 'tsc', ['--noEmit', '-p', 'explorer']),
    node('generated code', '.ci/codegen.ts', 'check'),
    check('lint', 'oxlint', ['--type-aware', ...apart, ...linted]),
    check('lint of the schema', 'npm', ['--prefix', 'test', 'run', '--silent', 'check:sdl']),
  ]);
}

async function withoutPackages(): Promise<readonly boolean[]> {
  return [
    await node('printed schema', '.ci/schema.ts', 'check'),
    await node('transcoder', '.ci/transcoder.ts', 'check'),
    await check('types of the benchmark', 'tsc', ['--noEmit', '-p', 'bench']),
    await check('lint of benchmark and examples', 'oxlint', ['bench', 'examples']),
    await check('format', 'oxfmt', ['--check']),
  ];
}

const outcomes = await Promise.all([withPackages(), withoutPackages()]);
if (outcomes.flat().includes(false)) process.exitCode = 1;
