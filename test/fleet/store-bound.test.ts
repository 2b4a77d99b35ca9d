import { vi, type TestContext } from 'vitest';
import { openRedisStore, keptReports } from '../../src/fleet/redis/store.ts';
import type { SharedStore } from '../../src/fleet/shared-store.ts';
import { expect, test } from './fleet.ts';
import type { Redis } from './redis.ts';

// Redis replies at once, but a machine that is busy with other things may take longer than a gateway waits for it.
vi.mock(import('../../src/bounds.ts'), async (load) => ({ ...(await load()), storeWaitMs: 10_000 as never }));

async function open(redis: Redis, cleanUp: TestContext['onTestFinished']): Promise<SharedStore> {
  let isUp = false;
  const observer = { count: () => {}, up: () => void (isUp = true), down: () => {}, refused: () => {} };
  const store = openRedisStore(redis.url, 'https://api.example.com/v2', observer);
  cleanUp(() => store.close());
  await expect.poll(() => isUp).toBe(true);
  return store;
}

const sealed = Buffer.from('sealed');

test('a caller has a bounded number of reports in the store, and nothing else is kept there', async ({
  redis,
  onTestFinished,
}) => {
  const store = await open(redis, onTestFinished);
  for (let n = 0; n < 3 * keptReports + 1; n++) store.reports.put('caller', `report ${n}`, sealed, 60_000);
  await expect.poll(() => store.reports.get('caller', `report ${3 * keptReports}`)).toEqual(sealed);
  const [key = Buffer.from('')] = (await redis.send('KEYS', '*')) as readonly Buffer[];
  expect(Number(await redis.send('HLEN', key))).toBeLessThanOrEqual(keptReports);
  expect(Number(await redis.send('PTTL', key))).toBeGreaterThan(0);
  store.feeds.send('feed', sealed);
  store.notices.send({ kind: 'limit', name: 'caller', value: 'sealed' });
  expect(await store.reports.get('caller', `report ${3 * keptReports}`)).toEqual(sealed);
  expect(await redis.send('DBSIZE')).toBe(1);
});
