import { deliveryOf, emptyWindow } from '../../src/live/delivery-window.ts';
import { encodeEventId } from '../../src/live/event-ids.ts';
import { momentOf } from '../../src/moment.ts';
import { subscribe } from '../support/streams.ts';
import { describe, expect } from '../support/gateway.ts';
import { all, goOn, idsOf, polls, test } from './subscription.ts';

const in2031 = { started_at: '2031-05-06T07:08:09.123Z' };
const overlapMs = 60_000;

describe('a delivery from the future', () => {
  test('is sent once, and those of the present come before and after it', async ({ deliveries, gateway, upstream }) => {
    const stream = await subscribe(gateway, all);
    await stream.begun;
    const sent = [...deliveries.add([10])];
    for (let round = 0; round < 3; round++) {
      sent.push(...deliveries.add([0], { started_at: `203${round}-01-01T00:00:00Z` }));
      await expect.poll(() => idsOf(stream)).toEqual(sent);
      sent.push(...deliveries.add([20 + round]));
      await expect.poll(() => idsOf(stream)).toEqual(sent);
    }
    await polls(upstream, 3);
    expect(idsOf(stream)).toEqual(sent);
    // The list is still read from a minute before the newest of the present.
    expect(upstream.requests.at(-1)?.query['filter[started_at][gte]']).toBe('2026-09-30T23:59:22.000Z');
  });

  test('is sent once to a filter for the future, whichever comes first', async ({ deliveries, gateway, upstream }) => {
    const stream = await subscribe(
      gateway,
      'subscription { webhookDeliveries(filter: { startedAt: { gte: "2030-01-01T00:00:00Z" } }) { id } }',
    );
    await stream.begun;
    const sent: string[] = [];
    for (const start of ['2031-06-01T00:00:00Z', '2030-06-01T00:00:00Z', '2040-01-01T00:00:00Z']) {
      deliveries.add([40]);
      sent.push(...deliveries.add([0], { started_at: start }));
      await expect.poll(() => idsOf(stream)).toEqual(sent);
    }
    await polls(upstream, 3);
    expect(idsOf(stream)).toEqual(sent);
  });
});

describe('the id of an event from the future', () => {
  test('counts as one of now: new deliveries are sent, seen ones not', async ({ deliveries, gateway, upstream }) => {
    const justNow = (agoMs: number) => ({ started_at: new Date(Date.now() - agoMs).toISOString() });
    const [seen] = deliveries.add([0], justNow(2_000));
    const [missed] = deliveries.add([0], justNow(1_000));
    const newest = momentOf(in2031.started_at);
    const { mark } = deliveryOf({ id: seen });
    const stream = await goOn(gateway, encodeEventId('', { newest, seen: new Map([[mark, null]]) }));
    await expect.poll(() => idsOf(stream)).toEqual([missed]);
    const [fresh] = deliveries.add([0], justNow(0));
    await expect.poll(() => idsOf(stream)).toEqual([missed, fresh]);
    const bounds = upstream.requests.flatMap(({ query }) => query['filter[started_at][gte]'] ?? []);
    for (const bound of bounds) expect(Date.parse(bound)).toBeLessThanOrEqual(Date.now() - overlapMs);
  });

  test('may be that of a leap second, the first one of the next minute', async ({ deliveries, gateway, upstream }) => {
    const [missed] = deliveries.add([10]);
    const stream = await goOn(gateway, encodeEventId('', { ...emptyWindow, newest: '2026-09-30T23:59:60.5Z' }));
    await expect.poll(() => idsOf(stream)).toContain(missed);
    const bounds = upstream.requests.map(({ query }) => query['filter[started_at][gte]']);
    expect(bounds).toContain('2026-09-30T23:59:00.500Z');
  });
});
