import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { configOfWorker, workerCount } from '../../src/workers/worker-config.ts';

const upstreamBaseUrl = 'http://127.0.0.1:1/v2';

test('the parts of all workers are together what the process may have, and differ by one at most', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 256 }), fc.integer({ min: 0, max: 9_744 }), (count, more) => {
      const calls = count + more;
      const config = readConfig({ UPSTREAM_MAX_CONCURRENCY: String(calls), UPSTREAM_QUEUE_SIZE: String(more) });
      const shares = Array.from({ length: count }, (_, index) =>
        configOfWorker({ ...config, upstreamBaseUrl }, index, count),
      );
      for (const [name, whole] of [['upstreamMaxConcurrency', calls] as const, ['upstreamQueueSize', more] as const]) {
        const parts = shares.map((share) => share[name]);
        expect(parts.reduce((sum, part) => sum + part, 0)).toBe(whole);
        expect(Math.max(...parts) - Math.min(...parts)).toBeLessThanOrEqual(1);
      }
      expect(Math.min(...shares.map((share) => share.upstreamMaxConcurrency))).toBeGreaterThan(0);
    }),
  );
});

test('WORKERS=auto takes a core for each worker, and no more workers than calls', () => {
  expect(workerCount(readConfig({ WORKERS: 'auto', UPSTREAM_MAX_CONCURRENCY: '1' }))).toBe(1);
  const count = workerCount(readConfig({ WORKERS: 'auto' }));
  expect(count).toBeGreaterThan(0);
  expect(count).toBeLessThanOrEqual(128);
});
