import { subscribe } from '../support/streams.ts';
import { describe, expect, type Gateway } from '../support/gateway.ts';
import type { SeenRequest } from '../support/scripted-upstream.ts';
import { all, errorsOf, goOn, idsOf, leave, polls, quick, seconds, test } from './subscription.ts';

/** The id of a reader who leaves at once. */
async function idOfVisit(gateway: Gateway, key = 'test-key'): Promise<string> {
  const stream = await subscribe(gateway, all, { key });
  await stream.begun;
  await leave(gateway, stream);
  return stream.lastEventId;
}

describe('a reader who returns with the id of the last event', () => {
  test('gets what appeared meanwhile, late ones too, and then new ones', async ({ deliveries, gateway, upstream }) => {
    const first = await subscribe(gateway, all);
    const before = deliveries.add([10, 11, 12]);
    await expect.poll(() => idsOf(first)).toEqual(before);
    await leave(gateway, first);
    const [late] = deliveries.add([5]);
    const missed = deliveries.add([12, 13, 500]);
    const second = await goOn(gateway, first.lastEventId);
    await expect.poll(() => idsOf(second)).toEqual([late, ...missed]);
    const more = deliveries.add([501]);
    await expect.poll(() => idsOf(second)).toEqual([late, ...missed, ...more]);
    await polls(upstream, 3);
    expect(idsOf(second)).toHaveLength(5);
  });

  test('who saw an empty list misses nothing beside those who have seen all', async ({ deliveries, startWith }) => {
    deliveries.rows = [];
    // Both who return are there by the next poll.
    const gateway = await startWith({ SUBSCRIPTION_POLL_MS: '300' });
    const lastEventId = await idOfVisit(gateway);
    const missed = deliveries.add([1, 1_000]);
    const staying = await subscribe(gateway, all);
    await staying.begun;
    const back = await goOn(gateway, lastEventId);
    const other = await goOn(gateway, staying.lastEventId);
    await expect.poll(() => idsOf(back)).toEqual(missed);
    expect([idsOf(staying), idsOf(other)]).toEqual([[], []]);
  });

  test('costs no call of its own, and doubles nothing for who stayed', async ({ deliveries, startWith, upstream }) => {
    const gateway = await startWith({ SUBSCRIPTION_POLL_MS: '50' });
    const staying = await subscribe(gateway, all);
    const leaving = await subscribe(gateway, all);
    const before = deliveries.add([10]);
    await expect.poll(() => [idsOf(staying), idsOf(leaving)]).toEqual([before, before]);
    await leave(gateway, leaving);
    const meanwhile = deliveries.add([11, 12]);
    await expect.poll(() => idsOf(staying)).toEqual([...before, ...meanwhile]);
    upstream.requests.length = 0;
    const back = await goOn(gateway, leaving.lastEventId);
    await expect.poll(() => idsOf(back)).toEqual(meanwhile);
    const bounds = upstream.requests.map(({ query }) => query['filter[started_at][gte]']);
    // Of each look: a minute before the newest delivery, or before what was seen by who is back.
    expect(bounds.filter((bound) => bound !== '2026-09-30T23:59:12.000Z')).toEqual(['2026-09-30T23:59:10.000Z']);
    const after = deliveries.add([13]);
    await expect.poll(() => idsOf(back)).toEqual([...meanwhile, ...after]);
    await expect.poll(() => idsOf(staying)).toEqual([...before, ...meanwhile, ...after]);
  });

  test('gets an error by one call after too long, nobody else', async ({ deliveries, startWith, upstream }) => {
    const gateway = await startWith({ ...quick, UPSTREAM_SCAN_PAGES: '4' });
    const lastEventId = await idOfVisit(gateway);
    deliveries.add(seconds(200, 1_100));
    deliveries.add([9_000]);
    const staying = await subscribe(gateway, all);
    upstream.requests.length = 0;
    const back = await goOn(gateway, lastEventId);
    await back.ended;
    expect(idsOf(back)).toEqual([]);
    expect(errorsOf(back)).toMatchObject([{ extensions: { code: 'QUERY_TOO_COMPLEX', retryable: false } }]);
    const sent = deliveries.add([9_001]);
    await expect.poll(() => idsOf(staying)).toEqual(sent);
    await polls(upstream, 20);
    expect(upstream.requests.filter(({ rawQuery }) => rawQuery.includes('2026-09-30'))).toHaveLength(1);
  });

  test('delays no other, and asks ever less while a failure lasts', async ({ deliveries, startWith, upstream }) => {
    const gateway = await startWith({ SUBSCRIPTION_POLL_MS: '10' });
    const longAgo = await idOfVisit(gateway);
    const late = await subscribe(gateway, all);
    const before = deliveries.add([9_000]);
    await expect.poll(() => idsOf(late)).toEqual(before);
    await leave(gateway, late);
    const staying = await subscribe(gateway, all);
    const sent = deliveries.add([9_200]);
    await expect.poll(() => idsOf(staying)).toEqual(sent);
    const isOld = ({ rawQuery }: SeenRequest): boolean => rawQuery.includes('2026-09-30');
    upstream.requests.length = 0;
    upstream.script((request) => (isOld(request) ? { status: 503, text: '' } : deliveries.answer(request)));
    const stuck = await goOn(gateway, longAgo);
    await expect.poll(() => upstream.requests.some(isOld)).toBe(true);
    const back = await goOn(gateway, late.lastEventId);
    await expect.poll(() => idsOf(back)).toEqual(sent);
    await expect.poll(() => upstream.requests.length).toBeGreaterThan(80);
    expect(upstream.requests.filter(isOld).length).toBeLessThan(12);
    expect([...errorsOf(staying), ...errorsOf(stuck)]).toEqual([]);
  });

  test('reads with the own key, whoever the id was given to', async ({ deliveries, gateway, upstream }) => {
    const lastEventId = await idOfVisit(gateway, 'key-a');
    deliveries.add([10]);
    // A poll that was on its way has been heard by the time that this is.
    await gateway.query('{ missions { totalCount } }');
    upstream.requests.length = 0;
    const isOther = ({ headers }: SeenRequest): boolean => headers.authorization === 'Bearer key-b';
    upstream.script((request) => (isOther(request) ? { json: { data: [], meta: {} } } : deliveries.answer(request)));
    const back = await goOn(gateway, lastEventId, 'key-b');
    await polls(upstream, 3);
    expect(back.events).toEqual([]);
    expect(upstream.requests.filter((request) => !isOther(request))).toEqual([]);
  });
});

test.for(['1...', 'made up', 'x'.repeat(3_000)])('what is no id (%#) is refused', async (id, { gateway, upstream }) => {
  const stream = await goOn(gateway, id);
  await stream.ended;
  expect(errorsOf(stream)).toMatchObject([
    { message: expect.stringContaining('Last-Event-ID'), extensions: { code: 'BAD_USER_INPUT', retryable: false } },
  ]);
  expect(upstream.requests).toEqual([]);
});
