import { describe } from 'vitest';
import { subscribe } from '../../support/event-stream.ts';
import { expect, judge, test, type Gateway } from '../../support/gateway.ts';
import { GrowingDeliveries } from '../../support/growing-deliveries.ts';
import * as records from '../../support/records.ts';
import { pageReply, type Script } from '../../support/scripted-upstream.ts';
import { violationLines, violationsIn } from '../../support/metrics.ts';

const range = '(startDate: "2026-10-01", endDate: "2026-11-01")';
const rows =
  (...data: readonly unknown[]): Script =>
  (request) =>
    pageReply(data, request);
const summary =
  (fields: records.JsonRecord): Script =>
  () => ({ json: { data: records.chargesSummaryRecord(fields) } });
const lines = (...all: readonly unknown[]): Script => summary({ summary: { lines: all, adjustments: [] } });
const attempt = (fields: records.JsonRecord): Script =>
  rows(records.webhookDeliveryRecord({ attempts: [records.attemptRecord(fields)] }));

interface Case {
  readonly what: string;
  readonly query: string;
  readonly script: Script;
  readonly counted: Readonly<Record<string, number>>;
}

const cases: readonly Case[] = [
  {
    what: 'a value of another type',
    query: '{ ipConnections { nodes { id createdAt } } }',
    script: rows({ id: 'a', created_at: 7 }, { id: 'b', created_at: null }, { id: 'c', created_at: 'canary' }),
    counted: { 'IpConnection.createdAt wrong_type': 2 },
  },
  {
    what: 'fields whose wire names follow no rule',
    query: '{ ipConnections { nodes { inbound { timeout1xxSecs timeout2xxSecs } } } missions { nodes { id } } }',
    script: (request) =>
      request.path === '/ai/missions'
        ? pageReply([{ mission_id: true }], request)
        : pageReply([{ inbound: { timeout_1xx_secs: 'canary', timeout_2xx_secs: 1.5 } }], request),
    counted: {
      'IpConnectionInbound.timeout1xxSecs wrong_type': 1,
      'IpConnectionInbound.timeout2xxSecs wrong_type': 1,
      'Mission.id wrong_type': 1,
    },
  },
  {
    what: 'each bad item of a list, and a list that is none',
    query: '{ ipConnections { nodes { tags } } }',
    script: rows({ tags: ['a', null, 7, 'b', {}] }, { tags: 'canary' }),
    counted: { 'IpConnection.tags missing': 1, 'IpConnection.tags wrong_type': 3 },
  },
  {
    what: 'rows that are none, once although nodes and edges both show them',
    query: '{ ipConnections { nodes { id } edges { node { id active } } } }',
    script: rows({ id: 'a' }, null, 'canary'),
    counted: { 'IpConnectionConnection.nodes missing': 1, 'IpConnectionConnection.nodes wrong_type': 1 },
  },
  {
    what: 'rows that are none, of edges alone',
    query: '{ ipConnections { edges { node { id } } } }',
    script: rows({ id: 'a' }, 'canary'),
    counted: { 'IpConnectionEdge.node wrong_type': 1 },
  },
  {
    what: 'a value once, however often it is selected',
    query:
      '{ ipConnections { nodes { a: active b: active } edges { node { active } } } other: ipConnections { nodes { active } } }',
    script: rows({ active: 'canary' }),
    counted: { 'IpConnection.active wrong_type': 1 },
  },
  {
    what: 'an identifier once, by itself and within the nodeId',
    query: '{ ipConnections { nodes { id nodeId } } }',
    script: rows({ id: 7.5 }),
    counted: { 'IpConnection.id wrong_type': 1 },
  },
  {
    what: 'a row without the identifier that its nodeId needs',
    query: '{ ipConnections { nodes { id nodeId } } }',
    script: rows({}),
    counted: { 'IpConnection.id missing': 1 },
  },
  {
    what: 'null where the schema promises a value',
    query: `{ chargesSummary${range} { currency } }`,
    script: summary({ currency: null }),
    counted: { 'ChargesSummary.currency missing': 1 },
  },
  {
    what: 'summary lines of a type that nobody knows, or of none',
    query: `{ chargesSummary${range} { summary { lines { ... on ServiceLine { name } } } } }`,
    script: lines({ type: 'canary' }, { type: 7 }, {}, records.simpleLine()),
    counted: {
      'ServiceLine.type unknown_value': 1,
      'ServiceLine.type wrong_type': 1,
      'ServiceLine.type missing': 1,
    },
  },
  {
    what: 'what cannot be added up',
    query: `{ chargesSummary${range} { summary { lines { ... on ServiceLine { amount } } } } }`,
    script: lines(
      records.comparativeLine({ new_this_month: { quantity: 1, mrc: '1e999999' } }),
      records.comparativeLine({ new_this_month: { quantity: 1, mrc: 7 } }),
      records.comparativeLine({ new_this_month: 'canary' }),
    ),
    counted: {
      'ComparativeLine.amount wrong_type': 1,
      'MonthDetail.mrc wrong_type': 1,
      'ComparativeLine.newThisMonth wrong_type': 1,
    },
  },
  {
    what: 'a value once, in a summary and in the history that is made of it',
    query: `{ chargesSummary${range} { currency summary { lines { ... on ServiceLine { alias } } } }
      chargesHistoryByService${range} { services { alias } } }`,
    script: lines(records.simpleLine({ alias: 7 })),
    counted: { 'SimpleLine.alias wrong_type': 1 },
  },
  {
    what: 'another period than was asked for',
    query: `{ chargesSummary${range} { previous { currency } } }`,
    script: summary({ end_date: '2020-01-01' }),
    counted: { 'Query.chargesSummary contradiction': 1 },
  },
  {
    what: 'attempts that are no list, once although three fields read them',
    query: '{ webhookDeliveries { nodes { attempts { status } attemptCount newestAttempt { status } } } }',
    script: rows(records.webhookDeliveryRecord({ attempts: 'canary' })),
    counted: { 'WebhookDelivery.attempts wrong_type': 1 },
  },
  {
    what: 'a header without a name that can be read',
    query: '{ webhookDeliveries { nodes { attempts { http { request { headers { name value } } } } } } }',
    script: attempt({ http: { request: { headers: [[7, 'canary'], ['a', 7], 7] } } }),
    counted: {
      'HttpHeader.name wrong_type': 1,
      'HttpHeader.value wrong_type': 1,
      'AttemptRequest.headers wrong_type': 1,
    },
  },
  {
    what: 'an answer without the rows that it should have, once for all fields that share it',
    query: '{ a: ipConnections { nodes { id } } b: ipConnections { nodes { id } } }',
    script: () => ({ json: { data: 'canary' } }),
    counted: { 'Query.ipConnections wrong_type': 1 },
  },
];

describe.each([
  ['by plans', {}],
  ['by graphql-js', judge],
] as const)('executed %s', (_way, options) => {
  test.for(cases)(
    'is counted and logged, never quoted: $what',
    async ({ query, script, counted }, { startWith, upstream }) => {
      const gateway = await startWith({}, options);
      upstream.script(script);
      await gateway.query(`query Rows ${query}`, { headers: { 'x-request-id': 'id-1' } });
      expect(await violationsIn(gateway)).toEqual(counted);
      const told = Object.keys(counted).map((name) => {
        const [coordinate, kind] = name.split(' ');
        return { level: 'warn', requestId: 'id-1', operationName: 'Rows', coordinate, kind, msg: 'contract violation' };
      });
      expect(violationLines(gateway)).toHaveLength(told.length);
      expect(violationLines(gateway)).toEqual(expect.arrayContaining(told));
      expect(gateway.log.join('')).not.toContain('canary');
    },
  );
});

test('counts no violation where the contract is kept, or the call is refused', async ({ gateway, upstream }) => {
  upstream.script((request) =>
    pageReply([records.ipConnectionRecord(), records.ipConnectionRecord({ tags: null })], request),
  );
  await gateway.query('{ ipConnections { nodes { id createdAt tags inbound { codecs } unknown: active } } }');
  upstream.script(() => ({ status: 500, text: 'no' }));
  await gateway.query('{ ipConnections { nodes { id } } }');
  upstream.script(() => ({ status: 302, text: '' }));
  await gateway.query('{ ipConnections { nodes { id } } }');
  await gateway.query('{ ipConnections(first: -1) { nodes { id } } }');
  await gateway.query('{ nothing }');
  expect(await violationsIn(gateway)).toEqual({});
  expect(violationLines(gateway)).toEqual([]);
});

test('counts 500 bad rows of one operation, and logs them once', async ({ gateway, upstream }) => {
  upstream.script((request) =>
    pageReply(
      Array.from({ length: 500 }, (_, index) => ({ id: `row-${index}`, active: 'yes' })),
      request,
    ),
  );
  await gateway.query('{ ipConnections(first: 500) { nodes { active } edges { node { active } } } }');
  expect(await violationsIn(gateway)).toEqual({ 'IpConnection.active wrong_type': 500 });
  expect(violationLines(gateway)).toHaveLength(1);
  await gateway.query('{ ipConnections(first: 500) { nodes { active } } }');
  expect(await violationsIn(gateway)).toEqual({ 'IpConnection.active wrong_type': 1_000 });
  expect(violationLines(gateway)).toHaveLength(1);
});

test('counts a value of a response in pieces once, in whichever piece', async ({ gateway, upstream }) => {
  upstream.script(rows({ id: 'a', active: 'yes', tags: 7 }));
  const query = `{ ipConnections { nodes { active } }
    ... @defer { ipConnections { nodes { active tags } } } }`;
  const response = await gateway.fetch(`/graphql?query=${encodeURIComponent(query)}`, {
    headers: { authorization: 'Bearer test-key', accept: 'multipart/mixed' },
  });
  expect(await response.text()).toContain('incremental');
  expect(await violationsIn(gateway)).toEqual({
    'IpConnection.active wrong_type': 1,
    'IpConnection.tags wrong_type': 1,
  });
});

test('counts a report that is no CSV, as a field and as a download', async ({ gateway, upstream }) => {
  upstream.script(() => ({ json: { data: 'canary' } }));
  await gateway.query(`{ chargesBreakdownCsv${range} { content } }`);
  await gateway.fetch('/exports/charges-breakdown.csv?startDate=2026-10-01', {
    headers: { authorization: 'Bearer a' },
  });
  expect(await violationsIn(gateway)).toEqual({ 'Query.chargesBreakdownCsv wrong_type': 2 });
  expect(gateway.log.join('')).not.toContain('canary');
});

async function eventsOf(gateway: Gateway, deliveries: GrowingDeliveries): Promise<void> {
  const stream = await subscribe(gateway, 'subscription Live { webhookDeliveries { id status userId } }');
  await stream.begun;
  deliveries.add([11, 12], { status: 7 });
  await expect.poll(() => stream.events.length).toBe(2);
  stream.close();
  await stream.ended;
}

test('counts the violations of each event of a stream', async ({ startWith, upstream }) => {
  const gateway = await startWith({ SUBSCRIPTION_POLL_MS: '5' });
  const deliveries = new GrowingDeliveries();
  deliveries.add([1, 2, 3]);
  upstream.script(deliveries.answer);
  await eventsOf(gateway, deliveries);
  expect(await violationsIn(gateway)).toEqual({ 'WebhookDelivery.status wrong_type': 2 });
  expect(violationLines(gateway)).toMatchObject([{ operationName: 'Live', coordinate: 'WebhookDelivery.status' }]);
});
