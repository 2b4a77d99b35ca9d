import { createLog } from '../../src/telemetry/log.ts';
import { createMetrics, createViolationCounter } from '../../src/telemetry/metrics.ts';
import { growing, quick } from '../live/subscription.ts';
import { subscribe } from '../support/streams.ts';
import { downloadReport, expect, test } from '../support/gateway.ts';
import { violationLines, violationsIn } from '../support/metrics.ts';
import * as records from '../support/records.ts';
import { pageReply, type Script } from '../support/scripted-upstream.ts';

const range = '(startDate: "2026-10-01", endDate: "2026-11-01")';
const rows =
  (...data: readonly unknown[]): Script =>
  (request) =>
    pageReply(data, request);
const summary =
  (fields: records.JsonRecord): Script =>
  () => ({ json: { data: records.chargesSummaryRecord(fields) } });
const linesOf = (...all: readonly unknown[]): Script => summary({ summary: { lines: all, adjustments: [] } });

// That all ways to answer count alike: paths/exchange.test.ts.
test.for<[what: string, query: string, script: Script, counted: Record<string, number>]>([
  [
    'a value of another type',
    '{ ipConnections { nodes { id createdAt } } }',
    rows({ id: 'a', created_at: 7 }, { id: 'b', created_at: null }, { id: 'c', created_at: 'canary' }),
    { 'IpConnection.createdAt wrong_type': 2 },
  ],
  [
    'each bad item of a list, and a list that is none',
    '{ ipConnections { nodes { tags } } }',
    rows({ tags: ['a', null, 7, 'b', {}] }, { tags: 'canary' }),
    { 'IpConnection.tags missing': 1, 'IpConnection.tags wrong_type': 3 },
  ],
  [
    'rows that are none',
    '{ ipConnections { nodes { id active } } }',
    rows({ id: 'a' }, null, 'canary'),
    { 'IpConnectionConnection.nodes missing': 1, 'IpConnectionConnection.nodes wrong_type': 1 },
  ],
  [
    'each of 500 rows, with one line of the log',
    '{ ipConnections(first: 500) { nodes { active } } }',
    rows(...Array.from({ length: 500 }, () => ({ active: 'canary' }))),
    { 'IpConnection.active wrong_type': 500 },
  ],
  [
    'summary lines of a type that nobody knows, or of none',
    `{ chargesSummary${range} { summary { lines { ... on ServiceLine { name } } } } }`,
    linesOf({ type: 'canary' }, { type: 7 }, {}, records.simpleLine()),
    { 'ServiceLine.type unknown_value': 1, 'ServiceLine.type wrong_type': 1, 'ServiceLine.type missing': 1 },
  ],
  [
    'what cannot be added up',
    `{ chargesSummary${range} { summary { lines { ... on ServiceLine { amount } } } } }`,
    linesOf(...['1e999999', 7].map((mrc) => records.comparativeLine({ new_this_month: { quantity: 1, mrc } }))),
    { 'ComparativeLine.amount wrong_type': 1, 'MonthDetail.mrc wrong_type': 1 },
  ],
  [
    'another period than was asked for',
    `{ chargesSummary${range} { previous { currency } } }`,
    summary({ end_date: '2020-01-01' }),
    { 'Query.chargesSummary contradiction': 1 },
  ],
  [
    'an answer without the rows that it should have, once for all fields that share it',
    '{ a: ipConnections { nodes { id } } b: ipConnections { nodes { id } } }',
    () => ({ json: { data: 'canary' } }),
    { 'Query.ipConnections wrong_type': 1 },
  ],
])('a violation is counted and logged: %s', async ([, query, script, counted], { gateway, upstream }) => {
  upstream.script(script);
  await gateway.query(`query Rows ${query}`, { headers: { 'x-request-id': 'id-1' } });
  expect(await violationsIn(gateway)).toEqual(counted);
  const one = { level: 'warn', requestId: 'id-1', operationName: 'Rows', msg: 'contract violation' };
  const told = Object.keys(counted).map((name) => name.split(' '));
  const lines = told.map(([coordinate, kind]) => ({ ...one, coordinate, kind }));
  expect(violationLines(gateway)).toHaveLength(lines.length);
  expect(violationLines(gateway)).toEqual(expect.arrayContaining(lines));
  expect(gateway.log.join('')).not.toContain('canary');
});

test('no violation is counted where the contract is kept, or the call is refused', async ({ gateway, upstream }) => {
  upstream.script(rows(records.ipConnectionRecord(), records.ipConnectionRecord({ tags: null })));
  await gateway.query('{ ipConnections { nodes { id createdAt tags inbound { codecs } unknown: active } } }');
  upstream.script(() => ({ status: 500, text: 'no' }));
  await gateway.query('{ ipConnections { nodes { id } } }');
  for (const query of ['{ ipConnections(first: -1) { nodes { id } } }', '{ nothing }']) await gateway.query(query);
  expect(await violationsIn(gateway)).toEqual({});
  expect(violationLines(gateway)).toEqual([]);
});

test('a violation of a response in pieces is counted, in whichever piece', async ({ gateway, upstream }) => {
  upstream.script(rows({ id: 'a', active: 'yes', tags: 7 }));
  const query = '{ ipConnections { nodes { active } } ... @defer { ipConnections { nodes { tags } } } }';
  const response = await gateway.post({ query }, { accept: 'multipart/mixed' });
  expect(await response.text()).toContain('incremental');
  const once = { 'IpConnection.active wrong_type': 1, 'IpConnection.tags wrong_type': 1 };
  expect(await violationsIn(gateway)).toEqual(once);
});

test('a report that is no CSV is counted, as a field and as a download', async ({ gateway, upstream }) => {
  upstream.script(() => ({ json: { data: 'canary' } }));
  await gateway.query(`{ chargesBreakdownCsv${range} { content } }`);
  await downloadReport(gateway);
  expect(await violationsIn(gateway)).toEqual({ 'Query.chargesBreakdownCsv wrong_type': 2 });
  expect(gateway.log.join('')).not.toContain('canary');
});

test('the violations of each event of a stream are counted', async ({ startWith, upstream }) => {
  const gateway = await startWith(quick);
  const deliveries = growing(upstream);
  const stream = await subscribe(gateway, 'subscription Live { webhookDeliveries { id status userId } }');
  await stream.begun;
  deliveries.add([11, 12], { status: 7 });
  await expect.poll(() => stream.events.length).toBe(2);
  stream.close();
  await stream.ended;
  expect(await violationsIn(gateway)).toEqual({ 'WebhookDelivery.status wrong_type': 2 });
  expect(violationLines(gateway)).toMatchObject([{ operationName: 'Live', coordinate: 'WebhookDelivery.status' }]);
});

test('one violation of each coordinate and kind is logged an hour, and all are counted', async () => {
  const hour = 3_600_000;
  const logged: string[] = [];
  const metrics = createMetrics();
  let time = 0;
  const log = createLog('info', { write: (line) => logged.push(line) });
  const count = createViolationCounter(metrics, log, () => time);
  const context = { requestId: 'id', operationName: null, trace: null };
  const seen = [0, hour - 1, hour, 2 * hour - 1, 5 * hour].map((at) => {
    time = at;
    for (const kind of ['missing', 'wrong_type'] as const) count({ coordinate: 'IpConnection.tags', kind }, context);
    count({ coordinate: 'IpConnection.id', kind: 'missing' }, context);
    return logged.length;
  });
  expect(seen).toEqual([3, 3, 6, 6, 9]);
  const text = await metrics.print();
  expect(text).toContain('switchboard_contract_violations_total{coordinate="IpConnection.tags",kind="missing"} 5');
});
