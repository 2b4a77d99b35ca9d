import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type ExpectStatic } from 'vitest';
import { startGatewayProgram, type Program } from '../support/program.ts';
import type { OutputState } from './output-fault.ts';

// Each fault of a descriptor alone: test/telemetry/line-output.test.ts. Here the process has some of them, one after the other.
const requestsOfFault = 20;
type Fault = readonly [fault: string, descriptors: 'stdout' | 'both'];

interface FaultyGateway {
  readonly program: Program;
  readonly url: string;
  readonly set: (fault: Fault | null) => void;
  /** Whether what was set last has met a write. */
  readonly isMet: () => boolean;
}

async function startFaulty(folder: string, env: Readonly<Record<string, string>>): Promise<FaultyGateway> {
  const file = join(folder, 'state');
  let number = 0;
  const set: FaultyGateway['set'] = (now) => {
    const [fault, descriptors] = now ?? [null, 'both'];
    const state: OutputState = { number: ++number, stdout: fault, stderr: descriptors === 'both' ? fault : null };
    // The gateway may read it at any moment.
    writeFileSync(`${file}-next`, JSON.stringify(state));
    renameSync(`${file}-next`, file);
  };
  set(null);
  const preload = new URL(`output-fault.ts?${encodeURIComponent(file)}`, import.meta.url);
  const { program, url } = await startGatewayProgram({
    UPSTREAM_BASE_URL: 'http://127.0.0.1:9/v2',
    NODE_OPTIONS: `--import=${preload.href}`,
    ...env,
  });
  return {
    program,
    url,
    set,
    isMet: () => existsSync(`${file}-met`) && readFileSync(`${file}-met`, 'utf8') === String(number),
  };
}

const linesIn = (text: string): readonly string[] => text.split('\n').slice(0, -1);

async function linesLost(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^switchboard_log_lines_lost_total (\d+)$/m.exec(text)?.[1]);
}

/** Sends requests during each fault and behind them, and expects each line to be written whole, or counted as lost. */
async function expectAccount(
  { program, url, set, isMet }: FaultyGateway,
  faults: readonly Fault[],
  expect: ExpectStatic,
) {
  let sent = 0;
  const load = async (): Promise<void> => {
    const served = Array.from({ length: requestsOfFault }, () => fetch(`${url}/nothing`));
    for (const response of await Promise.all(served)) expect(response.status).toBe(404);
    sent += requestsOfFault;
  };
  const serveUntil = async (isSo: () => boolean): Promise<void> =>
    expect.poll(async () => (await load(), isSo())).toBe(true);
  for (const fault of faults) {
    set(fault);
    await serveUntil(isMet);
  }
  set(null);
  const before = linesIn(program.out).length;
  // Each request shows that writing is tried again.
  await serveUntil(() => linesIn(program.out).length > before);
  // One line is that of the start.
  await expect.poll(async () => linesIn(program.out).length + (await linesLost(url))).toBe(sent + 1);
  for (const line of linesIn(program.out)) expect(() => JSON.parse(line) as unknown, line).not.toThrow();
}

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
])(
  'a gateway of %s processes goes on and stops whatever its output does, and accounts for its lines: %j',
  async ([WORKERS, faults, stop], { expect, onTestFinished }) => {
    const folder = mkdtempSync(join(tmpdir(), 'output-fault-'));
    const gateway = await startFaulty(folder, { WORKERS });
    const { program, url } = gateway;
    onTestFinished(async () => {
      await program[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    });
    await expectAccount(gateway, faults, expect);
    expect(program.err).toMatch(/^The log cannot be written \(\w+\): lines are lost[^\n]*\n$/);
    gateway.set(stop);
    await Promise.all(Array.from({ length: requestsOfFault }, () => fetch(`${url}/nothing`)));
    for (const signal of ['SIGTERM', 'SIGPIPE', 'SIGHUP', 'SIGINT'] as const) program.kill(signal);
    // Nothing but a kill ends a process of which the system holds a write.
    expect(await program.exit).toEqual(stop[0] === 'held' ? [null, 'SIGKILL'] : [0, null]);
  },
);
