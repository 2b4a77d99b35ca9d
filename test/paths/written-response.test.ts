import { expect, test } from '../support/gateway.ts';
import { writtenFromBytes } from '../support/metrics.ts';
import * as records from '../support/records.ts';
import { pageReply, type Reply, type ScriptedUpstream, type SeenRequest } from '../support/scripted-upstream.ts';

const dates = '(startDate: "2026-10-01", endDate: "2026-10-31")';
const page = 'totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor }';
const queries = {
  connections: `{ ipConnections(first: 3) { ${page} nodes { connectionName id tags inbound { codecs channelLimit } } } }`,
  missions: `{ missions(first: 2) { nodes { metadata createdAt id } ${page} } }`,
  deliveries: `{ webhookDeliveries(first: 2) { ${page} nodes { attempts { http { request { headers { name value } } response { body } } } webhook { payload } } } }`,
  summary: `{ chargesSummary${dates} { total { grandTotal } summary { lines { __typename ... on SimpleLine { amount quantity } ... on ComparativeLine { newThisMonth { otc } } } } } }`,
  derived: `{ webhookDeliveries(first: 2) { edges { node { attemptCount newestAttempt { startedAt errors http { request { url } } }
    nodeId attempts { errors errorDetails { code title __typename } } } cursor } ${page} } }`,
  nodeIds: `{ ipConnections { edges { node { nodeId a: inbound { codecs } b: inbound { channelLimit } } } }
    missions(first: 2) { edges { cursor node { nodeId id } } } }`,
  both: '{ missions(first: 2) { nodes { id } edges { cursor } } }',
  amounts: `{ chargesSummary${dates} { summary { lines { ... on ComparativeLine { name amount } ... on SimpleLine { amount } } } } }`,
  count: `{ missions { totalCount } webhookDeliveries(first: 3) { edges { cursor } pageInfo { endCursor } } }`,
  report: `{ chargesBreakdown${dates} { currency results(first: 2) { nodes { services { cost name } tn } ${page} } } }`,
  proto: `{ __proto__: missions(first: 2) { __proto__: totalCount nodes { __proto__: id } } constructor: missions { totalCount } }`,
  all: `{ a: chargesSummary${dates} { currency } b: missions(first: 1) { nodes { name } } c: ipConnections { nodes { id } } __typename }`,
};

function replyTo(request: SeenRequest): Reply {
  const times = (index: number): string => `2026-10-02T14:0${9 - index}:11Z`;
  const rows = (make: (index: number) => object): Reply =>
    pageReply(
      Array.from({ length: 7 }, (_, index) => make(index)),
      request,
    );
  if (request.path === '/ip_connections')
    return rows((index) =>
      records.ipConnectionRecord({ id: `c${index}`, connection_name: 'Zürich "1" 😀', created_at: times(index) }),
    );
  if (request.path === '/ai/missions')
    return rows((index) => records.missionRecord({ mission_id: `m${index}`, created_at: times(index) }));
  if (request.path === '/charges_summary') return { json: { data: records.chargesSummaryRecord() } };
  if (request.path === '/charges_breakdown') {
    const results = Array.from({ length: 9 }, (_, index) => records.chargesBreakdownResultRecord({ tn: `+1${index}` }));
    return { json: { data: records.chargesBreakdownRecord({ results }) } };
  }
  return rows((index) =>
    records.webhookDeliveryRecord({
      id: `d${index}`,
      started_at: times(index),
      attempts: [
        records.attemptRecord({ errors: [{ code: '075001', title: 'No' }, 7], started_at: '2026-10-02T14:05:11.25Z' }),
        records.attemptRecord({
          started_at: index === 1 ? '2026-10-02T14:05:11.3Z' : null,
          http: {
            request: {
              url: 'x',
              headers: [
                ['A', 'b\t"'],
                ['COOKIE', 'hush'],
                ['X-Cookie', 'shown'],
              ],
            },
          },
        }),
      ],
    }),
  );
}

const pathsOf = ({ requests }: ScriptedUpstream): readonly string[] =>
  requests.map(({ path, rawQuery }) => `${path}?${rawQuery}`);

/** What plans tell: computed fields, sums, rows that are asked for twice, and those of a report. */
const toldByPlans: ReadonlySet<string> = new Set(['derived', 'both', 'amounts', 'report']);

test.for(Object.entries(queries))(
  'a response is the same by bytes, or by plans where these tell it, as it is executed: %s',
  async ([name, query], { upstream, gateway, startWith }) => {
    upstream.script(replyTo);
    const general = await startWith({ COMPILE_OPERATIONS: 'false' });
    const written = await gateway.query(query);
    expect(await writtenFromBytes(gateway)).toBe(toldByPlans.has(name) ? 0 : 1);
    const calls = pathsOf(upstream);
    upstream.requests.length = 0;
    const executed = await general.query(query);
    expect(written.text).toBe(executed.text);
    expect([written.status, written.headers.get('content-type')]).toEqual([
      executed.status,
      executed.headers.get('content-type'),
    ]);
    expect(calls.toSorted()).toEqual(pathsOf(upstream).toSorted());
    expect(written.text).not.toContain('hush');
  },
);

test.for([
  'missions(first: 1) { pageInfo { hasNextPage @skip(if: true) } nodes { id } }',
  'missions(first: 1) { pageInfo { hasNextPage @skip(if: true) } nodes { id @skip(if: true) } totalCount }',
  'webhookDeliveries(first: 1) { nodes { attempts { http @include(if: false) { __typename } } webhook { id @skip(if: true) } } }',
  `chargesBreakdown${dates} { results(first: 1) { pageInfo { endCursor @skip(if: true) } nodes { tn @skip(if: true) } } }`,
  `chargesSummary${dates} { currency @skip(if: true) total { other @skip(if: true) } }`,
  `chargesSummary${dates} { currency @skip(if: true) }`,
])('an object of which every field is skipped is an empty one: %s', async (field, { upstream, gateway, startWith }) => {
  upstream.script(replyTo);
  const general = await startWith({ COMPILE_OPERATIONS: 'false' });
  const written = await gateway.query(`{ ${field} }`);
  expect(await writtenFromBytes(gateway)).toBe(field.startsWith('chargesBreakdown') ? 0 : 1);
  expect(written.text).toBe((await general.query(`{ ${field} }`)).text);
});

test('secrets are written where they are shown', async ({ upstream, startWith }) => {
  upstream.script(replyTo);
  const [exposing, general] = [
    await startWith({ EXPOSE_SECRETS: 'true' }),
    await startWith({ EXPOSE_SECRETS: 'true', COMPILE_OPERATIONS: 'false' }),
  ];
  const query = `{ webhookDeliveries(first: 1) { nodes { attempts { http { request { headers { name value } } } } } }
    ipConnections(first: 1) { nodes { outbound { ipAuthenticationToken ipAuthenticationTokenSet } } } }`;
  const { text } = await exposing.query(query);
  expect(await writtenFromBytes(exposing)).toBe(0);
  expect(text).toContain('hush');
  expect(text).toBe((await general.query(query)).text);
});

test('what a client asks to be told besides stands behind data that are written', async ({ gateway, upstream }) => {
  upstream.script(replyTo);
  const { text, data } = await gateway.query(queries.connections, { headers: { 'x-cost': '1' } });
  expect(await writtenFromBytes(gateway)).toBe(1);
  expect(data.ipConnections.nodes).toHaveLength(3);
  expect(JSON.parse(text).extensions).toEqual({
    cost: { estimated: expect.any(Number), upstreamCalls: 1 },
    rateLimit: null,
  });
});

test('a body is written as it is, wherever it is cut on its way', async ({ gateway, upstream }) => {
  upstream.script(replyTo);
  const { text: expected } = await gateway.query(queries.connections);
  for (const size of [1, 2, 3, 7, 64, 1_000]) {
    upstream.script((request) => {
      const body = Buffer.from(JSON.stringify(replyTo(request).json));
      return {
        act(res) {
          res.writeHead(200, { 'content-type': 'application/json' });
          for (let at = 0; at < body.length; at += size) res.write(body.subarray(at, at + size));
          res.end();
        },
      };
    });
    const { text } = await gateway.query(queries.connections);
    expect(text).toBe(expected);
  }
  expect(await writtenFromBytes(gateway)).toBe(7);
});

test('a value that is not as it should be is an error at its path, and costs no further call', async ({
  gateway,
  upstream,
}) => {
  upstream.script((request) => {
    const { json } = replyTo(request) as { readonly json: { readonly data: object[] } };
    return { json: { ...json, data: json.data.map((row, index) => (index === 1 ? { ...row, tags: 7 } : row)) } };
  });
  const { data, errors } = await gateway.query(queries.connections);
  expect(data.ipConnections.nodes.map(({ tags }: { tags: unknown }) => tags === null)).toEqual([false, true, false]);
  expect(errors).toMatchObject([{ path: ['ipConnections', 'nodes', 1, 'tags'] }]);
  expect(upstream.requests).toHaveLength(1);
  expect(await writtenFromBytes(gateway)).toBe(0);
});

test('the pages of a report come from the one call', async ({ startWith, upstream }) => {
  upstream.script(replyTo);
  const gateway = await startWith({ REPORT_CACHE_MS: '60000' });
  const query = `query ($after: String) { chargesBreakdown${dates} { results(first: 4, after: $after) {
    nodes { tn } pageInfo { endCursor } } } }`;
  const seen: string[] = [];
  let after: string | null = null;
  do {
    const { data, errors } = await gateway.query(query, { variables: { after } });
    expect(errors).toEqual([]);
    const { nodes, pageInfo } = data.chargesBreakdown.results;
    seen.push(...nodes.map(({ tn }: { tn: string }) => tn));
    after = nodes.length < 4 ? null : pageInfo.endCursor;
  } while (after !== null);
  expect(seen).toEqual(Array.from({ length: 9 }, (_, index) => `+1${index}`));
  expect(upstream.requests).toHaveLength(1);
  expect(await writtenFromBytes(gateway)).toBe(0);
});

test('callers whose answers are under way together get their own', async ({ gateway, upstream }) => {
  upstream.script((request) => {
    const key = request.headers.authorization ?? '';
    return { json: { data: [records.missionRecord({ name: key })], meta: { total_results: 1, page_size: 1 } } };
  });
  const query = '{ missions(first: 1) { nodes { name } } }';
  const keys = Array.from({ length: 50 }, (_, index) => `key-${index}-${'x'.repeat(index * 40)}`);
  const answers = await Promise.all(keys.map((key) => gateway.query(query, { key })));
  expect(answers.map(({ data }) => data.missions.nodes[0].name)).toEqual(keys.map((key) => `Bearer ${key}`));
  expect(await writtenFromBytes(gateway)).toBe(50);
});
