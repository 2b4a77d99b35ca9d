import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'vitest';
import { get } from '../../support/http.ts';
import { refusingUpstream, startGatewayProgram, type Program } from '../../support/process.ts';
import type { OutputState } from './output-fault.ts';

type CleanUp = TestContext['onTestFinished'];

// Each fault of a descriptor alone: test/telemetry/line-output.test.ts. Here the process has some of them, one after the other.
type Fault = readonly [fault: string, descriptors: 'stdout' | 'both'];

const linesIn = (text: string): readonly string[] => text.split('\n').slice(0, -1);

/** Sends twenty requests, each of which is a line of the log. */
async function load(url: string): Promise<void> {
  const served = await Promise.all(Array.from({ length: 20 }, () => get(`${url}/nothing`)));
  if (served.some(({ status }) => status !== 404)) throw new Error('A request was not served.');
}

/** A gateway whose descriptors fail as they are told to. */
async function startFaulty(cleanUp: CleanUp) {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-output-'));
  cleanUp(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'state');
  let number = 0;
  const set = (now: Fault | null): void => {
    const [fault, descriptors] = now ?? [null, 'both'];
    const state: OutputState = { number: ++number, stdout: fault, stderr: descriptors === 'both' ? fault : null };
    // The gateway may read it at any moment.
    writeFileSync(`${file}-next`, JSON.stringify(state));
    renameSync(`${file}-next`, file);
  };
  set(null);
  const preload = new URL(`output-fault.ts?${encodeURIComponent(file)}`, import.meta.url);
  const { program, url } = await startGatewayProgram({
    WORKERS: '2',
    UPSTREAM_BASE_URL: refusingUpstream,
    NODE_OPTIONS: `--import=${preload.href}`,
  });
  cleanUp(() => program[Symbol.asyncDispose]());
  /** Whether what was set last has met a write. */
  const isMet = (): boolean => existsSync(`${file}-met`) && readFileSync(`${file}-met`, 'utf8') === String(number);
  return { program, url, set, isMet };
}

test.concurrent('a gateway whose output fails goes on, writes its lines later, and stops', async ({
  expect,
  onTestFinished,
}) => {
  const { program, url, set, isMet } = await startFaulty(onTestFinished);
  let sent = 0;
  const loadUntil = (isSo: () => boolean) =>
    expect.poll(async () => (await load(url), (sent += 20), isSo())).toBe(true);
  const faults: readonly Fault[] = [
    ['ENOSPC', 'stdout'],
    ['EIO', 'both'],
    ['held', 'stdout'],
  ];
  for (const fault of faults) {
    set(fault);
    // The first one is told before the second has the other descriptor as well.
    await loadUntil(() => isMet() && program.err.endsWith('\n'));
  }
  set(null);
  // Each line is written whole. One is that of the start.
  await expect.poll(() => linesIn(program.out).length).toBe(sent + 1);
  for (const line of linesIn(program.out)) expect(() => JSON.parse(line) as unknown, line).not.toThrow();
  expect(program.err).toMatch(/^The log cannot be written \(\w+\): lines beyond [^\n]*\n$/);
  set(['held', 'stdout']);
  await load(url);
  program.kill('SIGTERM');
  // Nothing but a kill ends a process of which the system holds a write.
  expect(await program.exit).toEqual([null, 'SIGKILL']);
});

async function start(cleanUp: CleanUp): Promise<{ readonly program: Program; readonly url: string }> {
  const started = await startGatewayProgram({ UPSTREAM_BASE_URL: refusingUpstream });
  cleanUp(() => started.program[Symbol.asyncDispose]());
  return started;
}

test.concurrent('a gateway whose reader has gone serves, says so once, and stops', async ({
  expect,
  onTestFinished,
}) => {
  const { program, url } = await start(onTestFinished);
  program.closeOutput();
  await expect.poll(async () => (await load(url), program.err)).toMatch(/\n$/);
  await load(url);
  program.kill('SIGTERM');
  expect(await program.exit).toEqual([0, null]);
  expect(program.err).toMatch(/^The log cannot be written \(EPIPE\): lines beyond [^\n]*\n$/);
});
