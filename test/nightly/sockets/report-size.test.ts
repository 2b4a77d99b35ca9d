import { existsSync, readFileSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { startGatewayProgram, startProgram } from '../../support/process.ts';

const mebibyte = 1_048_576;
const firstSize = 100 * mebibyte;
const hasProc = existsSync('/proc/self/status');

/** A gateway and an upstream with reports of so many bytes, each in a process with its own memory. */
async function startReports(...bytes: readonly number[]) {
  const upstream = startProgram('test/nightly/sockets/report-upstream.ts', { REPORT_BYTES: bytes.join(',') });
  const [, origin = ''] = await upstream.printed(/^(http:\S+)$/m);
  const { program: gateway, url } = await startGatewayProgram({ UPSTREAM_BASE_URL: `${origin}/v2` });
  return {
    gateway,
    produced: async (): Promise<number> => Number(await (await fetch(`${origin}/produced`)).text()),
    open: () => openReport(url),
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
    },
  };
}

function openReport(url: string): Promise<IncomingMessage> {
  const headers = { authorization: 'Bearer test-key' };
  return new Promise((resolve, reject) => {
    request(`${url}/exports/charges-breakdown.csv?startDate=2026-10-01`, { headers }, resolve)
      .on('error', reject)
      .end();
  });
}

async function lengthOf(report: IncomingMessage): Promise<number> {
  let length = 0;
  for await (const chunk of report) length += (chunk as Buffer).length;
  return length;
}

/** The most memory that a process has ever held, in mebibytes. */
function peakOf(pid: number): number {
  const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kibibytes) / 1024;
}

test.skipIf(!hasProc)(
  'an export passes a report of any size through in bounded memory',
  { timeout: 120_000 },
  async () => {
    const size = Number(process.env['REPORT_MEBIBYTES'] ?? 200) * mebibyte;
    await using reports = await startReports(firstSize, size);
    const atStart = peakOf(reports.gateway.pid);
    expect(await lengthOf(await reports.open())).toBe(firstSize);
    const afterFirst = peakOf(reports.gateway.pid);
    const started = performance.now();
    expect(await lengthOf(await reports.open())).toBe(size);
    const seconds = (performance.now() - started) / 1000;
    const afterSecond = peakOf(reports.gateway.pid);
    // Figures to look at; only the memory is a promise.
    console.log(
      `${size / mebibyte} MiB at ${Math.round(size / mebibyte / seconds)} MiB/s; peak RSS in MiB: ` +
        [atStart, afterFirst, afterSecond].map(Math.round).join(', '),
    );
    // V8 lets about 64 MiB of read buffers become garbage before it collects them, whatever the size of the report: that
    // much comes with the first one, and a larger one adds next to nothing.
    expect(afterSecond - afterFirst).toBeLessThan(60);
    expect(afterSecond - atStart).toBeLessThan(128);
  },
);

test('an export pauses the upstream while its reader pauses, and resumes with it', { timeout: 60_000 }, async () => {
  const size = 80 * mebibyte;
  await using reports = await startReports(size);
  const answer = await reports.open();
  let last = -1;
  const hasStopped = async (): Promise<boolean> => {
    const now = await reports.produced();
    const isSame = now > 0 && now === last;
    last = now;
    return isSame;
  };
  await expect.poll(hasStopped, { interval: 250, timeout: 50_000 }).toBe(true);
  // The buffers of two sockets on loopback hold so much, and no more.
  expect(last).toBeLessThan(40 * mebibyte);
  expect(await lengthOf(answer)).toBe(size);
});
