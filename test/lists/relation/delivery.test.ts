import { describe } from 'vitest';
import { expect, test } from '../../support/gateway.ts';
import { attemptAt, MovingUpstream, timestampAt } from '../../support/moving-upstream.ts';
import type { JsonRecord } from '../../support/records.ts';
import {
  backup,
  contains,
  deliveriesTo,
  idsOf,
  longer,
  lte,
  main,
  readAll,
  readPage,
  script,
  takeCalls,
} from './connection-delivery.ts';

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

  test('are those of each of two connections without an identifier', async ({ gateway, upstream }) => {
    const deliveries = deliveriesTo(6, (index) => [index % 2 === 0 ? main : backup]);
    const connections = new MovingUpstream('/ip_connections', 2, (index) => ({
      id: null,
      webhook_event_url: index === 0 ? main : backup,
      webhook_event_failover_url: null,
    }));
    upstream.script((request) => (request.path === connections.path ? connections : deliveries).answer(request));
    const { data } = await gateway.query('{ ipConnections { nodes { webhookDeliveries { nodes { id } } } } }');
    const nodesOf = (...ids: readonly string[]) => ({ webhookDeliveries: { nodes: ids.map((id) => ({ id })) } });
    expect(data.ipConnections.nodes).toEqual([nodesOf('row-0', 'row-2', 'row-4'), nodesOf('row-1', 'row-3', 'row-5')]);
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
