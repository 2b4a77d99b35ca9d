import { spawn, spawnSync, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type ExpectStatic, type TestContext } from 'vitest';
import { root } from '../documents/page.ts';
import { get } from '../support/http.ts';
import { valueOf } from '../support/metrics.ts';
import { main, refusingUpstream, startGatewayProgram, swiftStart, type Program } from '../support/process.ts';
import type { OutputState } from './preload/output-fault.ts';

type CleanUp = TestContext['onTestFinished'];

// Each fault of a descriptor alone: test/telemetry/line-output.test.ts. Here the process has some of them, one after the other.
type Fault = readonly [fault: string, descriptors: 'stdout' | 'both'];

function temporaryFolder(cleanUp: CleanUp): string {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-output-'));
  cleanUp(() => rmSync(folder, { recursive: true }));
  return folder;
}

const linesIn = (text: string): readonly string[] => text.split('\n').slice(0, -1);
const linesLost = async (url: string): Promise<number> =>
  (await valueOf({ url }, 'switchboard_log_lines_lost_total')) ?? 0;

/** Sends twenty requests, each of which is a line of the log. */
async function load(url: string): Promise<void> {
  const served = await Promise.all(Array.from({ length: 20 }, () => get(`${url}/nothing`)));
  if (served.some(({ status }) => status !== 404)) throw new Error('A request was not served.');
}

/** A gateway whose descriptors fail as they are told to. */
async function startFaulty(cleanUp: CleanUp, workers: string) {
  const file = join(temporaryFolder(cleanUp), 'state');
  let number = 0;
  const set = (now: Fault | null): void => {
    const [fault, descriptors] = now ?? [null, 'both'];
    const state: OutputState = { number: ++number, stdout: fault, stderr: descriptors === 'both' ? fault : null };
    // The gateway may read it at any moment.
    writeFileSync(`${file}-next`, JSON.stringify(state));
    renameSync(`${file}-next`, file);
  };
  set(null);
  const preload = new URL(`preload/output-fault.ts?${encodeURIComponent(file)}`, import.meta.url);
  const { program, url } = await startGatewayProgram({
    WORKERS: workers,
    UPSTREAM_BASE_URL: refusingUpstream,
    NODE_OPTIONS: `--import=${preload.href}`,
  });
  cleanUp(() => program[Symbol.asyncDispose]());
  /** Whether what was set last has met a write. */
  const isMet = (): boolean => existsSync(`${file}-met`) && readFileSync(`${file}-met`, 'utf8') === String(number);
  return { program, url, set, isMet };
}

/** Sends requests during each fault and behind them, and expects each line to be written whole, or counted as lost. */
async function expectAccount(
  { program, url, set, isMet }: Awaited<ReturnType<typeof startFaulty>>,
  faults: readonly Fault[],
  expect: ExpectStatic,
): Promise<void> {
  let sent = 0;
  const loadUntil = (isSo: () => boolean) =>
    expect.poll(async () => (await load(url), (sent += 20), isSo())).toBe(true);
  for (const fault of faults) {
    set(fault);
    await loadUntil(isMet);
  }
  set(null);
  const before = linesIn(program.out).length;
  // Each request shows that writing is tried again.
  await loadUntil(() => linesIn(program.out).length > before);
  // One line is that of the start.
  await expect.poll(async () => linesIn(program.out).length + (await linesLost(url))).toBe(sent + 1);
  for (const line of linesIn(program.out)) expect(() => JSON.parse(line) as unknown, line).not.toThrow();
}

describe('a gateway whose output fails goes on, accounts for its lines, and stops', () => {
  test.concurrent.for<[workers: string, faults: readonly Fault[], stop: Fault]>([
    [
      '1',
      [
        ['ENOSPC', 'stdout'],
        ['EAGAIN', 'stdout'],
        ['held', 'stdout'],
      ],
      ['held', 'stdout'],
    ],
    [
      '2',
      [
        ['EPIPE', 'stdout'],
        ['EINTR', 'both'],
        ['EIO', 'both'],
      ],
      ['EBADF', 'both'],
    ],
  ])('of %s processes: %j', async ([workers, faults, stop], { expect, onTestFinished }) => {
    const gateway = await startFaulty(onTestFinished, workers);
    const { program, url } = gateway;
    await expectAccount(gateway, faults, expect);
    expect(program.err).toMatch(/^The log cannot be written \(\w+\): lines are lost[^\n]*\n$/);
    gateway.set(stop);
    await load(url);
    program.kill('SIGTERM');
    // Nothing but a kill ends a process of which the system holds a write.
    expect(await program.exit).toEqual(stop[0] === 'held' ? [null, 'SIGKILL'] : [0, null]);
  });
});

/** Starts the gateway by a command, with output of its own; `out` reads what it has written so far. */
async function start(
  { expect, onTestFinished }: TestContext,
  command: readonly string[],
  stdio: StdioOptions,
  out?: () => string,
) {
  const [file = '', ...options] = command;
  const env = { ...swiftStart(main), PORT: '0', EXPLORER: 'false', UPSTREAM_BASE_URL: refusingUpstream };
  const child = spawn(file, options, { cwd: root, stdio, env: { PATH: process.env['PATH'] ?? '', ...env } });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ending = once(child, 'exit');
  let piped = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (piped += text));
  const written = out ?? (() => piped);
  const address = /(http:\/\/127\.0\.0\.1:\d+)\/graphql/;
  await expect.poll(written, { timeout: 100_000 }).toMatch(address);
  return { child, ending, url: address.exec(written())?.[1] ?? '', out: written };
}

/** Sends requests until so many lines are lost. */
async function loses(expect: ExpectStatic, url: string, lines: number): Promise<void> {
  await expect.poll(async () => (await load(url), await linesLost(url))).toBeGreaterThanOrEqual(lines);
}

describe('a gateway serves and stops', () => {
  test.concurrent('when its reader has gone, and standard error says so once', async (context) => {
    const { expect } = context;
    const command = [process.execPath, main];
    const { child, url, ending } = await start(context, command, ['ignore', 'pipe', 'pipe']);
    let err = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (err += text));
    child.stdout?.destroy();
    await loses(expect, url, 60);
    child.kill('SIGTERM');
    expect(await ending).toEqual([0, null]);
    expect(err).toMatch(/^The log cannot be written \(EPIPE\): lines are lost[^\n]*\n$/);
  });

  test.concurrent('at a limit for the length of files', async (context) => {
    const { expect } = context;
    const folder = temporaryFolder(context.onTestFinished);
    const [out, err] = [join(folder, 'out'), join(folder, 'err')];
    const command = ['sh', '-c', `ulimit -f 4; exec '${process.execPath}' ${main}`];
    const stdio: StdioOptions = ['ignore', openSync(out, 'a'), openSync(err, 'a')];
    const { child, url, ending } = await start(context, command, stdio, () => readFileSync(out, 'utf8'));
    await loses(expect, url, 20);
    child.kill('SIGTERM');
    expect(await ending).toEqual([0, null]);
    expect(readFileSync(err, 'utf8')).toMatch(/^The log cannot be written \(EFBIG\): [^\n]*\n$/);
  });

  test.concurrent('although nobody reads its log', async ({ expect, onTestFinished }) => {
    const started = await startGatewayProgram({ UPSTREAM_BASE_URL: refusingUpstream });
    const program: Program = started.program;
    onTestFinished(() => program[Symbol.asyncDispose]());
    program.stopReading();
    // More lines than the pipe and its reader hold.
    const headers = { 'user-agent': 'x'.repeat(400) };
    for (let sent = 0; sent < 2_000; sent += 50)
      await Promise.all(Array.from({ length: 50 }, () => fetch(`${started.url}/nothing`, { headers })));
    program.kill('SIGTERM');
    expect(await program.exit).toEqual([0, null]);
  });
});

// `script` (Debian: bsdutils) runs a program on a terminal of its own, which vanishes with it.
const hasTerminal = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0;

/** Whether a process is there, and not only waits for its parent to take note of its end. */
function isAlive(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
}

test.skipIf(!hasTerminal)(
  'a gateway whose terminal vanishes stops (left out where there is no `script`)',
  async (context) => {
    const { expect } = context;
    const command = ['script', '-qec', `echo pid $$; exec '${process.execPath}' ${main}`, '/dev/null'];
    const terminal = await start(context, command, ['ignore', 'pipe', 'ignore']);
    const pid = Number(/pid (\d+)/.exec(terminal.out())?.[1]);
    context.onTestFinished(() => {
      if (isAlive(pid)) process.kill(pid, 'SIGKILL');
    });
    expect(isAlive(pid)).toBe(true);
    terminal.child.kill('SIGKILL');
    await terminal.ending;
    await expect.poll(() => isAlive(pid)).toBe(false);
  },
);
