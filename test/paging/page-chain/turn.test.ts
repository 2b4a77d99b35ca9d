import { describe, expect, testOfFile as test, type Gateway } from '../../support/gateway.ts';
import type { Kind } from '../../lists/look-up/kind.ts';
import { MovingUpstream, timestampAt } from '../../support/moving-upstream.ts';
import type { ScriptedUpstream } from '../../support/scripted-upstream.ts';
import { serve } from '../contradiction/manner.ts';
import { pagesOf, pinned, readPage, takeCalls, unpinned, type Page } from './page.ts';

/** The first two pages, and nothing of their calls. */
async function twoPages(gateway: Gateway, upstream: ScriptedUpstream, name: Kind['list'], first = 20) {
  const one = await readPage(gateway, name, { first });
  const two = await readPage(gateway, name, { first, after: one.endCursor });
  takeCalls(upstream);
  return [one, two] as const;
}

// Beside the rows asked for and the anchor's own, this many are read for the cursors of the next turn.
const mostExtra = 3;

const rowsRead = (calls: readonly Readonly<Record<string, string>>[]): number =>
  calls.reduce((sum, query) => sum + Number(query['page[size]']), 0);

describe.each([unpinned, pinned])('$list', ({ list: name, path }) => {
  // A pinned list that has become shorter is read once more, without its pin.
  const readings = name === pinned.list ? 2 : 1;

  test.for([true, false])('take one call a turn, forward: %s', async (isForward, { gateway, upstream }) => {
    const list = new MovingUpstream(path, 205);
    upstream.script(list.answer);
    const seen: (readonly string[])[] = [];
    for await (const { ids } of pagesOf(gateway, name, 20, isForward)) {
      const calls = takeCalls(upstream);
      seen.push(ids);
      if (seen.length === 1 && isForward) expect(calls).toEqual([{ 'page[number]': '1', 'page[size]': '20' }]);
      if (seen.length === 1) continue;
      expect(calls).toHaveLength(1);
      // Upstream pages begin at multiples of their size, so the one that holds all may be up to twice as long.
      expect(rowsRead(calls)).toBeLessThan(2 * (20 + 1 + mostExtra));
    }
    expect((isForward ? seen : seen.toReversed()).flat()).toEqual(list.ids);
  });

  test.for([250, 500])('go on behind %i rows', async (first, { gateway, upstream }) => {
    const list = new MovingUpstream(path, 1700);
    upstream.script(list.answer);
    const before = list.ids;
    const one = await readPage(gateway, name, { first });
    const callsForPage = takeCalls(upstream).length;
    list.insert(0, 40);
    list.delete(100, 7);
    const two = await readPage(gateway, name, { first, after: one.endCursor });
    expect([...one.ids, ...two.ids]).toEqual(before.slice(0, 2 * first));
    // The anchor takes the page one row beyond a multiple of the limit.
    expect(takeCalls(upstream).length).toBeLessThanOrEqual(readings * 2 * (callsForPage + 1));
  });

  const stories: readonly [string, (list: MovingUpstream) => void, number][] = [
    ['rows are added behind the page', (list) => list.insert(60, 20), 1],
    ['many rows are added at the head', (list) => list.insert(0, 333), 2],
    ['rows are deleted at the head', (list) => list.delete(0, 9), 2],
    ['rows are deleted in the middle of what was read', (list) => list.delete(22, 6), 2],
    ['the anchor is deleted', (list) => list.delete(39, 1), 2],
    ['the anchor and the rows around it are deleted', (list) => list.delete(36, 8), 3],
    ['the anchor and all rows that its cursor remembers are deleted', (list) => list.delete(28, 20), 3],
    [
      'as many rows have come as have gone',
      (list) => {
        list.insert(0, 5);
        list.delete(115, 5);
      },
      2,
    ],
    ['all pages read and the next are deleted', (list) => list.delete(0, 60), 3],
  ];

  test.for(stories)('show each row that stays once, when %s', async ([, happen, most], { gateway, upstream }) => {
    const list = new MovingUpstream(path, 120);
    upstream.script(list.answer);
    const [one, two] = await twoPages(gateway, upstream, name);
    const rest = list.ids.slice(40);
    happen(list);
    const three = await readPage(gateway, name, { first: 20, after: two.endCursor });
    expect(takeCalls(upstream).length).toBeLessThanOrEqual(readings * most);
    const shown = three.ids.filter((id) => rest.includes(id));
    expect(shown).toEqual(rest.filter((id) => list.ids.includes(id)).slice(0, shown.length));
    expect(three.ids).toHaveLength(20);
    expect(three.ids.filter((id) => one.ids.includes(id) || two.ids.includes(id))).toEqual([]);
  });

  test('end in an empty page when all is deleted, by one call more', async ({ gateway, upstream }) => {
    const list = new MovingUpstream(path, 120);
    upstream.script(list.answer);
    const [, two] = await twoPages(gateway, upstream, name);
    list.delete(0, 120);
    const forward = await readPage(gateway, name, { first: 20, after: two.endCursor });
    expect(forward).toMatchObject({ ids: [], hasNextPage: false, startCursor: null, endCursor: null });
    const backward = await readPage(gateway, name, { last: 20, before: two.startCursor });
    expect(backward).toMatchObject({ ids: [], hasPreviousPage: false });
    // The page ahead is empty and says that there are no rows: some platforms say so of each page behind the end.
    expect(takeCalls(upstream)).toHaveLength(readings * 3);
  });
});

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

  test.for([[14], [12, 25, 39], [39]])(
    'shows and counts deliveries without a start (%j), which a pin keeps out',
    async (undated, { gateway, upstream }) => {
      const list = new MovingUpstream('/webhook_deliveries', 40, (index) =>
        undated.includes(index) ? { started_at: null } : {},
      );
      const tellsLength = undated.length !== 3;
      upstream.script(tellsLength ? list.answer : serve(list, { metaOf: () => undefined }));
      const { endCursor } = await readPage(gateway, name, { first: 10 });
      const { data } = await gateway.query(`{ ${name}(first: 10, after: "${endCursor}") { totalCount } }`);
      if (tellsLength) expect(data[name].totalCount).toBe(40);
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

  test('leaves its pin where a later page runs to and fro', async ({ gateway, upstream }) => {
    const startOf = (index: number) => timestampAt([20, -2][index - 10] ?? -index);
    const list = new MovingUpstream('/webhook_deliveries', 12, (index) => ({ started_at: startOf(index) }));
    upstream.script(list.answer);
    const one = await readPage(gateway, name, { first: 5 });
    // As many come late as the pin keeps out.
    list.rows = [...list.rows, { id: 'late', started_at: timestampAt(-50) }];
    const two = await readPage(gateway, name, { first: 50, after: one.endCursor });
    expect([...one.ids, ...two.ids]).toEqual(list.ids);
  });

  test.for([1, 3])('of %i rows of a moment is not pinned, or might end there', async (first, { gateway, upstream }) => {
    const list = new MovingUpstream('/webhook_deliveries', 12, (index) => ({
      started_at: timestampAt(Math.max(0, index - 2)),
    }));
    upstream.script(list.answer);
    const one = await readPage(gateway, name, { first });
    const two = await readPage(gateway, name, { first: 50, after: one.endCursor });
    expect([...one.ids, ...two.ids]).toEqual(list.ids);
  });
});
