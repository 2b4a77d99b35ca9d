import { describe, test } from 'vitest';
import { GrowingDeliveries } from '../support/growing-deliveries.ts';
import { subscribe, type EventStream } from '../support/event-stream.ts';
import { all, idsOf } from '../live/subscription.ts';
import { get, missionsAt, seven, startWorkers } from './gateway.ts';

const concurrently = test.concurrent;

describe('workers', () => {
  concurrently('stop the calls of a caller whose rate limit one of them has met', async (context) => {
    const { expect, onTestFinished } = context;
    let isLimited = false;
    const env = { WORKERS: '3', UPSTREAM_RETRIES: '0' };
    const { url, upstream } = await startWorkers(onTestFinished, env, (request) =>
      isLimited ? { status: 429, headers: { 'retry-after': '60' }, json: { errors: [] } } : seven(request),
    );
    // So that every worker knows both callers.
    for (let n = 0; n < 20; n++) for (const key of ['busy', 'other']) await get(missionsAt(url), key);
    isLimited = true;
    expect((await get(missionsAt(url), 'busy')).text).toMatch(/RATE_LIMITED/);
    isLimited = false;
    const refused = async (): Promise<number> => {
      const outcomes = await Promise.all(Array.from({ length: 30 }, () => get(missionsAt(url), 'busy')));
      return outcomes.filter(({ text }) => text.includes('RATE_LIMITED')).length;
    };
    // The others hear of it a moment later.
    await expect.poll(refused).toBe(30);
    const before = upstream.requests.length;
    expect(await refused()).toBe(30);
    expect(upstream.requests.length).toBe(before);
    expect((await get(missionsAt(url), 'other')).text).not.toMatch(/errors/);
  });

  concurrently(
    'poll a list once each for all their streams, and lose or double nothing when workers end',
    async (context) => {
      const { expect, onTestFinished } = context;
      const deliveries = new GrowingDeliveries();
      deliveries.add([1, 2, 3]);
      const pollMs = 400;
      const env = { WORKERS: '4', SUBSCRIPTION_POLL_MS: String(pollMs), LOG_LEVEL: 'error' };
      const { url, upstream, metric } = await startWorkers(onTestFinished, env, deliveries.answer);
      // The system chooses the worker of each: twelve are of one worker alone in one of four million runs.
      const streams = await Promise.all(Array.from({ length: 12 }, () => subscribe({ url }, all)));
      const ended = new Set<EventStream>();
      for (const stream of streams) void stream.ended.then(() => ended.add(stream));
      const sent: string[] = [];
      const before = upstream.requests.length;
      const started = performance.now();
      for (let round = 0; round < 8; round++) {
        sent.push(...deliveries.add([10 + round, 10.5 + round]));
        for (const stream of streams) await expect.poll(() => idsOf(stream)).toEqual(sent);
      }
      const intervals = (performance.now() - started) / pollMs;
      // Four workers, twelve streams.
      expect(upstream.requests.length - before).toBeLessThan(6 * intervals + 4);

      for (const end of [1, 2]) {
        await get(`${url}/fault/exit`);
        sent.push(...deliveries.add([20 + end]));
        await expect.poll(() => metric('switchboard_replaced_workers_total')).toBe(end);
        await expect.poll(() => metric('switchboard_workers')).toBe(4);
        const left = streams.filter((stream) => !ended.has(stream));
        for (const stream of left)
          await expect.poll(() => ended.has(stream) || idsOf(stream).length === sent.length).toBe(true);
      }
      expect(ended.size).toBeLessThan(streams.length);
      for (const stream of streams) {
        expect(idsOf(stream)).toEqual(sent.slice(0, idsOf(stream).length));
        stream.close();
      }
    },
  );
});
