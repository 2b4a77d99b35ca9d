import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { get } from '../../support/http.ts';
import { valueOf } from '../../support/metrics.ts';
import { refusingUpstream, startGatewayProgram } from '../../support/process.ts';

const preload = new URL('../../process/preload/worker-fault.ts', import.meta.url).href;

/** Starts two workers with planted faults. */
async function startWorkers(options = '', env: Readonly<Record<string, string>> = {}) {
  const { program, url } = await startGatewayProgram({
    ...env,
    WORKERS: '2',
    UPSTREAM_BASE_URL: refusingUpstream,
    NODE_OPTIONS: `--import=${preload} ${options}`,
  });
  return { program, url, metric: (name: string) => valueOf({ url }, `switchboard_${name}`) };
}

test('a worker that ends for want of memory is replaced, and the others serve', async () => {
  const { program, url, metric } = await startWorkers('--max-old-space-size=128');
  await using _ = program;
  expect(await get(`${url}/fault/memory`)).toMatchObject({ status: 0 });
  await expect.poll(() => metric('replaced_workers_total')).toBe(1);
  expect((await get(`${url}/health`)).status).toBe(200);
});

test('a worker that hangs holds up neither metrics nor the stop', async () => {
  const { program, url, metric } = await startWorkers();
  await using stopped = program;
  void get(`${url}/fault/hang`);
  // Half of all connections go to the worker that hangs: of thirty, one is answered.
  expect(await Promise.any(Array.from({ length: 30 }, () => metric('workers')))).toBeGreaterThan(0);
  stopped.kill('SIGTERM');
  expect(await stopped.ending).toEqual([0, null]);
});

test('a worker that ends at each start is tried again less and less often, and the others serve', async () => {
  const { program, url } = await startWorkers('', { FAULT_AT_START: 'later' });
  await using stopped = program;
  const waits = (): readonly number[] =>
    [...stopped.out.matchAll(/"waitMs":(\d+)[^\n]*a worker has ended and is replaced/g)].map(([, ms]) => Number(ms));
  await expect.poll(() => waits().length).toBeGreaterThan(2);
  expect(waits().slice(0, 3)).toEqual([100, 200, 400]);
  for (let asked = 0; asked < 20; asked++) expect((await get(`${url}/health`)).status).toBe(200);
  // This stop falls into the wait for a replacement.
  stopped.kill('SIGTERM');
  expect(await stopped.ending).toEqual([0, null]);
});

const childrenOf = (pid: number): readonly number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);

/** Asks over a connection of its own; resolves to the first line of the answer, empty where the connection ends without one. */
function answerOrEnd(url: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write('GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n');
  let text = '';
  socket.setEncoding('latin1').on('data', (part: string) => (text += part));
  return new Promise((resolve) =>
    socket.on('error', () => {}).once('close', () => resolve(text.split('\r\n', 1)[0] ?? '')),
  );
}

test('workers leave no connection open without an answer where one is killed, whether it was busy or hung', async () => {
  const { program, url, metric } = await startWorkers();
  await using _ = program;
  await expect.poll(() => metric('workers')).toBe(2);
  const [hung = 0] = childrenOf(program.pid);
  process.kill(hung, 'SIGSTOP');
  const outcomes = Array.from({ length: 8 }, () => answerOrEnd(url));
  // The other one answers all but what was on its way.
  await Promise.any(outcomes);
  process.kill(hung, 'SIGKILL');
  expect(new Set(await Promise.all(outcomes))).toEqual(new Set(['HTTP/1.1 200 OK', '']));
  await expect.poll(() => metric('replaced_workers_total')).toBe(1);
  await expect.poll(() => metric('workers')).toBe(2);
  const flood = Array.from({ length: 200 }, () => answerOrEnd(url));
  process.kill(childrenOf(program.pid)[0] ?? 0, 'SIGKILL');
  expect(['HTTP/1.1 200 OK', '']).toEqual(expect.arrayContaining([...new Set(await Promise.all(flood))]));
  await expect.poll(() => metric('replaced_workers_total')).toBe(2);
  expect((await metric('unhandled_total')) ?? 0).toBe(0);
});
