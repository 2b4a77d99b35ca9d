import { test as base, type Gateway } from '../support/gateway.ts';
import { startRedis, type Redis } from './redis.ts';

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

export { expect } from 'vitest';

/** A number of a gateway's metrics; 0 where it has not counted yet. `series` is the name with its labels. */
export async function metricOf(gateway: Pick<Gateway, 'fetch'>, series: string): Promise<number> {
  const text = await (await gateway.fetch('/metrics')).text();
  const line = text.split('\n').find((one) => one.startsWith(`${series} `));
  return Number(line?.slice(series.length + 1) ?? 0);
}

/** Whether a gateway has found the store, 1 or 0. */
export const upSeries = 'switchboard_shared_state_up{store="redis"}';

/** Waits until a gateway has found the store. */
export async function connected(gateway: Pick<Gateway, 'fetch'>): Promise<void> {
  while ((await metricOf(gateway, upSeries)) !== 1) await new Promise((resolve) => setTimeout(resolve, 10));
}
