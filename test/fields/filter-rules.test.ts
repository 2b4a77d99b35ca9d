import { subscribe } from '../support/streams.ts';
import { describe, expect, testOfFile as test } from '../support/gateway.ts';
import { chargesBreakdownRecord, ipConnectionRecord, webhookDeliveryRecord } from '../support/records.ts';
import { pageReply } from '../support/scripted-upstream.ts';

describe('an empty text in a filter', () => {
  const fields = [
    'webhookDeliveries(filter: { connectionId: "" }) { totalCount }',
    'webhookDeliveries(filter: { startedAt: { lte: "" } }) { edges { cursor } }',
    'ipConnections(filter: { tags: { contains: "" } }) { nodes { id } }',
    'ipConnections(filter: { connectionName: { contains: "" }, fqdn: "" }) { nodes { id } }',
    'deliveryFailures(filter: { connectionId: "" }) { examined }',
    'chargesBreakdown(startDate: "2026-10-01") { results(filter: { tn: { contains: "" } }) { totalCount } }',
  ];

  const selections = fields.flatMap((field) => ['', '__schema { __typename } '].map((also) => also + field));
  test.for(selections)('asks for nothing, and costs nothing: %s', async (given, { gateway, upstream }) => {
    const rows = [webhookDeliveryRecord({ status: 'failed' })];
    upstream.script((request) =>
      request.path === '/charges_breakdown' ? { json: { data: chargesBreakdownRecord() } } : pageReply(rows, request),
    );
    const ask = async (selected: string) => {
      const headers = { 'x-cost': '1' };
      const { data, errors, text } = await gateway.query(`{ ${selected} }`, { headers });
      expect(errors).toEqual([]);
      const { cost } = JSON.parse(text).extensions;
      return { data, cost, calls: upstream.requests.splice(0).map(({ path, rawQuery }) => path + rawQuery) };
    };
    expect(await ask(given)).toEqual(await ask(given.replace(/\(filter: .*?\}\) \{/, ' {')));
  });
});

describe('a part of a name', () => {
  const ask =
    'query ($part: String) { ipConnections(filter: { connectionName: { contains: $part } }) { nodes { id } } }';

  test.for(['ab', '😀😀', '\u00a0x'])('%j is too short to look for', async (part, { gateway, upstream }) => {
    for (const document of [ask, ask.replace('{ ipConn', '{ __schema { __typename } ipConn')]) {
      const { errors } = await gateway.query(document, { variables: { part } });
      expect(errors).toMatchObject([
        {
          message: 'Type at least 3 characters of the name: the platform does not look for fewer.',
          path: ['ipConnections'],
          extensions: { code: 'BAD_USER_INPUT', argument: ['filter', 'connectionName', 'contains'] },
        },
      ]);
    }
    expect(upstream.requests).toEqual([]);
  });

  test.for(['abc', '😀😀😀', '', null])('%j is looked for', async (part, { gateway, upstream }) => {
    upstream.script((request) => pageReply([], request));
    await gateway.data(ask, { variables: { part } });
    const parts = upstream.requests.map(({ query }) => query['filter[connection_name][contains]'] ?? '');
    expect(parts).toEqual([part ?? '']);
  });
});

describe('user information in the address of an attempt', () => {
  const addresses: readonly (readonly [string, string])[] = [
    ['https://user:secret@hooks.example.com/voice', 'https://[redacted]@hooks.example.com/voice'],
    ['HTTPS://a:secret@b@hooks.example.com/x', 'HTTPS://[redacted]@hooks.example.com/x'],
    ['//user:secret@hooks.example.com/', '//[redacted]@hooks.example.com/'],
    ['https:\\\\user:secret@hooks.example.com/', 'https:\\\\[redacted]@hooks.example.com/'],
    ['ht\ntps:/\t/user:secret@hooks.example.com/', 'https://[redacted]@hooks.example.com/'],
    ['https://%75:secret%40@hooks.example.com/?to=a@b', 'https://[redacted]@hooks.example.com/?to=a@b'],
  ];
  const without = ['https://hooks.example.com/@me', 'https://hooks.example.com/?to=a@b.example', 'no address', ''];
  const deliveryTo = (url: string) =>
    webhookDeliveryRecord({ id: 'd1', status: 'failed', attempts: [{ http: { request: { url } } }] });
  const fields = 'nodes { attempts { http { request { url } } } }';
  const queries = [
    `{ webhookDeliveries { ${fields} } }`,
    `{ webhookDeliveries { ${fields} pageInfo { endCursor } } m: webhookDelivery(id: "d1") { id } }`,
    `{ __schema { __typename } webhookDeliveries { ${fields} } }`,
  ];

  const all = [...addresses, ...without.map((url) => [url, url] as const)];
  test.for(all)('of %j is hidden', async ([url, shown], { gateway, upstream, startWith }) => {
    upstream.script((request) => pageReply([deliveryTo(url)], request));
    const exposing = await startWith({ EXPOSE_SECRETS: 'true' });
    for (const query of queries) {
      const { data, text } = await gateway.query(query);
      expect(data.webhookDeliveries.nodes[0].attempts[0].http.request.url).toBe(shown);
      expect(text).not.toContain('secret');
      const exposed = await exposing.query(query);
      expect(exposed.data.webhookDeliveries.nodes[0].attempts[0].http.request.url).toBe(url);
    }
    const { data, text } = await gateway.query(
      '{ deliveryFailures { groups { address newest { attempts { http { request { url } } } } } } }',
    );
    expect(data.deliveryFailures.groups[0].newest.attempts[0].http.request.url).toBe(shown);
    expect(text).not.toContain('secret');
  });

  test('is hidden in events', async ({ startWith, upstream }) => {
    const [url = '', shown] = addresses[0] ?? [];
    let hasCome = false;
    upstream.script((request) => pageReply(hasCome ? [deliveryTo(url)] : [], request));
    const gateway = await startWith({ SUBSCRIPTION_POLL_MS: '5' });
    const documents = [
      `subscription { webhookDeliveries { attempts { http { request { url } } } } }`,
      `subscription { deliveryFeed { ... on DeliveryArrived { delivery { attempts { http { request { url } } } } } } }`,
    ];
    const streams = await Promise.all(documents.map((document) => subscribe(gateway, document)));
    await expect.poll(() => upstream.requests.length).toBeGreaterThan(2);
    hasCome = true;
    for (const stream of streams) {
      await expect.poll(() => JSON.stringify(stream.events)).toContain(shown);
      expect(JSON.stringify(stream.events)).not.toContain('secret');
      stream.close();
    }
  });
});

test('connections ordered by ACTIVE of one value keep their order', async ({ gateway, upstream }) => {
  const rows = Array.from({ length: 9 }, (_, index) =>
    ipConnectionRecord({ id: `c${(index * 7) % 9}`, active: index > 3, created_at: '2026-01-15T09:30:00Z' }),
  );
  upstream.script((request) => pageReply(rows, request));
  const page =
    'query ($after: String) { ipConnections(first: 2, after: $after, orderBy: { field: ACTIVE }) { nodes { id } pageInfo { hasNextPage endCursor } } }';
  const seen: string[] = [];
  for (let after: string | null = null, more = true; more;) {
    const { data } = await gateway.query(page, { variables: { after } });
    seen.push(...data.ipConnections.nodes.map(({ id }: { id: string }) => id));
    ({ endCursor: after, hasNextPage: more } = data.ipConnections.pageInfo);
  }
  expect(seen).toEqual(rows.map(({ id }) => id));
  expect(new Set(upstream.requests.map(({ query }) => query['sort']))).toEqual(new Set(['active']));
});
