import { describe, vi } from 'vitest';
import { all, growing, idsOf } from '../live/subscription.ts';
import { subscribe } from '../support/event-stream.ts';
import { expect, test } from './fleet.ts';

// Redis replies at once, but a machine that is busy with other things may take longer than a gateway waits for it.
const bounds = await vi.hoisted(() => import('../../src/bounds.ts'));
vi.mock(import('../../src/bounds.ts'), () => ({ ...bounds, storeWaitMs: 10_000 as never }));

const pollMs = 400;
const env = { SUBSCRIPTION_POLL_MS: String(pollMs) };

describe('three replicas with streams of one list', () => {
  test('poll it once each interval, and every stream gets each delivery once', async ({ startFleet, upstream }) => {
    const deliveries = growing(upstream);
    const gateways = await startFleet(3, env);
    const streams = await Promise.all(gateways.map((gateway) => subscribe(gateway, all)));
    const before = upstream.requests.length;
    const started = performance.now();
    const sent: string[] = [];
    for (let round = 0; round < 5; round++) {
      sent.push(...deliveries.add([10 + round, 10.5 + round]));
      for (const stream of streams) await expect.poll(() => idsOf(stream)).toEqual(sent);
    }
    const intervals = (performance.now() - started) / pollMs;
    expect(upstream.requests.length - before).toBeLessThanOrEqual(Math.ceil(intervals) + 2);
    for (const stream of streams) stream.close();
  });
});
