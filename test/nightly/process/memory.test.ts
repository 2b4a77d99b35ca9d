import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { TransientMap } from '../../../src/transient-collections.ts';
import { get } from '../../support/http.ts';
import { valueOf } from '../../support/metrics.ts';
import { refusingUpstream, startGatewayProgram } from '../../support/process.ts';

test('a worker that ends for want of memory is replaced, and the others serve', async () => {
  const preload = new URL('../../process/preload/worker-fault.ts', import.meta.url).href;
  const { program, url } = await startGatewayProgram({
    WORKERS: '2',
    UPSTREAM_BASE_URL: refusingUpstream,
    NODE_OPTIONS: `--import=${preload} --max-old-space-size=128`,
  });
  await using _ = program;
  expect(await get(`${url}/fault/memory`)).toMatchObject({ status: 0 });
  await expect.poll(() => valueOf({ url }, 'switchboard_replaced_workers_total')).toBe(1);
  expect((await get(`${url}/health`)).status).toBe(200);
});

test('a transient map leaves no tables behind among old objects', () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const map = new TransientMap<number, object>();
  const fill = (): void => {
    for (let at = 0; at < 200_000; at++) {
      map.set(at, map);
      map.delete(at - 16);
    }
  };
  fill();
  collectGarbage();
  const before = oldBytes();
  fill();
  // Those of a Map would take eight megabytes.
  expect(oldBytes() - before).toBeLessThan(1_000_000);
});

function oldBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space')?.space_used_size ?? 0;
}
