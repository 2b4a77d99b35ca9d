import { describe } from 'vitest';
import { expect, testOfFile as test } from '../../support/gateway.ts';
import { MovingUpstream, timestampAt } from '../../support/moving-upstream.ts';
import { pagesOf, readPage, takeCalls, type Page } from './page.ts';

describe('a chain of deliveries', () => {
  const name = 'webhookDeliveries';
  const lte = 'filter[started_at][lte]';

  test('is pinned to the newest start of its first page, in milliseconds', async ({ gateway, upstream }) => {
    const list = new MovingUpstream('/webhook_deliveries', 100);
    const newest = '2026-10-09T08:07:06.123456Z';
    list.rows = list.rows.with(0, { id: 'row-0', started_at: newest });
    upstream.script(list.answer);
    const one = await readPage(gateway, name, { first: 10 });
    const two = await readPage(gateway, name, { first: 10, after: one.endCursor });
    const three = await readPage(gateway, name, { first: 10, after: two.endCursor });
    const back = await readPage(gateway, name, { last: 10, before: three.startCursor });
    await readPage(gateway, name, { last: 10, before: back.startCursor });
    const pin = '2026-10-09T08:07:06.124Z';
    expect(takeCalls(upstream).map((query) => query[lte])).toEqual([undefined, pin, pin, pin, pin]);
    expect(back.ids).toEqual(two.ids);
  });

  test('is left to the bound that the caller has set', async ({ gateway, upstream }) => {
    upstream.script(new MovingUpstream('/webhook_deliveries', 50).answer);
    const bound = '2027-01-01T00:00:00+02:00';
    const filter = { startedAt: { lte: bound } };
    const one = await readPage(gateway, name, { first: 10, filter });
    await readPage(gateway, name, { first: 10, after: one.endCursor, filter });
    const sent = '2026-12-31T22:00:00.000Z';
    expect(takeCalls(upstream).map((query) => query[lte])).toEqual([sent, sent]);
  });

  test('keeps the other bounds and filters of the caller beside its pin', async ({ gateway, upstream }) => {
    const list = new MovingUpstream('/webhook_deliveries', 50, () => ({ status: 'failed' }));
    upstream.script(list.answer);
    const filter = { startedAt: { gte: timestampAt(-40_500) }, status: { eq: 'failed' } };
    const one = await readPage(gateway, name, { first: 10, filter });
    const two = await readPage(gateway, name, { first: 40, after: one.endCursor, filter });
    expect([...one.ids, ...two.ids]).toEqual(list.ids.slice(0, 41));
    expect(takeCalls(upstream).at(-1)).toMatchObject({
      'filter[status][eq]': 'failed',
      'filter[started_at][gte]': new Date(timestampAt(-40_500)).toISOString(),
      [lte]: new Date(timestampAt(0)).toISOString(),
    });
  });

  test('is not pinned where it did not begin at the head', async ({ gateway, upstream }) => {
    const list = new MovingUpstream('/webhook_deliveries', 50);
    upstream.script(list.answer);
    const { endCursor } = await readPage(gateway, name, { first: 10, offset: 10 });
    const next = await readPage(gateway, name, { first: 10, after: endCursor });
    const last = await readPage(gateway, name, { last: 10 });
    const previous = await readPage(gateway, name, { last: 10, before: last.startCursor });
    expect([next.ids, previous.ids]).toEqual([list.ids.slice(20, 30), list.ids.slice(30, 40)]);
    expect(takeCalls(upstream).every((query) => query[lte] === undefined)).toBe(true);
  });

  const orders: readonly [string, (index: number) => unknown][] = [
    ['run oldest first', (index) => timestampAt(index)],
    ['run to and fro', (index) => timestampAt(index % 3)],
    ['lack a start', (index) => (index === 4 ? null : timestampAt(-index))],
    ['have starts without a time zone', (index) => `2026-10-01T00:00:${String(59 - index)}`],
  ];

  test.for(orders)('is not pinned where its rows %s', async ([, startOf], { gateway, upstream }) => {
    const list = new MovingUpstream('/webhook_deliveries', 30, (index) => ({ started_at: startOf(index) }));
    upstream.script(list.answer);
    const one = await readPage(gateway, name, { first: 10 });
    const { ids } = list;
    list.rows = [{ id: 'new', started_at: startOf(0) }, ...list.rows];
    const two = await readPage(gateway, name, { first: 20, after: one.endCursor });
    expect([...one.ids, ...two.ids]).toEqual(ids);
    expect(takeCalls(upstream).every((query) => query[lte] === undefined)).toBe(true);
  });

  test.for([[14], [12, 25, 39]])(
    'shows deliveries without a start (%j), which a pin keeps out',
    async (undated, { gateway, upstream }) => {
      const list = new MovingUpstream('/webhook_deliveries', 40, (index) =>
        undated.includes(index) ? { started_at: null } : {},
      );
      upstream.script(list.answer);
      const { ids } = list;
      const pages: Page[] = [];
      for await (const page of pagesOf(gateway, name, 10)) {
        pages.push(page);
        list.insert(0, 3);
      }
      expect(pages.flatMap((page) => page.ids)).toEqual(ids);
      const before = await readPage(gateway, name, { last: 100, before: pages.at(-1)?.startCursor ?? '' });
      expect(before.ids.slice(-30)).toEqual(ids.slice(0, 30));
    },
  );

  test.for([1, 3])(
    'of %i rows of one moment is not pinned, or might end there',
    async (first, { gateway, upstream }) => {
      const list = new MovingUpstream('/webhook_deliveries', 12, (index) => ({
        started_at: timestampAt(Math.max(0, index - 2)),
      }));
      upstream.script(list.answer);
      const one = await readPage(gateway, name, { first });
      const two = await readPage(gateway, name, { first: 50, after: one.endCursor });
      expect([...one.ids, ...two.ids]).toEqual(list.ids);
    },
  );
});
