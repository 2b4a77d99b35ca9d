import { expect, test } from 'vitest';
import { get } from '../../support/http.ts';
import { valueOf } from '../../support/metrics.ts';
import { refusingUpstream, startGatewayProgram } from '../../support/process.ts';

const preload = new URL('../../process/preload/worker-fault.ts', import.meta.url).href;

/** Starts two workers with planted faults. */
async function startWorkers(options = '') {
  const { program, url } = await startGatewayProgram({
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
