import { test as base, type Gateway } from '../support/gateway.ts';
import { valueOf, type Served } from '../support/metrics.ts';
import { startRedis, type Redis } from './redis.ts';

export { expect } from 'vitest';

interface Fixtures {
  readonly redis: Redis;
  /** Starts so many gateways that share the state in the Redis, in front of the scripted upstream. */
  readonly startFleet: (count: number, env?: Readonly<Record<string, string>>) => Promise<readonly Gateway[]>;
}

/** Vitest's `test` with an upstream and a Redis, which end with the test. */
export const test = base.extend<Fixtures>({
  redis: async ({}, use) => {
    await using redis = await startRedis();
    await use(redis);
  },
  startFleet: async ({ redis, startWith }, use) => {
    await use(async (count, env = {}) => {
      const gateways = [];
      for (let n = 0; n < count; n++) gateways.push(await startWith({ SHARED_STATE_URL: redis.url, ...env }));
      await Promise.all(gateways.map(connected));
      return gateways;
    });
  },
});

/** Whether a gateway has found the store, 1 or 0. */
export const storeUp = (gateway: Served) => valueOf(gateway, 'switchboard_shared_state_up', { store: 'redis' });

/** Waits until a gateway has found the store. */
export async function connected(gateway: Served): Promise<void> {
  while ((await storeUp(gateway)) !== 1) await new Promise((resolve) => setTimeout(resolve, 10));
}
