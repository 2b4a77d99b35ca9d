import { describe } from 'vitest';
import { brief, expect, test } from '../../support/gateway.ts';
import { attemptAt } from '../../support/moving-upstream.ts';
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
} from './connection-delivery.ts';

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

  test.for([
    [{ first: -1 }, 'first'],
    [{ last: 501 }, 'last'],
    [{ last: 1, before: 'nonsense' }, 'before'],
  ] as const)('refuse %j before any of their calls', async ([variables, argument], { gateway, upstream }) => {
    const deliveries = deliveriesTo(3, () => [main]);
    script(upstream, [main, null], deliveries);
    const { errors } = await gateway.query(relation, { variables });
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', argument: [argument] } }]);
    expect(takeCalls(upstream)).toEqual([]);
  });
});
