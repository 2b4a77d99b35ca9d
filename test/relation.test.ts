import fc from 'fast-check';
import { describe } from 'vitest';
import { startSandbox } from '../src/sandbox/server.ts';
import { expect, startGateway, test, type Gateway } from './support/gateway.ts';
import { attemptAt, failure, MovingUpstream, timestampAt } from './support/moving-upstream.ts';
import type { JsonRecord } from './support/records.ts';
import { startScriptedUpstream, type ScriptedUpstream, type SeenRequest } from './support/scripted-upstream.ts';

const main: string = 'https://hooks.example.com/hooks';
const backup = 'https://backup.example.com/hooks';
const longer = `${main}/eu`;

const contains = 'filter[attempts][contains]';
const lte = 'filter[started_at][lte]';

/** One connection with these addresses, and deliveries, behind one upstream. */
function script(upstream: ScriptedUpstream, urls: readonly (string | null)[], deliveries: MovingUpstream): void {
  const [url, failoverUrl] = urls;
  const connections = new MovingUpstream('/ip_connections', 1, () => ({
    webhook_event_url: url,
    webhook_event_failover_url: failoverUrl,
  }));
  upstream.script((request) => (request.path === connections.path ? connections : deliveries).answer(request));
}

const deliveriesTo = (
  size: number,
  urlsOf: (index: number) => readonly string[],
  startOf?: (index: number) => string | null,
) =>
  new MovingUpstream('/webhook_deliveries', size, (index) => ({
    attempts: urlsOf(index).map((url) => attemptAt(url)),
    ...(startOf !== undefined && { started_at: startOf(index) }),
  }));

interface Page {
  readonly ids: readonly string[];
  readonly endCursor: string | null;
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly totalCount: number | null;
}

interface Turn {
  readonly first?: number;
  readonly after?: string | null;
  readonly filter?: object;
}

const relation = /* GraphQL */ `
  query ($first: Int, $after: String, $filter: WebhookDeliveryFilter) {
    ipConnections(first: 1) {
      nodes {
        webhookDeliveries(first: $first, after: $after, filter: $filter) {
          nodes {
            id
          }
          edges {
            cursor
          }
          pageInfo {
            startCursor
            endCursor
            hasNextPage
            hasPreviousPage
          }
          totalCount
        }
      }
    }
  }
`;

async function readPage(gateway: Gateway, turn: Turn = {}): Promise<Page> {
  const { data, errors } = await gateway.query(relation, { variables: { ...turn } });
  expect(errors).toEqual([]);
  const { nodes, pageInfo, totalCount } = data.ipConnections.nodes[0].webhookDeliveries;
  return { ids: nodes.map(({ id }: { id: string }) => id), ...pageInfo, totalCount };
}

/** All pages, one behind the other; `happen` may change the list between two. */
async function readAll(
  gateway: Gateway,
  turn: Turn,
  happen: (turn: number) => void = () => {},
): Promise<readonly Page[]> {
  const pages = [await readPage(gateway, turn)];
  for (let page = pages[0]; page?.hasNextPage === true && pages.length < 200; page = pages.at(-1)) {
    happen(pages.length);
    expect(page.endCursor).not.toBeNull();
    pages.push(await readPage(gateway, { ...turn, after: page.endCursor }));
  }
  return pages;
}

const idsOf = (pages: readonly Page[]): readonly string[] => pages.flatMap(({ ids }) => ids);

/** What the deliveries' list was asked since the last time. */
function takeCalls(upstream: ScriptedUpstream): readonly SeenRequest['query'][] {
  return upstream.requests
    .splice(0)
    .filter(({ path }) => path === '/webhook_deliveries')
    .map(({ query }) => query);
}

describe('the deliveries of a connection', () => {
  test('are those to exactly its address, whatever the upstream’s filter finds', async ({ gateway, upstream }) => {
    const urls = [main, longer, `${main}?a=1`, `x${main}`, main, `${main}/`, main.toUpperCase()];
    const deliveries = deliveriesTo(70, (index) => [urls[index % urls.length] ?? main]);
    script(upstream, [main, null], deliveries);
    const page = await readPage(gateway, { first: 100 });
    expect(page.ids).toEqual(deliveries.ids.filter((_id, index) => [0, 4].includes(index % 7)));
    expect(page).toMatchObject({ totalCount: 20, hasNextPage: false, hasPreviousPage: false });
    expect(takeCalls(upstream)).toEqual([{ [contains]: main, 'page[number]': '1', 'page[size]': '200' }]);
  });

  test('merge both of its addresses, newest first, each delivery once', async ({ gateway, upstream }) => {
    const tried = [[main], [backup, main], [longer], [backup], [backup, longer]];
    const deliveries = deliveriesTo(50, (index) => tried[index % 5] ?? []);
    script(upstream, [main, backup], deliveries);
    const page = await readPage(gateway, { first: 100 });
    expect(page.ids).toEqual(deliveries.ids.filter((_id, index) => index % 5 !== 2));
    expect(page.totalCount).toBe(40);
    expect(new Set(takeCalls(upstream).map((query) => query[contains]))).toEqual(new Set([main, backup]));
  });

  test('are asked for once where both addresses are the same', async ({ gateway, upstream }) => {
    const deliveries = deliveriesTo(5, () => [main]);
    script(upstream, [main, main], deliveries);
    expect((await readPage(gateway)).ids).toEqual(deliveries.ids);
    expect(takeCalls(upstream)).toHaveLength(1);
  });

  test.for([
    [null, null],
    ['', ''],
    ['', null],
  ])('are none, without a call, where its addresses are %j', async (urls, { gateway, upstream }) => {
    script(
      upstream,
      urls,
      deliveriesTo(5, () => ['']),
    );
    const page = await readPage(gateway);
    expect(page).toEqual({
      ids: [],
      startCursor: null,
      endCursor: null,
      hasNextPage: false,
      hasPreviousPage: false,
      totalCount: 0,
    });
    expect(takeCalls(upstream)).toEqual([]);
  });

  test('are not asked for where they are not selected', async ({ gateway, upstream }) => {
    script(
      upstream,
      [main, backup],
      deliveriesTo(5, () => [main]),
    );
    await gateway.query('{ ipConnections { nodes { id webhookEventUrl } } }');
    expect(takeCalls(upstream)).toEqual([]);
  });

  test('page on over the merge while deliveries come and old ones go, one call an address and turn', async ({
    gateway,
    upstream,
  }) => {
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
    expect(new Set(calls)).toEqual(new Set([2]));
  });

  test('lose none and repeat none where many began in one moment, over all borders of pages', async () => {
    const world = fc.record({
      size: fc.integer({ min: 0, max: 60 }),
      ties: fc.integer({ min: 1, max: 30 }),
      first: fc.integer({ min: 1, max: 20 }),
      salt: fc.nat(),
      urls: fc.constantFrom([main, backup], [main, null], [longer, main]),
    });
    const upstream = await startScriptedUpstream();
    const gateway = await startGateway(upstream.baseUrl);
    await fc.assert(
      fc.asyncProperty(world, async ({ size, ties, first, salt, urls }) => {
        const tried = [[main], [longer, backup], [backup], [longer], [main, backup]];
        const chosen = (index: number): readonly string[] => tried[(index * 7 + salt) % 5] ?? [];
        const deliveries = deliveriesTo(size, chosen, (index) => timestampAt(-Math.floor(index / ties)));
        script(upstream, urls, deliveries);
        const pages = await readAll(gateway, { first }, () => deliveries.insert(0, 2, { attempts: [attemptAt(main)] }));
        const ids = idsOf(pages);
        const known = Array.from({ length: size }, (_, index) => `row-${index}`);
        const expected = known.filter((_id, index) => chosen(index).some((url) => urls.includes(url)));
        expect(ids.filter((id) => known.includes(id)).toSorted()).toEqual(expected.toSorted());
        expect(new Set(ids).size).toBe(ids.length);
      }),
      { numRuns: 100 },
    );
    await gateway.close();
    await upstream.close();
  });

  test('are found behind hundreds of strangers of one moment', async ({ gateway, upstream }) => {
    const deliveries = deliveriesTo(
      900,
      (index) => [index % 100 === 99 ? main : longer],
      (index) => timestampAt(index < 700 ? 0 : -index),
    );
    script(upstream, [main, null], deliveries);
    const ids = idsOf(await readAll(gateway, { first: 2 }));
    expect(ids.toSorted()).toEqual(deliveries.ids.filter((_id, index) => index % 100 === 99).toSorted());
  });

  test('take the caller’s own filters besides', async ({ gateway, upstream }) => {
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
      'filter[started_at][gte]': timestampAt(-50_000),
      [lte]: timestampAt(-3000),
      'filter[finished_at][gte]': '2020-01-01T00:00:00Z',
    });
    // The place where the reader stands takes over from the caller's own bound.
    expect(second).toMatchObject({ 'filter[started_at][gte]': timestampAt(-50_000), [lte]: timestampAt(-24_000) });
  });

  test('are bounded by a filter that is written in the query as by one in a variable', async ({
    gateway,
    upstream,
  }) => {
    script(
      upstream,
      [main],
      deliveriesTo(
        3,
        () => [main],
        (index) => `2026-10-0${index + 1}T00:00:00Z`,
      ),
    );
    const filter = '{ startedAt: { gte: "2026-10-02T00:00:00Z" } }';
    const { data } = await gateway.query(
      `{ ipConnections(first: 1) { nodes { webhookDeliveries(filter: ${filter}) { nodes { startedAt } } } } }`,
    );
    const [{ webhookDeliveries }] = data.ipConnections.nodes;
    expect(webhookDeliveries.nodes.map(({ startedAt }: { startedAt: string }) => startedAt)).toEqual([
      '2026-10-03T00:00:00Z',
      '2026-10-02T00:00:00Z',
    ]);
    expect(upstream.requests.at(-1)?.query).toMatchObject({ 'filter[started_at][gte]': '2026-10-02T00:00:00Z' });
  });

  test('read on behind strangers, a call a page, up to the configured pages; then say that there may be more', async ({
    startWith,
    upstream,
  }) => {
    const gateway = await startWith({ UPSTREAM_SCAN_PAGES: '3' });
    const deliveries = deliveriesTo(4000, (index) => [index % 1000 === 990 ? main : longer]);
    script(upstream, [main, null], deliveries);
    const calls: number[] = [];
    const pages = await readAll(gateway, { first: 2 }, () => calls.push(takeCalls(upstream).length));
    expect(idsOf(pages)).toEqual(['row-990', 'row-1990', 'row-2990', 'row-3990']);
    expect(pages[0]).toMatchObject({ ids: [], hasNextPage: true, totalCount: null });
    expect(Math.max(...calls)).toBe(3);
    // Each page of strangers is read once, but for the rows around the borders.
    expect(calls.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(22);
  });

  test('are whole although deliveries come and go while they are read', async ({ gateway, upstream }) => {
    const deliveries = deliveriesTo(2000, (index) => [index % 200 === 150 ? main : longer]);
    const connections = new MovingUpstream('/ip_connections', 1, () => ({ webhook_event_url: main }));
    upstream.script((request) => {
      if (request.path === connections.path) return connections.answer(request);
      const reply = deliveries.answer(request);
      deliveries.insert(0, 3, { attempts: [attemptAt(longer)] });
      deliveries.delete(10, 9);
      return reply;
    });
    const page = await readPage(gateway, { first: 9 });
    expect(page.ids).toEqual(Array.from({ length: 9 }, (_, index) => `row-${index * 200 + 150}`));
    expect(takeCalls(upstream).length).toBeLessThanOrEqual(9);
  });

  const orders: readonly [string, (index: number) => string | null][] = [
    ['oldest first', (index) => timestampAt(index)],
    ['to and fro', (index) => timestampAt((index * 7) % 300)],
    ['with starts missing', (index) => (index % 50 === 3 ? null : timestampAt(-index))],
  ];

  test.for(orders)('come newest first where the upstream lists them %s', async ([, startOf], { gateway, upstream }) => {
    const deliveries = deliveriesTo(300, (index) => [index % 2 === 0 ? main : longer], startOf);
    script(upstream, [main, null], deliveries);
    const page = await readPage(gateway, { first: 500 });
    const dated = (id: string): string => startOf(Number(id.slice(4))) ?? '';
    expect(page.ids).toHaveLength(150);
    expect(page.ids.map(dated)).toEqual(page.ids.map(dated).toSorted().toReversed());
    expect(page.totalCount).toBe(150);
    expect(takeCalls(upstream).length).toBeLessThanOrEqual(3);
  });

  test('are refused where no order tells how to go on within the configured pages', async ({ startWith, upstream }) => {
    const gateway = await startWith({ UPSTREAM_SCAN_PAGES: '2' });
    script(
      upstream,
      [main, null],
      deliveriesTo(
        1000,
        () => [longer],
        (index) => timestampAt((index * 7) % 300),
      ),
    );
    const { data, errors } = await gateway.query(relation);
    expect(data.ipConnections.nodes).toEqual([{ webhookDeliveries: null }]);
    expect(errors).toMatchObject([
      {
        path: ['ipConnections', 'nodes', 0, 'webhookDeliveries'],
        extensions: { code: 'QUERY_TOO_COMPLEX', limit: 500, actual: 501 },
      },
    ]);
  });

  test('have a length where all of them have been read, and none where there is more', async ({
    gateway,
    upstream,
  }) => {
    script(
      upstream,
      [main, null],
      deliveriesTo(30, () => [main]),
    );
    const one = await readPage(gateway, { first: 20 });
    const two = await readPage(gateway, { first: 20, after: one.endCursor });
    expect([one.totalCount, two.totalCount]).toEqual([30, null]);
    script(
      upstream,
      [main, null],
      deliveriesTo(3000, () => [main]),
    );
    expect((await readPage(gateway, { first: 20 })).totalCount).toBeNull();
  });

  test('survive items that are no records, and attempts of any shape', async ({ gateway, upstream }) => {
    const deliveries = deliveriesTo(3, () => [main]);
    const odd: unknown[] = [
      null,
      { id: 'a' },
      { id: 'b', attempts: null },
      { id: 'c', attempts: [null, {}, { http: null }] },
    ];
    deliveries.rows = [...deliveries.rows.slice(0, 1), ...(odd as JsonRecord[]), ...deliveries.rows.slice(1)];
    const connections = new MovingUpstream('/ip_connections', 1, () => ({ webhook_event_url: main }));
    upstream.script((request) =>
      request.path === connections.path
        ? connections.answer(request)
        : { json: { data: deliveries.rows, meta: { total_results: 7, page_size: 100 } } },
    );
    expect((await readPage(gateway)).ids).toEqual(['row-0', 'row-1', 'row-2']);
  });

  test('fail alone, beside the connection’s other fields', async ({ gateway, upstream }) => {
    const connections = new MovingUpstream('/ip_connections', 2, (index) => ({
      webhook_event_url: index === 0 ? main : backup,
    }));
    const deliveries = deliveriesTo(3, () => [backup]);
    upstream.script((request) => {
      if (request.path === connections.path) return connections.answer(request);
      return request.query[contains] === main ? failure : deliveries.answer(request);
    });
    const { data, errors } = await gateway.query(
      '{ ipConnections { nodes { id webhookDeliveries { nodes { id } } } } }',
    );
    expect(data.ipConnections.nodes).toEqual([
      { id: 'row-0', webhookDeliveries: null },
      { id: 'row-1', webhookDeliveries: { nodes: deliveries.ids.map((id) => ({ id })) } },
    ]);
    expect(errors.map(({ path, extensions }) => [path, extensions.code])).toEqual([
      [['ipConnections', 'nodes', 0, 'webhookDeliveries'], 'UPSTREAM_ERROR'],
    ]);
  });

  test.for([{ first: -1 }, { first: 501 }])('refuse %j, and ask nothing', async (turn, { gateway, upstream }) => {
    script(
      upstream,
      [main, null],
      deliveriesTo(3, () => [main]),
    );
    const { errors } = await gateway.query(relation, { variables: turn });
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', argument: ['first'] } }]);
    expect(takeCalls(upstream)).toEqual([]);
  });
});

describe('the connection of a delivery', () => {
  const document = '{ webhookDeliveries(first: 50) { nodes { id ipConnection { id } } } }';

  test('is the one owner of the newest attempt’s address, with one scan for a whole page', async ({
    gateway,
    upstream,
  }) => {
    const shared = 'https://shared.example.com/';
    const owner = (index: number): JsonRecord => {
      if (index === 600) return { webhook_event_url: main, webhook_event_failover_url: main };
      if (index === 601) return { webhook_event_url: longer, webhook_event_failover_url: backup };
      return { webhook_event_url: shared };
    };
    const connections = new MovingUpstream('/ip_connections', 700, owner);
    const attempts: readonly (readonly JsonRecord[])[] = [
      [attemptAt(main)],
      [attemptAt(backup, timestampAt(2)), attemptAt(main, timestampAt(1))],
      // Newest by its start, though not the first.
      [attemptAt(main, timestampAt(1)), attemptAt(longer, timestampAt(2))],
      [attemptAt(shared)],
      [attemptAt('https://nobody.example.com/')],
      [],
    ];
    const deliveries = new MovingUpstream('/webhook_deliveries', 30, (index) => ({ attempts: attempts[index % 6] }));
    upstream.script((request) => (request.path === connections.path ? connections : deliveries).answer(request));
    const { data, errors } = await gateway.query(document);
    expect(errors).toEqual([]);
    const owners = ['row-600', 'row-601', 'row-601', null, null, null];
    expect(data.webhookDeliveries.nodes.map((node: any) => node.ipConnection?.id ?? null)).toEqual(
      Array.from({ length: 30 }, (_, index) => owners[index % 6]),
    );
    expect(upstream.requests.map(({ path }) => path).toSorted()).toEqual([
      ...Array(3).fill('/ip_connections'),
      '/webhook_deliveries',
    ]);
  });

  test('costs nothing where no attempt went anywhere', async ({ gateway, upstream }) => {
    const deliveries = new MovingUpstream('/webhook_deliveries', 4, (index) => ({ attempts: [null, [], [{}]][index] }));
    upstream.script(deliveries.answer);
    const { data, errors } = await gateway.query(document);
    expect(errors).toEqual([]);
    expect(data.webhookDeliveries.nodes.every((node: any) => node.ipConnection === null)).toBe(true);
    expect(upstream.requests).toHaveLength(1);
  });

  test('is told although connections come and go while they are read', async ({ gateway, upstream }) => {
    const connections = new MovingUpstream('/ip_connections', 500, (index) => ({
      webhook_event_url: `https://${index}.example.com/`,
    }));
    const urls = ['https://249.example.com/', 'https://250.example.com/', 'https://499.example.com/'];
    const deliveries = new MovingUpstream('/webhook_deliveries', 3, (index) => ({
      attempts: [attemptAt(urls[index] ?? '')],
    }));
    for (const change of [() => connections.insert(0, 1), () => connections.delete(0, 1)]) {
      let hasChanged = false;
      upstream.script((request) => {
        if (request.path !== connections.path) return deliveries.answer(request);
        const reply = connections.answer(request);
        if (!hasChanged) change();
        hasChanged = true;
        return reply;
      });
      const { data, errors } = await gateway.query(document);
      expect(errors).toEqual([]);
      expect(data.webhookDeliveries.nodes.map((node: any) => node.ipConnection?.id)).toEqual([
        'row-249',
        'row-250',
        'row-499',
      ]);
    }
  });

  test('is refused where there are more connections than may be looked through', async ({ startWith, upstream }) => {
    const gateway = await startWith({ UPSTREAM_SCAN_PAGES: '1' });
    const connections = new MovingUpstream('/ip_connections', 251, () => ({ webhook_event_url: main }));
    const deliveries = deliveriesTo(2, () => [main]);
    upstream.script((request) => (request.path === connections.path ? connections : deliveries).answer(request));
    const { data, errors } = await gateway.query(document);
    expect(data.webhookDeliveries.nodes).toEqual([
      { id: 'row-0', ipConnection: null },
      { id: 'row-1', ipConnection: null },
    ]);
    expect(errors.map(({ extensions: { code, limit, actual } }) => [code, limit, actual])).toEqual([
      ['QUERY_TOO_COMPLEX', 250, 251],
      ['QUERY_TOO_COMPLEX', 250, 251],
    ]);
  });
});

const fifty = /* GraphQL */ `
  {
    ipConnections(first: 50) {
      nodes {
        id
        webhookEventUrl
        webhookEventFailoverUrl
        webhookDeliveries(first: 5) {
          nodes {
            id
            attempts {
              http {
                request {
                  url
                }
              }
            }
          }
        }
      }
    }
  }
`;

interface Owner {
  readonly webhookEventUrl: string | null;
  readonly webhookEventFailoverUrl: string | null;
  readonly webhookDeliveries: { readonly nodes: readonly { readonly attempts: readonly any[] | null }[] };
}

const urlsOf = ({ webhookEventUrl, webhookEventFailoverUrl }: Owner): readonly string[] =>
  [webhookEventUrl, webhookEventFailoverUrl].filter((url) => url !== null);

describe('fifty connections with five deliveries each', () => {
  test('take no more calls than there are distinct addresses', async ({ gateway, upstream }) => {
    const urls = Array.from({ length: 20 }, (_, index) => `https://${index}.example.com/`);
    const connections = new MovingUpstream('/ip_connections', 50, (index) => ({
      webhook_event_url: urls[index % 20],
      webhook_event_failover_url: index % 3 === 0 ? urls[(index + 1) % 20] : null,
    }));
    const deliveries = deliveriesTo(2000, (index) => [urls[index % 20] ?? '']);
    upstream.script((request) => (request.path === connections.path ? connections : deliveries).answer(request));
    const { data, errors } = await gateway.query(fifty);
    expect(errors).toEqual([]);
    for (const { webhookDeliveries } of data.ipConnections.nodes as Owner[])
      expect(webhookDeliveries.nodes).toHaveLength(5);
    const calls = takeCalls(upstream);
    expect(calls.map((query) => query[contains]).toSorted()).toEqual(urls.toSorted());
  });

  test('do so over the sandbox, where they share some', async () => {
    const sandbox = await startSandbox({ port: 0, host: '127.0.0.1' });
    const gateway = await startGateway(sandbox.baseUrl);
    const { data, errors } = await gateway.query(fifty, { key: 'sandbox-key' });
    expect(errors).toEqual([]);
    const owners: readonly Owner[] = data.ipConnections.nodes;
    expect(owners).toHaveLength(50);
    for (const owner of owners) {
      for (const { attempts } of owner.webhookDeliveries.nodes) {
        expect(attempts?.some((attempt) => urlsOf(owner).includes(attempt.http?.request?.url))).toBe(true);
      }
    }
    const line = gateway.log.map((text) => JSON.parse(text)).find((entry) => 'upstreamCalls' in entry);
    const distinct = new Set(owners.flatMap(urlsOf)).size;
    expect(line.upstreamCalls).toBeLessThanOrEqual(1 + distinct);
    await gateway.close();
    await sandbox.close();
  });
});
