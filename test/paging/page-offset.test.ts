import { describe, brief, expect, testOfFile as test, type Gateway } from '../support/gateway.ts';
import { MovingUpstream } from '../support/moving-upstream.ts';
import { missionRecord } from '../support/records.ts';
import type { Script } from '../support/scripted-upstream.ts';
import { serve } from './contradiction/manner.ts';
import { readPage, unpinned, type Turn } from './page-chain/page.ts';

describe('the offset of a page', () => {
  const { list: name, path } = unpinned;

  test.for([
    [{}, 0],
    [{ first: 7, offset: 40 }, 40],
    [{ last: 30 }, 570],
    [{ first: 0 }, 0],
    [{ first: 10, offset: 9000 }, 600],
  ] as const)('asked for with %j is %i', async ([turn, offset], { gateway, upstream }) => {
    const list = new MovingUpstream(path, 600);
    upstream.script(list.answer);
    const page = await readPage(gateway, name, turn);
    expect(page).toMatchObject({ offset, totalCount: 600 });
    expect(page.ids).toEqual(list.ids.slice(offset, offset + page.ids.length));
  });

  test('is the position of its first row in the list as it is now, by a cursor too', async ({ gateway, upstream }) => {
    const list = new MovingUpstream(path, 600);
    upstream.script(list.answer);
    const page = await readPage(gateway, name, { first: 20, offset: 100 });
    list.insert(50, 3);
    list.delete(10, 1);
    const later = await readPage(gateway, name, { first: 10, after: page.endCursor });
    const earlier = await readPage(gateway, name, { last: 10, before: page.startCursor });
    expect([earlier.offset, later.offset]).toEqual([92, 122]);
    expect(later.ids).toEqual(list.ids.slice(122, 132));
    expect(earlier.ids).toEqual(list.ids.slice(92, 102));
  });
});

test('a page that cannot be is refused at its argument, without a call', async ({ gateway, upstream }) => {
  upstream.script(new MovingUpstream('/ai/missions', 9).answer);
  const { endCursor } = await readPage(gateway, 'missions', { first: 5 });
  for (const [args, argument] of [
    ['first: 501', 'first'],
    ['last: -1', 'last'],
    ['offset: 5', 'offset'],
    ['first: 5, last: 5, offset: 5', 'offset'],
    [`first: 5, offset: 5, after: "${endCursor}"`, 'offset'],
    ['first: 5, offset: -1', 'offset'],
  ] as const) {
    const { errors } = await gateway.query(`{ missions(${args}) { totalCount nodes { id } } }`);
    expect([args, brief(errors)]).toEqual([args, [`missions BAD_USER_INPUT ${argument}`]]);
  }
  expect(upstream.requests).toHaveLength(1);
});

/** A list of missions of which no more than this is told. */
const telling = (length: number, meta: object): Script =>
  serve(new MovingUpstream('/ai/missions', length), { metaOf: () => meta });

describe('a page of a list says what is beside it', () => {
  const flagsOf = async (gateway: Gateway, turn: Turn) => {
    const { hasPreviousPage, hasNextPage } = await readPage(gateway, 'missions', turn);
    return [hasPreviousPage, hasNextPage];
  };

  test.for<readonly [length: number, turn: Turn, previous: boolean, next: boolean]>([
    [0, { first: 1, offset: 1 }, false, false],
    [1, { first: 1, offset: 1 }, true, false],
    [4, { first: 3 }, false, true],
    [4, { first: 2, offset: 1 }, true, true],
    [4, { first: 3, offset: 1 }, true, false],
    [4, { last: 3 }, true, false],
    [4, { first: 0 }, false, true],
    [4, { first: 0, offset: 4 }, true, false],
  ])('of %i rows: %j', async ([length, turn, ...flags], { gateway, upstream }) => {
    upstream.script(new MovingUpstream('/ai/missions', length).answer);
    expect(await flagsOf(gateway, turn)).toEqual(flags);
  });

  test('whose length is not told: a full page has a next one', async ({ gateway, upstream }) => {
    upstream.script(telling(4, {}));
    for (const [turn, ...flags] of [
      [{ first: 0 }, false, false],
      [{ first: 3 }, false, true],
      [{ first: 3, offset: 1 }, true, true],
      [{ first: 3, offset: 2 }, true, false],
    ] as const)
      expect([turn, await flagsOf(gateway, turn)]).toEqual([turn, flags]);
    // The last of the first ten are known when the end is.
    expect((await readPage(gateway, 'missions', { first: 10, last: 2 })).ids).toEqual(['row-2', 'row-3']);
  });
});

test.for([
  [{ first: 20, offset: 35 }, 35],
  [{ first: 0, offset: 40 }, null],
  [{ first: 10, offset: 9000 }, null],
] as const)('the offset of %j of a list without a length is %j', async ([turn, offset], { gateway, upstream }) => {
  upstream.script(telling(40, {}));
  expect((await readPage(gateway, 'missions', turn)).offset).toBe(offset);
});

test.for([1, 2, 20])('the last page a list tells has its length: %i rows', async (count, { gateway, upstream }) => {
  upstream.script(telling(20 + count, { total_pages: 2 }));
  const data = await gateway.data(
    '{ missions(first: 20, offset: 20) { totalCount nodes { id } pageInfo { hasNextPage } } }',
  );
  expect(data.missions).toMatchObject({ totalCount: 20 + count, pageInfo: { hasNextPage: false } });
  expect(data.missions.nodes).toHaveLength(count);
  // The first page shows that a short one is no page of a smaller size.
  expect(upstream.requests).toHaveLength(count === 20 ? 1 : 2);
});

test('the offset of a page is null where it exceeds an Int, and the page is there', async ({ gateway, upstream }) => {
  upstream.script(({ query }) => {
    const [number, size] = [Number(query['page[number]']), Number(query['page[size]'])];
    const idAt = (index: number): string => `m${(number - 1) * size + index}`;
    return { json: { data: Array.from({ length: size }, (_, index) => missionRecord({ mission_id: idAt(index) })) } };
  });
  const farthest = 2 ** 31 - 1;
  const { offset, endCursor } = await readPage(gateway, 'missions', { first: 3, offset: farthest });
  expect(offset).toBe(farthest);
  const page = await readPage(gateway, 'missions', { first: 2, after: endCursor });
  expect(page).toMatchObject({ offset: null, ids: [`m${farthest + 3}`, `m${farthest + 4}`] });
});

test('the offset of deliveries leaves out those that came meanwhile', async ({ gateway, upstream }) => {
  const list = new MovingUpstream('/webhook_deliveries', 100);
  upstream.script(list.answer);
  const { endCursor } = await readPage(gateway, 'webhookDeliveries', { first: 10 });
  list.insert(0, 5);
  const page = await readPage(gateway, 'webhookDeliveries', { first: 10, after: endCursor });
  expect(page).toMatchObject({ offset: 10, totalCount: 100 });
});

test('the offset alone takes one call', async ({ gateway, upstream }) => {
  upstream.script(new MovingUpstream('/ai/missions', 50).answer);
  const data = await gateway.data('{ missions(last: 20) { offset } }');
  expect(data).toEqual({ missions: { offset: 30 } });
  expect(upstream.requests).toHaveLength(1);
});

test('an empty page behind the end may say that it is another one', async ({ gateway, upstream }) => {
  upstream.script(() => ({ json: { data: [], meta: { total_results: 5, page_number: 1, page_size: 10 } } }));
  const { data, errors } = await gateway.query('{ missions(first: 10, offset: 100) { totalCount nodes { id } } }');
  expect({ data, errors }).toEqual({ data: { missions: { totalCount: 5, nodes: [] } }, errors: [] });
});
