import { subscribe, type EventStream } from '../support/streams.ts';
import { describe, expect } from '../support/gateway.ts';
import { all, ended, idsOf, openIn, polls, quick, seconds, test } from './subscription.ts';

describe('polling', () => {
  test('makes one call for all streams, and ends with the last', async ({ deliveries, startWith, upstream }) => {
    const gateway = await startWith({ SUBSCRIPTION_POLL_MS: '200' });
    const streams = await Promise.all(Array.from({ length: 50 }, () => subscribe(gateway, all)));
    const started = performance.now();
    const before = upstream.requests.length;
    const [id] = deliveries.add([10]);
    for (const stream of streams) await expect.poll(() => idsOf(stream)).toEqual([id]);
    const intervals = Math.ceil((performance.now() - started) / 200);
    expect(upstream.requests.length - before).toBeLessThanOrEqual(intervals + 1);
    for (const stream of streams.slice(1)) stream.close();
    const [second] = deliveries.add([11]);
    await expect.poll(() => idsOf(streams[0] as EventStream)).toEqual([id, second]);
    streams[0]?.close();
    await expect.poll(() => ended(gateway)).toBe(50);
    expect(await openIn(gateway)).toEqual({ streams: 0, lists: 0 });
  });

  test('hands on what is new in parts, as its caller has room', async ({ deliveries, startWith, upstream }) => {
    const gateway = await startWith({ ...quick, SUBSCRIPTION_BUFFER_BYTES: '65536' });
    const stream = await subscribe(gateway, all);
    await stream.begun;
    upstream.requests.length = 0;
    const burst = deliveries.add(seconds(10, 40));
    await expect.poll(() => idsOf(stream)).toEqual(burst);
    // Each reading goes back to the last delivery that was handed on.
    expect(new Set(upstream.requests.map(({ query }) => query['filter[started_at][gte]'])).size).toBeGreaterThan(4);
  });

  test('begins with a long list, one row of which is out of order', async ({ deliveries, startWith }) => {
    deliveries.add(seconds(-900, 900));
    deliveries.rows = deliveries.rows.toSpliced(1, 0, { id: 'odd', started_at: '2020-01-01T00:00:00Z' });
    const stream = await subscribe(await startWith({ ...quick, UPSTREAM_SCAN_PAGES: '3' }), all);
    await stream.begun;
    const added = deliveries.add([10]);
    await expect.poll(() => idsOf(stream)).toEqual(added);
  });

  test('begins with a list that was read without a row twice', async ({ deliveries, gateway, upstream }) => {
    // The reading may end at this one.
    deliveries.add([-1_000_000]);
    upstream.script((request) => {
      const reply = deliveries.answer(request);
      const { data } = reply.json as { readonly data: readonly unknown[] };
      // The first response leaves out the second row of four, so that the next page has the last one again.
      return upstream.requests.length > 1 ? reply : { json: { ...(reply.json as object), data: data.toSpliced(1, 1) } };
    });
    const stream = await subscribe(gateway, all);
    await stream.begun;
    const [first, ...others] = upstream.requests.slice(0, 3).map(({ rawQuery }) => rawQuery);
    expect(first).toBe('page[number]=1&page[size]=250');
    // They go side by side.
    expect(others.toSorted()).toEqual(['page[number]=1&page[size]=3', 'page[number]=2&page[size]=3']);
    await polls(upstream, 5);
    const added = deliveries.add([10]);
    await expect.poll(() => idsOf(stream)).toEqual(added);
  });
});
