import { getIntrospectionQuery } from 'graphql';
import { defaultPageSize, historyMonths, largestPageSize, nodesPerField } from '../../src/bounds.ts';
import { createSchema } from '../../src/resources/schema.ts';
import { costOf as costOfField, setCosts, someCalls } from '../../src/limits/field-cost.ts';
import { listIpConnections } from '../../src/resources/ip-connection.ts';
import { describe, expect, testOfFile as test, type Gateway, type QueryOptions } from '../support/gateway.ts';
import * as records from '../support/records.ts';
import { pageReply } from '../support/scripted-upstream.ts';
import { selectionOf } from '../support/records.ts';

const many = (count: number, make: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => make(index)).join(' ');
const showCost = { 'x-cost': '1' };
const all = `{ edges { cursor node ${selectionOf(records.ipConnectionRecord()).replace('ipAuthenticationToken ', '')} } nodes ${selectionOf(records.ipConnectionRecord())} pageInfo { endCursor } totalCount }`;
const deliveries = selectionOf(records.webhookDeliveryRecord());

async function costOf(gateway: Gateway, document: string, options: QueryOptions = {}) {
  const { text } = await gateway.query(document, { key: null, ...options, headers: showCost });
  return JSON.parse(text).extensions?.cost as { estimated: number; upstreamCalls: number } | undefined;
}

describe('the cost of an operation', () => {
  const searched = 60;
  const usualServices = 20;
  const report = 2_048;
  const months = historyMonths + 1;
  const fullCalls = Math.ceil(largestPageSize / listIpConnections.pageLimit);
  test.for<[document: string, calls: number, objects: number]>([
    ['{ missions { totalCount } }', 1, 1],
    ['{ missions { nodes { id } } }', 1, 1 + defaultPageSize],
    ['{ missions(first: 7) { edges { node { id } } } }', 1, 15],
    [`{ ipConnections(first: ${largestPageSize}) { nodes { id } } }`, fullCalls, 1 + largestPageSize],
    [`{ ipConnections(first: ${largestPageSize}, offset: 1) { nodes { id } } }`, fullCalls + 1, 1 + largestPageSize],
    ['{ ipConnections(last: 10) { nodes { id } } }', 3, 11],
    ['{ ipConnections(first: -1) { nodes { id } } }', 1, 1],
    ['{ a: missions { totalCount } b: missions { totalCount } }', 2, 2],
    ['{ ...A ...A } fragment A on Query { missions { totalCount } }', 2, 2],
    ['{ missions(first: 5) { ...A } } fragment A on MissionConnection { nodes { id } }', 1, 6],
    ['{ ipConnection(id: "a") { id } }', searched, 1],
    ['{ a: ipConnection(id: "a") { id } b: ipConnection(id: "b") { id } }', searched, 2],
    ['{ webhookDeliveries(first: 3) { nodes { ipConnection { id } } } }', 1 + searched, 7],
    [
      '{ ipConnections(first: 3) { nodes { webhookDeliveries(first: 2) { nodes { id } } } } }',
      1 + 3 * 120 + searched,
      1 + 3 * 4,
    ],
    ['{ nodes(nodeIds: ["no", "nodeId"]) { nodeId } }', 0, 2],
    ['{ _entities(representations: [{ __typename: "Mission", id: "a" }]) { ... on Mission { id } } }', searched, 1],
    ['{ chargesHistory(startDate: "2025-01-01", endDate: "2026-01-01") { currency } }', months, months],
    ['{ chargesSummary(startDate: "2026-10-01", endDate: "2026-11-01") { previous { previous { currency } } } }', 3, 3],
    [
      '{ chargesHistoryByService(startDate: "2025-01-01", endDate: "2026-01-01") { months { endDate } services { name } } }',
      months,
      1 + months + usualServices,
    ],
    [
      '{ chargesBreakdown(startDate: "2026-10-01") { results(first: 9) { nodes { services { cost } } } } }',
      1,
      20 + report,
    ],
    ['{ chargesBreakdownCsv(startDate: "2026-10-01") { url } }', 1, 1 + report],
    ['{ __schema { types { name } } }', 0, 2_000],
    ['{ __type(name: "Mission") { name } }', 0, 2_000],
    [getIntrospectionQuery(), 0, 8_000],
    ['{ _service { sdl } }', 0, 4_001],
  ])('%s is %i calls and %i objects at most', async ([document, calls, objects], { gateway, upstream }) => {
    expect(await costOf(gateway, document)).toEqual({ estimated: calls + objects, upstreamCalls: 0 });
    expect(upstream.requests).toEqual([]);
  });

  test('counts variables, their defaults and what they leave out', async ({ gateway }) => {
    const document =
      'query ($first: Int = 7, $yes: Boolean = true) { missions(first: $first) @include(if: $yes) { nodes { id } } }';
    const given = [{}, { first: 100 }, { first: null }, { yes: false }];
    const costs = await Promise.all(given.map((variables) => costOf(gateway, document, { variables })));
    expect(costs.map((cost) => cost?.estimated)).toEqual([9, 102, 2 + defaultPageSize, 0]);
  });

  test('follows UPSTREAM_SCAN_PAGES and UPSTREAM_LOOKUP', async ({ startWith }) => {
    const list = await startWith({ UPSTREAM_SCAN_PAGES: '7' });
    expect(await costOf(list, '{ mission(id: "a") { id } }')).toMatchObject({ estimated: 8 });
    const retrieve = await startWith({ UPSTREAM_LOOKUP: 'retrieve' });
    const document = '{ a: mission(id: "a") { id } b: mission(id: "b") { id } }';
    expect(await costOf(retrieve, document)).toMatchObject({ estimated: 4 });
  });
});

test('an operation beyond LIMIT_COST is refused before any call', async ({ startWith, upstream }) => {
  const gateway = await startWith({ LIMIT_COST: String(2 + defaultPageSize) });
  upstream.script((request) => pageReply([records.missionRecord()], request));
  expect((await gateway.query('{ missions { nodes { id } } }')).errors).toEqual([]);
  upstream.requests.length = 0;
  const document = 'query ($first: Int) { missions(first: $first) { nodes { id } } }';
  for (const [accept, status] of [
    ['application/json', 200],
    ['application/graphql-response+json', 400],
  ] as const) {
    const variables = { first: defaultPageSize + 1 };
    const response = await gateway.query(document, { variables, headers: { accept, ...showCost } });
    expect(response.status).toBe(status);
    const [limit, actual] = [2 + defaultPageSize, 3 + defaultPageSize];
    const message = `the limit for cost: ${actual} calls and objects, where ${limit} are allowed`;
    const fault = { code: 'QUERY_TOO_COMPLEX', retryable: false, limit, actual, requestId: expect.any(String) };
    expect(JSON.parse(response.text)).toEqual({
      errors: [{ message: expect.stringContaining(message), extensions: fault }],
      extensions: { cost: { estimated: actual, upstreamCalls: 0 }, rateLimit: null },
    });
  }
  expect(upstream.requests).toEqual([]);
});

test.for([
  'ipConnections(first: 500) { nodes { webhookDeliveries(first: 1) { nodes { id } } } }',
  many(50, (index) => `a${index}: ipConnections(first: 500) { nodes { id inbound { sipRegion } } }`),
  `__schema { types { fields { ${many(90, (index) => `a${index}: description`)} } } }`,
  `_service { ${many(5, (index) => `a${index}: sdl`)} }`,
])('refuses by default: { %s }', async (selection, { gateway, upstream }) => {
  const { errors } = await gateway.query(`{ ${selection} }`);
  expect(errors).toMatchObject([{ extensions: { code: 'QUERY_TOO_COMPLEX', limit: 20_000 } }]);
  expect(upstream.requests).toEqual([]);
});

test('introspection costs by what it selects, and each alias repeats a part of the schema', async ({ gateway }) => {
  const namesOf = (names: number): string =>
    `{ __schema { types { fields { name ${many(names, (index) => `a${index}: name`)} } } } }`;
  expect((await costOf(gateway, namesOf(0)))!.estimated).toBe(2_000);
  expect((await costOf(gateway, namesOf(3)))!.estimated).toBe(6_500);
  const nested = '{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }';
  expect((await gateway.query(nested, { key: null })).errors).toMatchObject([
    { message: 'Maximum introspection depth exceeded', extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } },
  ]);
});

describe('a report', () => {
  const reports = (count: number, periodOf: (index: number) => string): string => {
    const field = (index: number): string =>
      `a${index}: chargesBreakdown(startDate: "${periodOf(index)}") { results(first: 1) { totalCount } }`;
    return `{ ${many(count, field)} }`;
  };
  const dayOf = (index: number): string => `2026-10-${String(index + 1).padStart(2, '0')}`;

  test('weighs as much as the largest may, once for each period', async ({ gateway, upstream }) => {
    expect(await costOf(gateway, reports(9, dayOf))).toMatchObject({ estimated: 9 * (2_048 + 3) });
    const ofOneDay = reports(30, () => dayOf(0));
    expect(await costOf(gateway, ofOneDay)).toMatchObject({ estimated: 2_048 + 30 * 3 });
    for (const document of [reports(10, dayOf), reports(30, dayOf)])
      expect((await gateway.query(document)).errors).toMatchObject([
        { extensions: { code: 'QUERY_TOO_COMPLEX', limit: 20_000 } },
      ]);
    expect(upstream.requests).toEqual([]);
  });

  test.for([
    [{ UPSTREAM_MAX_BODY_BYTES: '1048576' }, 64],
    [{ UPSTREAM_MAX_BODY_BYTES: '1024' }, 1],
    // However large a report may be, there is room for some.
    [{ UPSTREAM_MAX_BODY_BYTES: '536870912' }, 5_000],
    [{ LIMIT_COST: '100' }, 25],
  ] as const)('weighs by the settings: %j', async ([settings, weight], { startWith }) => {
    const gateway = await startWith(settings);
    expect(await costOf(gateway, reports(1, dayOf))).toMatchObject({ estimated: weight + 3 });
  });
});

// The examples of GraphiQL: pages/explorer.test.ts.
const welcome: Readonly<Record<string, string>> = {
  "GraphiQL's introspection": getIntrospectionQuery({
    specifiedByUrl: true,
    directiveIsRepeatable: true,
    schemaDescription: true,
    inputValueDeprecation: true,
    oneOf: true,
  }),
  'the largest page with all fields, and the next one': `{ ipConnections(first: ${largestPageSize}, after: "x") ${all} }`,
  'the largest page of deliveries with all fields, and whose they are': `{ webhookDeliveries(first: ${largestPageSize}) { nodes ${deliveries.slice(0, -1)} ipConnection { id } } } }`,
  '5 deliveries of each of 50 connections': `{ ipConnections(first: 50) { nodes { id webhookDeliveries(first: 5) { nodes ${deliveries} } } } }`,
  '200 references': `{ _entities(representations: [${many(200, (index) => `{ __typename: "${['IpConnection', 'Mission', 'WebhookDelivery'][index % 3]}", id: "${index}" }`)}]) { ... on IpConnection { id connectionName } ... on Mission { id name } ... on WebhookDelivery { id status } } }`,
  'as many nodes as one field takes': `{ nodes(nodeIds: [${many(nodesPerField, (index) => `"${index}"`)}]) { nodeId } }`,
  'a look-up of 50 at once': `{ ${many(50, (index) => `a${index}: ipConnection(id: "${index}") { id connectionName }`)} }`,
};

test.for(Object.entries(welcome))('lets %s through by default', async ([, document], { gateway }) => {
  const { errors } = await gateway.query(document, { key: null });
  const codes = new Set(errors.map(({ extensions }) => extensions.code));
  expect([...codes].filter((code) => code !== 'UNAUTHENTICATED' && code !== 'BAD_USER_INPUT')).toEqual([]);
});

test('every field of Query has a cost, and no other field can have one', () => {
  const schema = createSchema();
  const fields = Object.values(schema.getQueryType()?.getFields() ?? {});
  expect(fields.filter((field) => costOfField(field) === undefined).map(({ name }) => name)).toEqual(['_service']);
  expect(() => setCosts(schema, { 'Query.nothing': someCalls(1) })).toThrow('The schema has no field Query.nothing');
});
