import fc from 'fast-check';
import { describe, brief, expect, test } from '../../support/gateway.ts';
import { attemptAt, failure, timestampAt, MovingUpstream } from '../../support/moving-upstream.ts';
import type { Script } from '../../support/scripted-upstream.ts';
import {
  backup,
  deliveriesTo,
  gte,
  idsOf,
  longer,
  main,
  readAll,
  readPage,
  relation,
  script,
  takeCalls,
  contains,
  lte,
} from './connection-delivery.ts';
import { clampedTo, serve, silentlyClampedTo, type Manner } from '../../paging/contradiction/manner.ts';
import { runs } from '../../support/runs.ts';
import type { JsonRecord } from '../../support/records.ts';

describe('the deliveries of a connection', () => {
  test('page on while deliveries come and go, by one call for each address and page', async ({ gateway, upstream }) => {
    const tried = [[main], [longer], [backup], [backup, main]];
    const deliveries = deliveriesTo(160, (index) => tried[index % 4] ?? []);
    script(upstream, [main, backup], deliveries);
    const expected = deliveries.ids.filter((_id, index) => index % 4 !== 1);
    const calls: number[] = [];
    const pages = await readAll(gateway, { first: 17 }, () => {
      calls.push(takeCalls(upstream).length);
      deliveries.insert(0, 40, { attempts: [attemptAt(main), attemptAt(backup)] });
      deliveries.delete(5, 3);
    });
    expect(idsOf(pages)).toEqual(expected);
    expect(pages.map(({ hasPreviousPage }) => hasPreviousPage)).toEqual(pages.map((_page, index) => index > 0));
    // Behind the last, two counts for each address show that no delivery lacks a start.
    expect([new Set(calls.slice(0, -1)), calls.at(-1)]).toEqual([new Set([2]), 2 + 4]);
  });

  test('page on behind a cursor when the connection gets another address', async ({ gateway, upstream }) => {
    const deliveries = deliveriesTo(40, (index) => [index % 2 === 0 ? main : backup]);
    script(upstream, [main, null], deliveries);
    const { endCursor } = await readPage(gateway, { first: 5 });
    script(upstream, [backup, null], deliveries);
    const { ids } = await readPage(gateway, { first: 5, after: endCursor });
    expect(ids).toEqual([9, 11, 13, 15, 17].map((index) => `row-${index}`));
  });

  test('are the same in either direction, none lost or repeated at page borders', async ({ gateway, upstream }) => {
    const world = fc.record({
      size: fc.integer({ min: 0, max: 60 }),
      ties: fc.integer({ min: 1, max: 30 }),
      count: fc.integer({ min: 1, max: 20 }),
      salt: fc.nat(),
      gaps: fc.boolean(),
      urls: fc.constantFrom([main, backup], [main, null], [longer, main]),
    });
    await fc.assert(
      fc.asyncProperty(world, async ({ size, ties, count, salt, gaps, urls }) => {
        const tried = [[main], [longer, backup], [backup], [longer], [main, backup]];
        const chosen = (index: number): readonly string[] => tried[(index * 7 + salt) % 5] ?? [];
        const startOf = (index: number) => (gaps && index % 9 === 4 ? null : timestampAt(-Math.floor(index / ties)));
        const deliveries = deliveriesTo(size, chosen, startOf);
        script(upstream, urls, deliveries);
        const known = deliveries.ids;
        const expected = known.filter((_id, index) => chosen(index).some((url) => urls.includes(url)));
        const whole = (await readPage(gateway, { first: 60 })).ids;
        expect(whole.toSorted()).toEqual(expected.toSorted());
        const back = await readAll(gateway, { last: count });
        expect(idsOf(back)).toEqual(whole);
        for (const { ids } of back.slice(1)) expect(ids).toHaveLength(count);
        expect(back.map(({ hasNextPage }) => hasNextPage)).toEqual(back.map((_, index) => index < back.length - 1));
        const { totalCount, offset } = back.at(-1) ?? {};
        expect([totalCount, offset]).toEqual([whole.length, Math.max(0, whole.length - count)]);
        const come = () => deliveries.insert(0, 2, { attempts: [attemptAt(main)] });
        const ids = idsOf(await readAll(gateway, { first: count }, come));
        expect(ids.filter((id) => known.includes(id)).toSorted()).toEqual(expected.toSorted());
        expect(new Set(ids).size).toBe(ids.length);
      }),
      { numRuns: runs(16) },
    );
  });

  const manners: readonly [string, Manner][] = [
    ['meta is missing', { metaOf: () => undefined }],
    ['pages are clamped to 20', clampedTo(20)],
    ['pages are clamped to 20 in silence', silentlyClampedTo(20)],
  ];

  test.for(manners)('come whole, and end, where %s', async ([, manner], { gateway, upstream }) => {
    const deliveries = deliveriesTo(304, () => [main]);
    script(upstream, [main, null], { answer: serve(deliveries, manner) });
    expect(idsOf(await readAll(gateway, { first: 100 }))).toEqual(deliveries.ids);
  });

  test('are read on behind others up to the configured pages', async ({ startWith, upstream }) => {
    const gateway = await startWith({ UPSTREAM_SCAN_PAGES: '3' });
    const deliveries = deliveriesTo(4000, (index) => [index % 1000 === 990 ? main : longer]);
    script(upstream, [main, null], deliveries);
    const calls: number[] = [];
    const pages = await readAll(gateway, { first: 2 }, () => calls.push(takeCalls(upstream).length));
    expect(idsOf(pages)).toEqual(['row-990', 'row-1990', 'row-2990', 'row-3990']);
    expect(pages[0]).toMatchObject({ ids: [], hasNextPage: true, totalCount: null });
    expect(Math.max(...calls)).toBe(3);
    // Each page of strangers is read once, but for the rows around the borders; and there are two counts.
    expect(calls.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(22 + 2);
  });

  test('are whole although deliveries come and go while they are read', async ({ gateway, upstream }) => {
    const deliveries = deliveriesTo(2000, (index) => [index % 200 === 150 ? main : longer]);
    const answer: Script = (request) => {
      const reply = deliveries.answer(request);
      deliveries.insert(0, 3, { attempts: [attemptAt(longer)] });
      deliveries.delete(10, 9);
      return reply;
    };
    script(upstream, [main, null], { answer });
    const page = await readPage(gateway, { first: 9 });
    expect(page.ids).toEqual(Array.from({ length: 9 }, (_, index) => `row-${index * 200 + 150}`));
    expect(takeCalls(upstream).length).toBeLessThanOrEqual(9);
  });

  test.for<[how: string, startOf: (index: number) => string | null, calls?: number]>([
    ['oldest first', (index) => timestampAt(index)],
    ['to and fro', (index) => timestampAt((index * 7) % 300)],
    ['with starts missing', (index) => (index % 50 === 3 ? null : timestampAt(-index))],
    ['with starts missing at the end', (index) => (index >= 260 ? null : timestampAt(-index)), 5],
  ])('come newest first where the upstream lists them %s', async ([, startOf, most = 3], { gateway, upstream }) => {
    const deliveries = deliveriesTo(300, (index) => [index % 2 === 0 ? main : longer], startOf);
    script(upstream, [main, null], deliveries);
    const page = await readPage(gateway, { first: 500 });
    const dated = (id: string): string => startOf(Number(id.slice(4))) ?? '';
    expect(page.ids).toHaveLength(150);
    expect(page.ids.map(dated)).toEqual(page.ids.map(dated).toSorted().toReversed());
    expect(page.totalCount).toBe(150);
    expect(takeCalls(upstream).length).toBeLessThanOrEqual(most);
  });

  test('are refused where a list without order exceeds the configured pages', async ({ startWith, upstream }) => {
    const gateway = await startWith({ UPSTREAM_SCAN_PAGES: '2' });
    const toAndFro = (index: number): string => timestampAt((index * 7) % 300);
    const deliveries = deliveriesTo(1000, () => [longer], toAndFro);
    script(upstream, [main, null], deliveries);
    const { data, errors } = await gateway.query(relation);
    expect(data.ipConnections.nodes).toEqual([{ webhookDeliveries: null }]);
    expect(errors).toMatchObject([{ extensions: { code: 'QUERY_TOO_COMPLEX', limit: 500, actual: 501 } }]);
  });

  test('have a totalCount where all were read, and null where there are more', async ({ gateway, upstream }) => {
    const few = deliveriesTo(30, () => [main]);
    script(upstream, [main, null], few);
    const one = await readPage(gateway, { first: 20 });
    const two = await readPage(gateway, { first: 20, after: one.endCursor });
    expect([one.totalCount, two.totalCount, one.offset, two.offset]).toEqual([30, null, 0, null]);
    const many = deliveriesTo(3000, () => [main]);
    script(upstream, [main, null], many);
    expect((await readPage(gateway, { first: 20 })).totalCount).toBeNull();
  });
});

describe('the deliveries of a connection, from the end', () => {
  test('are neither repeated nor skipped while deliveries come and go', async ({ gateway, upstream }) => {
    const deliveries = deliveriesTo(160, (index) => [index % 3 === 0 ? longer : main]);
    script(upstream, [main, null], deliveries);
    const known = deliveries.ids.filter((_id, index) => index % 3 !== 0);
    const pages = await readAll(gateway, { last: 17 }, () => {
      deliveries.insert(0, 5, { attempts: [attemptAt(main)] });
      deliveries.delete(deliveries.rows.length - 2, 2);
    });
    const ids = idsOf(pages);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => known.includes(id))).toEqual(known);
  });

  test('are read only down to the cursor, so a page near the start is cheap', async ({ startWith, upstream }) => {
    const gateway = await startWith({ UPSTREAM_SCAN_PAGES: '2' });
    const deliveries = deliveriesTo(3_000, () => [main]);
    script(upstream, [main, null], deliveries);
    const { endCursor } = await readPage(gateway, { first: 40 });
    takeCalls(upstream);
    const page = await readPage(gateway, { last: 10, before: endCursor });
    expect(page).toMatchObject({ hasNextPage: true, hasPreviousPage: true, offset: 29 });
    expect(page.ids).toEqual(deliveries.ids.slice(29, 39));
    const calls = takeCalls(upstream);
    expect(calls).toHaveLength(1);
    expect(calls.every((query) => query[gte] !== undefined)).toBe(true);
    // Without a size, those before a cursor are as many as a page has.
    const { ids } = await readPage(gateway, { before: endCursor });
    expect(ids).toEqual(deliveries.ids.slice(19, 39));
  });

  test('are an error where a search does not reach them, and never a part of them', async ({ startWith, upstream }) => {
    const gateway = await startWith({ UPSTREAM_SCAN_PAGES: '3' });
    const deliveries = deliveriesTo(3_000, () => [main]);
    script(upstream, [main, null], deliveries);
    const { data, errors } = await gateway.query(relation, { variables: { last: 5 } });
    expect(data.ipConnections.nodes).toEqual([{ webhookDeliveries: null }]);
    expect(brief(errors)).toEqual(['ipConnections.nodes.0.webhookDeliveries QUERY_TOO_COMPLEX']);
    expect(takeCalls(upstream)).toHaveLength(3);
  });

  test('lie between two cursors, and there are none where these are crossed', async ({ gateway, upstream }) => {
    const deliveries = deliveriesTo(30, () => [main]);
    script(upstream, [main, backup], deliveries);
    const cursors = (await gateway.query(relation, { variables: { first: 30 } })).data.ipConnections.nodes[0]
      .webhookDeliveries.edges as readonly { readonly cursor: string }[];
    const cursorOf = (index: number): string => cursors[index]?.cursor ?? '';
    for (const [turn, from, to] of [
      [{ after: cursorOf(4), before: cursorOf(11), first: 3 }, 5, 8],
      [{ after: cursorOf(4), before: cursorOf(11), last: 3 }, 8, 11],
      [{ after: cursorOf(4), before: cursorOf(11), first: 5, last: 2 }, 8, 10],
      [{ after: cursorOf(4), before: cursorOf(11) }, 5, 11],
      [{ first: 4, last: 3 }, 1, 4],
      [{ first: 9, before: cursorOf(2) }, 0, 2],
      [{ last: 0, before: cursorOf(2) }, 0, 0],
    ] as const) {
      const { ids } = await readPage(gateway, turn);
      expect([turn, ids]).toEqual([turn, deliveries.ids.slice(from, to)]);
    }
    takeCalls(upstream);
    for (const after of [11, 4]) {
      const page = await readPage(gateway, { after: cursorOf(after), before: cursorOf(4), last: 5 });
      expect(page.ids).toEqual([]);
    }
    expect(takeCalls(upstream)).toEqual([]);
  });
});

describe('the deliveries of a connection', () => {
  test('are those to exactly its address, though the API finds others', async ({ gateway, upstream }) => {
    const urls = [main, longer, `${main}?a=1`, `x${main}`, main, `${main}/`, main.toUpperCase()];
    const deliveries = deliveriesTo(70, (index) => [urls[index % urls.length] ?? main]);
    script(upstream, [main, null], deliveries);
    const page = await readPage(gateway, { first: 100 });
    expect(page.ids).toEqual(deliveries.ids.filter((_id, index) => [0, 4].includes(index % 7)));
    expect(page).toMatchObject({ totalCount: 20, hasNextPage: false, hasPreviousPage: false });
    expect(takeCalls(upstream)).toEqual([{ [contains]: main, 'page[number]': '1', 'page[size]': '200' }]);
  });

  const noIds = [[null], ['']] as const;
  test.for(noIds)('are those of each of two connections with identifier %j', async ([id], { gateway, upstream }) => {
    const deliveries = new MovingUpstream('/webhook_deliveries', 6, (index) => ({
      id,
      attempts: [attemptAt(index % 2 === 0 ? main : backup)],
    }));
    const connections = new MovingUpstream('/ip_connections', 2, (index) => ({
      id,
      active: true,
      webhook_event_url: index === 0 ? main : backup,
      webhook_event_failover_url: null,
    }));
    upstream.script((request) => (request.path === connections.path ? connections : deliveries).answer(request));
    const list = 'ipConnections(filter: { active: true }) { nodes { webhookDeliveries { nodes { startedAt } } } }';
    const { data } = await gateway.query(`{ ${list} }`);
    const nodesOf = (...rows: readonly number[]) => ({
      webhookDeliveries: { nodes: rows.map((row) => ({ startedAt: timestampAt(-1000 * row) })) },
    });
    expect(data.ipConnections.nodes).toEqual([nodesOf(0, 2, 4), nodesOf(1, 3, 5)]);
  });

  test('are asked for once where both addresses are the same', async ({ gateway, upstream }) => {
    const deliveries = deliveriesTo(5, () => [main]);
    script(upstream, [main, main], deliveries);
    expect((await readPage(gateway)).ids).toEqual(deliveries.ids);
    expect(takeCalls(upstream)).toHaveLength(1);
  });

  test.for([
    [null, null],
    ['', null],
  ])('are empty, without a call, where its addresses are %j', async (urls, { gateway, upstream }) => {
    const deliveries = deliveriesTo(5, () => ['']);
    script(upstream, urls, deliveries);
    const page = await readPage(gateway);
    const none = { ids: [], startCursor: null, endCursor: null, hasNextPage: false, hasPreviousPage: false };
    expect(page).toEqual({ ...none, totalCount: 0, offset: 0 });
    expect(takeCalls(upstream)).toEqual([]);
  });

  test('apply the caller’s own filters too', async ({ gateway, upstream }) => {
    const deliveries = new MovingUpstream('/webhook_deliveries', 60, (index) => ({
      status: index % 2 === 0 ? 'failed' : 'delivered',
      attempts: [attemptAt(index % 3 === 0 ? main : longer), attemptAt('https://other.example.com/')],
    }));
    script(upstream, [main, null], deliveries);
    const filter = {
      status: { eq: 'failed' },
      eventType: ['call_initiated'],
      attempts: { contains: 'other.example' },
      startedAt: { gte: timestampAt(-50_000), lte: timestampAt(-3000) },
      finishedAt: { gte: '2020-01-01T00:00:00Z' },
    };
    const pages = await readAll(gateway, { first: 4, filter });
    const expected = deliveries.ids.filter((_id, index) => index % 6 === 0 && index >= 3 && index <= 50);
    expect(idsOf(pages)).toEqual(expected);
    const [first, second] = takeCalls(upstream);
    expect(first).toMatchObject({
      'filter[status][eq]': 'failed',
      'filter[event_type]': 'call_initiated',
      [contains]: 'other.example',
      'filter[started_at][gte]': '2026-09-30T10:06:40.000Z',
      [lte]: '2026-09-30T23:10:00.000Z',
      'filter[finished_at][gte]': '2020-01-01T00:00:00.000Z',
    });
    // The place where the reader stands takes over from the caller's own bound.
    expect(second).toMatchObject({
      'filter[started_at][gte]': '2026-09-30T10:06:40.000Z',
      [lte]: '2026-09-30T17:20:00.000Z',
    });
  });

  test('are none by the filter of another connection, without a call', async ({ gateway, upstream }) => {
    const deliveries = deliveriesTo(3, () => [main]);
    script(upstream, [main, null], deliveries);
    expect((await readPage(gateway, { filter: { connectionId: 'another' } })).ids).toEqual([]);
    expect(takeCalls(upstream)).toEqual([]);
    expect((await readPage(gateway, { filter: { connectionId: 'row-0' } })).ids).toEqual(deliveries.ids);
  });

  test('by the filter of a connection that cannot be looked up fail as the look-up does', async ({
    gateway,
    upstream,
  }) => {
    upstream.script(({ path }) => (path === '/ip_connections' ? failure : { json: { data: [] } }));
    const { errors } = await gateway.query('{ webhookDeliveries(filter: { connectionId: "a" }) { nodes { id } } }');
    expect(errors).toMatchObject([{ extensions: { upstream: { operation: 'GET /ip_connections' } } }]);
  });

  test('survive items that are no records, and attempts of any shape', async ({ gateway, upstream }) => {
    const deliveries = deliveriesTo(3, () => [main]);
    const attempts = [null, {}, { http: null }];
    const odd: unknown[] = [null, { id: 'a' }, { id: 'b', attempts: null }, { id: 'c', attempts }];
    deliveries.rows = [...deliveries.rows.slice(0, 1), ...(odd as JsonRecord[]), ...deliveries.rows.slice(1)];
    const meta = { total_results: 7, page_size: 100 };
    script(upstream, [main, null], { answer: () => ({ json: { data: deliveries.rows, meta } }) });
    expect((await readPage(gateway)).ids).toEqual(['row-0', 'row-1', 'row-2']);
  });
});
