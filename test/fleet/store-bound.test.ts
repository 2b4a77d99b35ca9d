import { describe, vi, type TestContext } from 'vitest';
import { feedEntries, keptReports } from '../../src/bounds.ts';
import { openRedisStore } from '../../src/fleet/redis/store.ts';
import type { Claim, SharedStore } from '../../src/fleet/shared-store.ts';
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

const claimOf = (letter: string, leaseMs = 60_000): Claim => ({
  token: letter.repeat(22),
  heartbeat: Buffer.from(`beat of ${letter}`),
  leaseMs,
});
const entry = Buffer.from('an entry');

describe('the lease of a feed', () => {
  test('belongs to one at a time, and goes to another one when it is over or released', async ({
    redis,
    onTestFinished,
  }) => {
    const store = await open(redis, onTestFinished);
    const [a, b, c] = [claimOf('a', 2_000), claimOf('b'), claimOf('c')];
    expect(await store.feeds.look('feed', a, null)).toMatchObject({ token: a.token, last: '' });
    expect(await store.feeds.look('feed', b, null)).toMatchObject({ token: a.token, heartbeat: a.heartbeat });
    await expect.poll(async () => (await store.feeds.look('feed', b, null))?.token).toBe(b.token);
    store.feeds.release('feed', a.token);
    expect(await store.feeds.look('feed', c, null)).toMatchObject({ token: b.token });
    store.feeds.release('feed', b.token);
    expect(await store.feeds.look('feed', c, null)).toMatchObject({ token: c.token });
  });

  test('once lost fences its owner off: nothing is written and nothing renewed', async ({ redis, onTestFinished }) => {
    const store = await open(redis, onTestFinished);
    const [paused, next] = [claimOf('p', 1_000), claimOf('n')];
    await store.feeds.look('feed', paused, null);
    expect(await store.feeds.renew('feed', paused, entry)).toBe(true);
    await expect.poll(async () => (await store.feeds.look('feed', next, null))?.token).toBe(next.token);
    expect(await store.feeds.renew('feed', paused, entry)).toBe(false);
    expect(await store.feeds.look('feed', next, '')).toMatchObject({ token: next.token, entries: [{ sealed: entry }] });
    // Nor does it come back with a store that has forgotten everything.
    await redis.send('FLUSHALL');
    expect(await store.feeds.renew('feed', paused, entry)).toBe(false);
    expect(await redis.send('DBSIZE')).toBe(0);
  });

  test('has a stream of bounded length, of which the newest entries are read', async ({ redis, onTestFinished }) => {
    const store = await open(redis, onTestFinished);
    const claim = claimOf('a');
    await store.feeds.look('feed', claim, null);
    for (let n = 0; n < feedEntries + 10; n++) await store.feeds.renew('feed', claim, Buffer.from(`entry ${n}`));
    const look = await store.feeds.look('feed', claim, '');
    expect(look?.entries).toHaveLength(feedEntries);
    expect(look?.entries.at(-1)).toEqual({ id: look?.last, sealed: Buffer.from(`entry ${feedEntries + 9}`) });
    expect((await store.feeds.look('feed', claim, look?.entries.at(-3)?.id ?? ''))?.entries).toHaveLength(2);
  });
});

test('a caller has a bounded number of reports in the store, and everything there has its time', async ({
  redis,
  onTestFinished,
}) => {
  const store = await open(redis, onTestFinished);
  for (let n = 0; n < 3 * keptReports + 1; n++) store.reports.put('caller', `report ${n}`, entry, 60_000);
  await expect.poll(() => store.reports.get('caller', `report ${3 * keptReports}`)).toEqual(entry);
  const [key = Buffer.from('')] = (await redis.send('KEYS', '*')) as readonly Buffer[];
  expect(Number(await redis.send('HLEN', key))).toBeLessThanOrEqual(keptReports);
  await store.feeds.look('feed', claimOf('a'), null);
  await store.feeds.renew('feed', claimOf('a'), entry);
  store.notices.send({ kind: 'limit', name: 'caller', value: 'sealed' }, 60_000);
  await expect.poll(() => redis.send('DBSIZE')).toBe(5);
  for (const each of (await redis.send('KEYS', '*')) as readonly Buffer[])
    expect([each.toString(), Number(await redis.send('PTTL', each)) > 0]).toEqual([each.toString(), true]);
});
