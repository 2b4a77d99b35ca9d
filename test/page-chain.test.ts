import fc from 'fast-check';
import { describe } from 'vitest';
import { expect, test, type Gateway } from './support/gateway.ts';
import { MovingUpstream, timestampAt, type ListPath } from './support/moving-upstream.ts';
import { pageReply, type ScriptedUpstream } from './support/scripted-upstream.ts';

// Beside the rows asked for and the anchor's own, this many are read for the cursors of the next turn.
const mostExtra = 3;

interface Field {
  readonly name: 'ipConnections' | 'missions' | 'webhookDeliveries';
  readonly path: ListPath;
}

const fields: readonly Field[] = [
  { name: 'ipConnections', path: '/ip_connections' },
  { name: 'missions', path: '/ai/missions' },
  { name: 'webhookDeliveries', path: '/webhook_deliveries' },
];

interface Page {
  readonly ids: readonly string[];
  readonly startCursor: string | null;
  readonly endCursor: string | null;
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
}

interface Turn {
  readonly first?: number;
  readonly after?: string | null;
  readonly last?: number;
  readonly before?: string | null;
  readonly filter?: object;
}

async function readPage(gateway: Gateway, name: Field['name'], { filter, ...window }: Turn): Promise<Page> {
  const given = Object.entries(window).map(([argument, value]) => `${argument}: ${JSON.stringify(value)}`);
  const [declared, used] =
    filter === undefined ? ['', ''] : ['query ($filter: WebhookDeliveryFilter)', 'filter: $filter'];
  const { data, errors } = await gateway.query(
    `${declared} {
      ${name}(${given.join(', ')} ${used}) {
        nodes { id }
        pageInfo { startCursor endCursor hasNextPage hasPreviousPage }
      }
    }`,
    { variables: { filter } },
  );
  expect(errors).toEqual([]);
  const { nodes, pageInfo } = data[name];
  return { ids: nodes.map(({ id }: { id: string }) => id), ...pageInfo };
}

/** What the upstream was asked since the last time. */
function takeCalls(upstream: ScriptedUpstream): readonly Readonly<Record<string, string>>[] {
  return upstream.requests.splice(0).map(({ query }) => query);
}

const rowsRead = (calls: readonly Readonly<Record<string, string>>[]): number =>
  calls.reduce((sum, query) => sum + Number(query['page[size]']), 0);

describe.each(fields)('$name', ({ name, path }) => {
  test('take one call a turn while nothing moves, and read few rows beside those asked for', async ({
    gateway,
    upstream,
  }) => {
    const list = new MovingUpstream(path, 205);
    upstream.script(list.answer);
    let page = await readPage(gateway, name, { first: 20 });
    expect(takeCalls(upstream)).toEqual([{ 'page[number]': '1', 'page[size]': '20' }]);
    const seen = [...page.ids];
    while (page.hasNextPage) {
      page = await readPage(gateway, name, { first: 20, after: page.endCursor });
      seen.push(...page.ids);
      const calls = takeCalls(upstream);
      expect(calls).toHaveLength(1);
      // Upstream pages begin at multiples of their size, so the one that holds all may be up to twice as long.
      expect(rowsRead(calls)).toBeLessThan(2 * (20 + 1 + mostExtra));
    }
    expect(seen).toEqual(list.ids);
  });

  test('take one call a turn backwards, too', async ({ gateway, upstream }) => {
    const list = new MovingUpstream(path, 205);
    upstream.script(list.answer);
    let page = await readPage(gateway, name, { last: 20 });
    const seen = [...page.ids];
    takeCalls(upstream);
    while (page.hasPreviousPage) {
      page = await readPage(gateway, name, { last: 20, before: page.startCursor });
      seen.unshift(...page.ids);
      expect(takeCalls(upstream)).toHaveLength(1);
    }
    expect(seen).toEqual(list.ids);
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
    expect(takeCalls(upstream).length).toBeLessThanOrEqual(2 * (callsForPage + 1));
  });

  const stories: readonly [string, (list: MovingUpstream) => void, number][] = [
    ['nothing happens', () => {}, 1],
    ['rows are deleted behind the page', (list) => list.delete(60, 20), 1],
    ['rows are added behind the page', (list) => list.insert(60, 20), 1],
    ['three rows are added at the head', (list) => list.insert(0, 3), 1],
    ['many rows are added at the head', (list) => list.insert(0, 333), 2],
    ['rows are deleted at the head', (list) => list.delete(0, 9), 2],
    ['rows are deleted in the middle of what was read', (list) => list.delete(22, 6), 2],
    ['the anchor is deleted', (list) => list.delete(39, 1), 2],
    ['the anchor and the row behind it are deleted', (list) => list.delete(39, 2), 2],
    ['the anchor and the rows around it are deleted', (list) => list.delete(36, 8), 3],
    ['the anchor and all rows that its cursor remembers are deleted', (list) => list.delete(28, 20), 3],
    ['all pages read are deleted', (list) => list.delete(0, 40), 3],
    ['all pages read and the next are deleted', (list) => list.delete(0, 60), 3],
  ];

  test.for(stories)(
    'show each row that stays exactly once, when %s',
    async ([, happen, most], { gateway, upstream }) => {
      const list = new MovingUpstream(path, 120);
      upstream.script(list.answer);
      const one = await readPage(gateway, name, { first: 20 });
      const two = await readPage(gateway, name, { first: 20, after: one.endCursor });
      const rest = list.ids.slice(40);
      takeCalls(upstream);
      happen(list);
      const three = await readPage(gateway, name, { first: 20, after: two.endCursor });
      expect(takeCalls(upstream).length).toBeLessThanOrEqual(most);
      expect(three.ids.filter((id) => rest.includes(id))).toEqual(
        rest.filter((id) => list.ids.includes(id)).slice(0, three.ids.filter((id) => rest.includes(id)).length),
      );
      expect(three.ids).toHaveLength(20);
      expect(three.ids.filter((id) => one.ids.includes(id) || two.ids.includes(id))).toEqual([]);
    },
  );

  test.for(stories)(
    'show each row that stays exactly once backwards, when %s',
    async ([, happen, most], { gateway, upstream }) => {
      const list = new MovingUpstream(path, 120);
      upstream.script(list.answer);
      const last = await readPage(gateway, name, { last: 60 });
      const middle = await readPage(gateway, name, { last: 20, before: last.startCursor });
      const rest = list.ids.slice(0, 40);
      takeCalls(upstream);
      happen(list);
      const page = await readPage(gateway, name, { last: 20, before: middle.startCursor });
      expect(takeCalls(upstream).length).toBeLessThanOrEqual(most + 1);
      const stayed = rest.filter((id) => list.ids.includes(id));
      const shown = page.ids.filter((id) => rest.includes(id));
      expect(shown).toEqual(shown.length === 0 ? [] : stayed.slice(-shown.length));
      expect(page.ids.filter((id) => last.ids.includes(id) || middle.ids.includes(id))).toEqual([]);
    },
  );

  test('hold when as many rows have come as have gone', async ({ gateway, upstream }) => {
    const list = new MovingUpstream(path, 120);
    upstream.script(list.answer);
    const one = await readPage(gateway, name, { first: 20 });
    const rest = list.ids.slice(20);
    list.insert(0, 5);
    list.delete(100, 5);
    takeCalls(upstream);
    const two = await readPage(gateway, name, { first: 20, after: one.endCursor });
    expect(two.ids).toEqual(rest.slice(0, 20));
    expect(takeCalls(upstream).length).toBeLessThanOrEqual(2);
  });

  test('end in an empty page when everything is deleted', async ({ gateway, upstream }) => {
    const list = new MovingUpstream(path, 120);
    upstream.script(list.answer);
    const one = await readPage(gateway, name, { first: 20 });
    const two = await readPage(gateway, name, { first: 20, after: one.endCursor });
    takeCalls(upstream);
    list.delete(0, 120);
    const forward = await readPage(gateway, name, { first: 20, after: two.endCursor });
    expect(forward).toMatchObject({ ids: [], hasNextPage: false, startCursor: null, endCursor: null });
    const backward = await readPage(gateway, name, { last: 20, before: two.startCursor });
    expect(backward).toMatchObject({ ids: [], hasPreviousPage: false });
    expect(takeCalls(upstream)).toHaveLength(2);
  });

  test('turn back to where they came from while the list grows', async ({ gateway, upstream }) => {
    const list = new MovingUpstream(path, 120);
    upstream.script(list.answer);
    const one = await readPage(gateway, name, { first: 20 });
    list.insert(0, 2);
    const two = await readPage(gateway, name, { first: 20, after: one.endCursor });
    list.insert(0, 2);
    const back = await readPage(gateway, name, { last: 20, before: two.startCursor });
    expect(back.ids).toEqual(one.ids);
    list.delete(10, 1);
    const again = await readPage(gateway, name, { first: 20, after: back.endCursor });
    expect(again.ids).toEqual(two.ids);
  });

  test('ask for the end of a long list without reading what lies between', async ({ gateway, upstream }) => {
    const list = new MovingUpstream(path, 5000);
    upstream.script(list.answer);
    const one = await readPage(gateway, name, { first: 20 });
    takeCalls(upstream);
    const end = await readPage(gateway, name, { last: 10, after: one.endCursor });
    expect(end.ids).toEqual(list.ids.slice(-10));
    expect(takeCalls(upstream).length).toBeLessThanOrEqual(2);
  });

  test('find a deleted place in a list of thousands in three calls', async ({ gateway, upstream }) => {
    const list = new MovingUpstream(path, 6000);
    upstream.script(list.answer);
    const one = await readPage(gateway, name, { first: 100 });
    const two = await readPage(gateway, name, { first: 100, after: one.endCursor });
    const rest = list.ids.slice(200);
    takeCalls(upstream);
    list.delete(150, 60);
    list.insert(0, 30);
    const three = await readPage(gateway, name, { first: 20, after: two.endCursor });
    expect(three.ids).toEqual(rest.slice(10, 30));
    expect(takeCalls(upstream).length).toBeLessThanOrEqual(3);
  });
});

interface Edit {
  readonly kind: 'insert' | 'delete';
  /** As a share of the list's length; 0 is the head. */
  readonly at: number;
  readonly count: number;
}

const edit: fc.Arbitrary<Edit> = fc.record({
  kind: fc.constantFrom('insert', 'delete'),
  at: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1, noNaN: true })),
  count: fc.integer({ min: 1, max: 15 }),
});

function apply(list: MovingUpstream, { kind, at, count }: Edit): void {
  const index = Math.floor(at * list.rows.length);
  if (kind === 'insert') list.insert(index, count);
  else list.delete(index, count);
}

test('whatever comes and goes between the turns, each row that was there all along is shown exactly once', async ({
  gateway,
  upstream,
}) => {
  const walk = fc.record({
    field: fc.constantFrom(...fields),
    size: fc.integer({ min: 0, max: 90 }),
    pageSize: fc.integer({ min: 1, max: 20 }),
    isForward: fc.boolean(),
    turns: fc.array(fc.array(edit, { maxLength: 4 }), { maxLength: 8 }),
  });
  // A failure prints its seed and path, with which fast-check walks the same way again.
  await fc.assert(
    fc.asyncProperty(walk, async ({ field: { name, path }, size, pageSize, isForward, turns }) => {
      const list = new MovingUpstream(path, size);
      upstream.script(list.answer);
      const always = new Set(list.ids);
      const seen: string[] = [];
      let cursor: string | null = null;
      for (let turn = 0; ; turn++) {
        const page: Page = await readPage(
          gateway,
          name,
          isForward ? { first: pageSize, after: cursor } : { last: pageSize, before: cursor },
        );
        seen.push(...page.ids);
        cursor = isForward ? page.endCursor : page.startCursor;
        if (!(isForward ? page.hasNextPage : page.hasPreviousPage) || cursor === null) break;
        for (const change of turns[turn] ?? []) apply(list, change);
        const now = new Set(list.ids);
        for (const id of always) if (!now.has(id)) always.delete(id);
      }
      expect(seen.filter((id) => always.has(id)).toSorted()).toEqual([...always].toSorted());
    }),
    { numRuns: 150 },
  );
});

describe('a chain of deliveries', () => {
  const name = 'webhookDeliveries';
  const lte = 'filter[started_at][lte]';

  test('is pinned to the newest start of its first page, to the letter, on all later pages', async ({
    gateway,
    upstream,
  }) => {
    const list = new MovingUpstream('/webhook_deliveries', 100);
    const newest = '2026-10-09T08:07:06.123456Z';
    list.rows = list.rows.with(0, { id: 'row-0', started_at: newest });
    upstream.script(list.answer);
    const one = await readPage(gateway, name, { first: 10 });
    const two = await readPage(gateway, name, { first: 10, after: one.endCursor });
    const three = await readPage(gateway, name, { first: 10, after: two.endCursor });
    const back = await readPage(gateway, name, { last: 10, before: three.startCursor });
    await readPage(gateway, name, { last: 10, before: back.startCursor });
    await readPage(gateway, name, { first: 10, after: back.endCursor });
    expect(takeCalls(upstream).map((query) => query[lte])).toEqual([undefined, newest, newest, newest, newest, newest]);
    expect(back.ids).toEqual(two.ids);
  });

  test('takes one call a turn, however many deliveries arrive', async ({ gateway, upstream }) => {
    const list = new MovingUpstream('/webhook_deliveries', 100);
    upstream.script(list.answer);
    const { ids } = list;
    let page = await readPage(gateway, name, { first: 10 });
    const seen = [...page.ids];
    takeCalls(upstream);
    while (page.hasNextPage) {
      list.insert(0, 500);
      page = await readPage(gateway, name, { first: 10, after: page.endCursor });
      seen.push(...page.ids);
      expect(takeCalls(upstream)).toHaveLength(1);
    }
    expect(seen).toEqual(ids);
  });

  test('is left to the bound that the caller has set', async ({ gateway, upstream }) => {
    upstream.script(new MovingUpstream('/webhook_deliveries', 50).answer);
    const bound = '2027-01-01T00:00:00+02:00';
    const filter = { startedAt: { lte: bound } };
    const one = await readPage(gateway, name, { first: 10, filter });
    await readPage(gateway, name, { first: 10, after: one.endCursor, filter });
    expect(takeCalls(upstream).map((query) => query[lte])).toEqual([bound, bound]);
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
      'filter[started_at][gte]': timestampAt(-40_500),
      [lte]: timestampAt(0),
    });
  });

  test('is not pinned where it did not begin at the head', async ({ gateway, upstream }) => {
    const list = new MovingUpstream('/webhook_deliveries', 50);
    upstream.script(list.answer);
    const document = '{ webhookDeliveries(first: 10, offset: 10) { pageInfo { endCursor } } }';
    const { data } = await gateway.query(document);
    const next = await readPage(gateway, name, { first: 10, after: data[name].pageInfo.endCursor });
    const last = await readPage(gateway, name, { last: 10 });
    const previous = await readPage(gateway, name, { last: 10, before: last.startCursor });
    expect([next.ids, previous.ids]).toEqual([list.ids.slice(20, 30), list.ids.slice(30, 40)]);
    expect(takeCalls(upstream).every((query) => query[lte] === undefined)).toBe(true);
  });

  const orders: readonly [string, (index: number) => unknown][] = [
    ['run oldest first', (index) => timestampAt(index)],
    ['run to and fro', (index) => timestampAt(index % 3)],
    ['lack a start', (index) => (index === 4 ? null : timestampAt(-index))],
    ['have starts that are no UTC timestamps', (index) => `2026-10-01T00:00:${String(59 - index)}+02:00`],
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

  test.for([1, 3])(
    'of %i rows of one moment is not pinned: a list that runs oldest first would end there',
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

test('a list without a length still goes on where it was, row by row', async ({ gateway, upstream }) => {
  const list = new MovingUpstream('/ip_connections', 60);
  upstream.script((request) => {
    const { json } = pageReply(list.rows, request) as { json: { data: unknown } };
    return { json: { data: json.data } };
  });
  const { ids } = list;
  const one = await readPage(gateway, 'ipConnections', { first: 20 });
  list.insert(0, 30);
  const two = await readPage(gateway, 'ipConnections', { first: 20, after: one.endCursor });
  list.delete(30, 25);
  const three = await readPage(gateway, 'ipConnections', { first: 20, after: two.endCursor });
  expect([...one.ids, ...two.ids, ...three.ids]).toEqual(ids);
});
