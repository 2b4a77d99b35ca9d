import { describe } from 'vitest';
import { expect, testOfFile as test, type Gateway } from '../support/gateway.ts';
import { attemptAt, MovingUpstream } from '../support/moving-upstream.ts';
import { ipConnectionRecord, missionRecord } from '../support/records.ts';
import { pageReply, type Reply, type SeenRequest } from '../support/scripted-upstream.ts';

interface Page {
  readonly offset: number | null;
  readonly totalCount: number | null;
  readonly ids: readonly string[];
  readonly pageInfo: { readonly startCursor: string; readonly endCursor: string };
}

async function readPage(gateway: Gateway, name: string, args: string): Promise<Page> {
  const { data, errors } = await gateway.query(
    `{ ${name}${args} { offset totalCount nodes { id } pageInfo { startCursor endCursor } } }`,
  );
  expect(errors).toEqual([]);
  const { nodes, ...page } = data[name];
  return { ...page, ids: nodes.map(({ id }: { readonly id: string }) => id) };
}

describe('the offset of a page', () => {
  const name = 'ipConnections';
  const path = '/ip_connections';

  test.for([
    ['', 0],
    ['(first: 7)', 0],
    ['(first: 7, offset: 40)', 40],
    ['(last: 30)', 570],
    ['(first: 0)', 0],
    ['(first: 10, offset: 600)', 600],
    ['(first: 10, offset: 9000)', 600],
  ] as const)('asked for with %j is %i', async ([args, offset], { gateway, upstream }) => {
    const list = new MovingUpstream(path, 600);
    upstream.script(list.answer);
    const page = await readPage(gateway, name, args);
    expect(page).toMatchObject({ offset, totalCount: 600 });
    expect(page.ids).toEqual(list.ids.slice(offset, offset + page.ids.length));
  });

  test('is the position of its first row in the list as it is now, by a cursor too', async ({ gateway, upstream }) => {
    const list = new MovingUpstream(path, 600);
    upstream.script(list.answer);
    const { pageInfo } = await readPage(gateway, name, '(first: 20, offset: 100)');
    list.insert(50, 3);
    list.delete(10, 1);
    const later = await readPage(gateway, name, `(first: 10, after: "${pageInfo.endCursor}")`);
    const earlier = await readPage(gateway, name, `(last: 10, before: "${pageInfo.startCursor}")`);
    expect([earlier.offset, later.offset]).toEqual([92, 122]);
    expect(later.ids).toEqual(list.ids.slice(122, 132));
    expect(earlier.ids).toEqual(list.ids.slice(92, 102));
  });
});

const missionsOf = (length: number) => Array.from({ length }, (_, index) => missionRecord({ mission_id: `m${index}` }));
/** A list that does not tell its length. */
const untold =
  (length: number) =>
  (request: SeenRequest): Reply => ({ json: { ...(pageReply(missionsOf(length), request).json as object), meta: {} } });

describe('a page of a list says what is beside it', () => {
  const flagsOf = async (gateway: Gateway, args: string) => {
    const { data, errors } = await gateway.query(
      `{ missions(${args}) { nodes { id } pageInfo { hasPreviousPage hasNextPage } } }`,
    );
    expect(errors).toEqual([]);
    return [args, Object.values(data.missions.pageInfo)];
  };

  test.for<readonly [length: number, args: string, previous: boolean, next: boolean]>([
    [0, 'first: 1, offset: 1', false, false],
    [1, 'first: 1', false, false],
    [1, 'first: 1, offset: 1', true, false],
    [4, 'first: 3', false, true],
    [4, 'first: 4', false, false],
    [4, 'first: 2, offset: 1', true, true],
    [4, 'first: 3, offset: 1', true, false],
    [4, 'last: 3', true, false],
    [4, 'last: 4', false, false],
    [4, 'first: 0', false, true],
    [4, 'first: 0, offset: 4', true, false],
  ])('of %i rows: %s', async ([length, args, ...flags], { gateway, upstream }) => {
    upstream.script(new MovingUpstream('/ai/missions', length).answer);
    expect(await flagsOf(gateway, args)).toEqual([args, flags]);
  });

  test('whose length is not told: a full page has a next one', async ({ gateway, upstream }) => {
    upstream.script(untold(4));
    for (const [args, ...flags] of [
      ['first: 3', false, true],
      ['first: 3, offset: 1', true, true],
      ['first: 3, offset: 2', true, false],
    ] as const)
      expect(await flagsOf(gateway, args)).toEqual([args, flags]);
  });
});

test.for([
  ['(first: 7, offset: 30)', 30],
  ['(first: 20, offset: 35)', 35],
  ['(first: 0, offset: 40)', null],
  ['(first: 10, offset: 40)', null],
  ['(first: 10, offset: 9000)', null],
] as const)('the offset of %s of a list without a length is %j', async ([args, offset], { gateway, upstream }) => {
  upstream.script(untold(40));
  expect((await readPage(gateway, 'missions', args)).offset).toBe(offset);
});

test.for([1, 2, 20])(
  'the last page that a list tells shows its length: %i rows',
  async (count, { gateway, upstream }) => {
    const meta = { total_pages: 2 };
    upstream.script((request) => ({ json: { ...(pageReply(missionsOf(20 + count), request).json as object), meta } }));
    const { data, errors } = await gateway.query(
      '{ missions(first: 20, offset: 20) { totalCount nodes { id } pageInfo { hasNextPage } } }',
    );
    expect(errors).toEqual([]);
    expect(data.missions).toMatchObject({ totalCount: 20 + count, pageInfo: { hasNextPage: false } });
    expect(data.missions.nodes).toHaveLength(count);
    // The first page shows that a short one is no page of a smaller size.
    expect(upstream.requests).toHaveLength(count === 20 ? 1 : 2);
  },
);

test('the offset of a page is null where it exceeds an Int, and the page is there', async ({ gateway, upstream }) => {
  upstream.script(({ query }) => {
    const [number, size] = [Number(query['page[number]']), Number(query['page[size]'])];
    const idAt = (index: number): string => `m${(number - 1) * size + index}`;
    return { json: { data: Array.from({ length: size }, (_, index) => missionRecord({ mission_id: idAt(index) })) } };
  });
  const farthest = 2 ** 31 - 1;
  const { offset, pageInfo } = await readPage(gateway, 'missions', `(first: 3, offset: ${farthest})`);
  expect(offset).toBe(farthest);
  const page = await readPage(gateway, 'missions', `(first: 2, after: "${pageInfo.endCursor}")`);
  expect(page).toMatchObject({ offset: null, ids: [`m${farthest + 3}`, `m${farthest + 4}`] });
});

test('the offset of deliveries leaves out those that came meanwhile', async ({ gateway, upstream }) => {
  const list = new MovingUpstream('/webhook_deliveries', 100);
  upstream.script(list.answer);
  const { pageInfo } = await readPage(gateway, 'webhookDeliveries', '(first: 10)');
  list.insert(0, 5);
  const page = await readPage(gateway, 'webhookDeliveries', `(first: 10, after: "${pageInfo.endCursor}")`);
  expect(page).toMatchObject({ offset: 10, totalCount: 100 });
});

test('the offset of a relation is 0 at its head, and null behind a cursor', async ({ gateway, upstream }) => {
  const url = 'https://hooks.example.com/voice';
  const deliveries = new MovingUpstream('/webhook_deliveries', 9, () => ({ attempts: [attemptAt(url)] }));
  const connection = ipConnectionRecord({ id: 'a', webhook_event_url: url, webhook_event_failover_url: null });
  upstream.script((request) =>
    request.path === '/ip_connections' ? pageReply([connection], request) : deliveries.answer(request),
  );
  const pageOf = (args: string): string =>
    `{ ipConnections { nodes { webhookDeliveries${args} { offset pageInfo { endCursor } } } } }`;
  const head = await gateway.query(pageOf('(first: 4)'));
  const [first] = head.data.ipConnections.nodes;
  expect(first.webhookDeliveries.offset).toBe(0);
  const { endCursor } = first.webhookDeliveries.pageInfo;
  const next = await gateway.query(pageOf(`(first: 4, after: "${endCursor}")`));
  expect(next.errors).toEqual([]);
  expect(next.data.ipConnections.nodes[0].webhookDeliveries.offset).toBeNull();
});

test('the offset alone takes one call', async ({ gateway, upstream }) => {
  upstream.script(new MovingUpstream('/ai/missions', 50).answer);
  const { data, errors } = await gateway.query('{ missions(last: 20) { offset } }');
  expect(errors).toEqual([]);
  expect(data).toEqual({ missions: { offset: 30 } });
  expect(upstream.requests).toHaveLength(1);
});

test('an empty page behind the end may say that it is another one', async ({ gateway, upstream }) => {
  upstream.script(() => ({ json: { data: [], meta: { total_results: 5, page_number: 1, page_size: 10 } } }));
  const { data, errors } = await gateway.query('{ missions(first: 10, offset: 100) { totalCount nodes { id } } }');
  expect({ data, errors }).toEqual({ data: { missions: { totalCount: 5, nodes: [] } }, errors: [] });
});
