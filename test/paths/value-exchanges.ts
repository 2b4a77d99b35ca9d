import * as records from '../support/records.ts';
import { healthyReply } from '../support/root-fields.ts';
import { pageReply, type Script } from '../support/scripted-upstream.ts';
import { selectionOf } from '../support/selection.ts';
import {
  connections,
  deliveries,
  fails,
  failsAt,
  lists,
  missions,
  operation,
  summary,
  type Exchange,
} from './exchange-case.ts';

const row = records.missionRecord();
const period = '(startDate: "2026-10-01", endDate: "2026-11-01")';
const page = 'totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor }';
const free = { a: 'é', b: [1, null, { c: true }], d: {} };
const rows: Script = lists({
  '/ip_connections': [1, 2, 3, 4].map((at) =>
    records.ipConnectionRecord({ id: `c${at}`, connection_name: 'Zürich "1" 😀' }),
  ),
  '/ai/missions': [1, 2, 3, 4].map((at) => records.missionRecord({ mission_id: `m${at}`, metadata: free })),
  '/webhook_deliveries': [1, 2, 3, 4].map((at) =>
    records.webhookDeliveryRecord({
      id: `d${at}`,
      attempts: [
        records.attemptRecord({ errors: [{ code: '075001', title: 'No' }, 7], started_at: '2026-10-02T14:05:11.25Z' }),
        records.attemptRecord({ started_at: at === 2 ? '2026-10-02T14:05:11.3Z' : null }),
      ],
    }),
  ),
});
const whole = [
  operation(
    'all of some connections',
    `{ ipConnections(first: 3) { ${page} nodes ${selectionOf(records.ipConnectionRecord()).replace('ipAuthenticationToken', '')} } }`,
    { reply: rows, way: 'bytes' },
  ),
  operation('all of some missions', `{ missions(first: 2) { nodes ${selectionOf(row)} ${page} } }`, {
    reply: rows,
    way: 'bytes',
  }),
  operation(
    'all of some deliveries',
    `{ webhookDeliveries(first: 2) { ${page} nodes { status webhook { payload } } } }`,
    { reply: rows, way: 'bytes' },
  ),
  operation('all of a summary', `{ chargesSummary${period} ${selectionOf(records.chargesSummaryRecord())} }`, {
    way: 'bytes',
  }),
  operation(
    'a page of a report',
    `{ chargesBreakdown${period} { currency results(first: 2) { nodes { services { cost name } tn } ${page} } } }`,
    { way: 'compiled' },
  ),
  operation(
    'what is told of attempts besides',
    `{ webhookDeliveries(first: 2) { edges { cursor node { attemptCount newestAttempt { startedAt errors http { request { url } } }
      nodeId attempts { errors errorDetails { code title __typename } } } } ${page} } }`,
    { reply: rows, way: 'compiled' },
  ),
  operation(
    'references and cursors',
    `{ ipConnections { edges { node { nodeId a: inbound { codecs } b: inbound { channelLimit } } } }
      missions(first: 2) { edges { cursor node { nodeId id } } } }`,
    { reply: rows, way: 'bytes' },
  ),
  operation('rows both as nodes and as edges', '{ missions(first: 2) { nodes { id } edges { cursor } } }', {
    reply: rows,
    way: 'bytes',
  }),
  operation('rows in three forms', '{ missions(first: 2) { nodes { id } edges { cursor } more: nodes { name } } }', {
    reply: rows,
    way: 'compiled',
  }),
  operation(
    'counts and cursors alone',
    '{ missions { totalCount } webhookDeliveries(first: 3) { edges { cursor } pageInfo { endCursor } } }',
    { reply: rows, way: 'bytes' },
  ),
  operation(
    'a summary beside rows',
    `{ a: chargesSummary${period} { currency } b: missions(first: 1) { nodes { name } } c: ipConnections { nodes { id } } __typename }`,
    { reply: rows, way: 'bytes' },
  ),
];

const bad = records.missionRecord({ name: 7 });
const values = [
  operation('a bad leaf in the third row', '{ missions { nodes { id name } } ipConnections { totalCount } }', {
    reply: missions(row, row, bad, row),
    way: 'general',
  }),
  operation('rows that are no objects, as nodes', '{ missions { nodes { name } totalCount } }', {
    reply: missions(row, 7, null, 'x', [], row),
    way: 'general',
  }),
  operation('rows that are no objects, as edges', '{ missions { edges { cursor node { name } } } }', {
    reply: missions(7, row, null, [row]),
    way: 'general',
  }),
  operation('null in a list of texts', '{ ipConnections { nodes { tags } } }', {
    reply: connections(records.ipConnectionRecord({ tags: ['a', null, 'b'] })),
    way: 'general',
  }),
  operation('null in a list of objects', '{ webhookDeliveries { nodes { attempts { status } } } }', {
    reply: deliveries(records.webhookDeliveryRecord({ attempts: [null] })),
    way: 'general',
  }),
  operation('another type in a list of numbers', '{ webhookDeliveries { nodes { attempts { errors } } } }', {
    reply: deliveries(records.webhookDeliveryRecord({ attempts: [records.attemptRecord({ errors: [1, '2', 3.5] })] })),
    way: 'general',
  }),
  operation(
    'attempts in the shapes that the API publishes',
    '{ webhookDeliveries { nodes { attempts { errors errorDetails { code title } http { request { headers { name value } } } } } } }',
    {
      reply: deliveries(
        records.webhookDeliveryRecord({
          attempts: [
            {
              errors: [{ code: '75001', title: 'No answer' }, 75002],
              http: { request: { headers: ['Accept: */*', ['A', 'b'], 'None'] } },
            },
          ],
        }),
      ),
      way: 'compiled',
      data: `{"webhookDeliveries":{"nodes":[{"attempts":[{"errors":[75001,75002],
        "errorDetails":[{"code":75001,"title":"No answer"},{"code":75002,"title":null}],
        "http":{"request":{"headers":[{"name":"Accept","value":"*/*"},{"name":"A","value":"b"},{"name":"None","value":null}]}}}]}]}}`.replaceAll(
        /\n */g,
        '',
      ),
    },
  ),
  operation('free-form numbers digit for digit, and a free-form then', '{ missions { nodes { metadata } } }', {
    reply: missions(
      records.missionRecord({
        metadata: { a: records.rawNumber('12345678901234567890'), b: [records.rawNumber('1.50')] },
      }),
      // oxlint-disable-next-line unicorn/no-thenable
      records.missionRecord({ metadata: { then: { then: 1 }, toJSON: 'x' } }),
    ),
    way: 'bytes',
    data: '{"missions":{"nodes":[{"metadata":{"a":12345678901234567890,"b":[1.50]}},{"metadata":{"then":{"then":1},"toJSON":"x"}}]}}',
  }),
  operation(
    'cursors of rows without an identifier, which are told apart by all that they hold',
    '{ missions { edges { cursor } } }',
    {
      reply: missions({ name: 'a', metadata: { a: records.rawNumber('1.50') } }, { name: 'a', metadata: { a: 1.5 } }),
      way: 'compiled',
    },
  ),
  operation(
    'records that have a then',
    '{ missions { nodes { name } } b: missions { edges { node { id } } } ipConnections { nodes { inbound { channelLimit } } } }',
    {
      reply: lists({
        // oxlint-disable-next-line unicorn/no-thenable
        '/ai/missions': [records.missionRecord({ then: 'x' })],
        '/ip_connections': [
          // oxlint-disable-next-line unicorn/no-thenable
          records.ipConnectionRecord({ inbound: { then: {}, channel_limit: records.rawNumber('7.0') } }),
        ],
      }),
      way: 'compiled',
    },
  ),
  operation(
    'a summary line of an unknown type',
    `{ chargesSummary${period} { currency summary { lines { ... on SimpleLine { name } ... on ComparativeLine { name type } } } } }`,
    {
      reply: summary({ summary: { lines: [records.simpleLine(), { type: 'metered' }, null], adjustments: [] } }),
      way: 'general',
    },
  ),
  operation(
    'null where the schema promises a value',
    `{ chargesSummary${period} { currency total { grandTotal credits } } missions { totalCount } }`,
    {
      reply: summary({ total: { credits: '1' } }),
      way: 'general',
      data: '{"chargesSummary":null,"missions":{"totalCount":1}}',
    },
  ),
];

const failures = [
  operation('a root field that fails beside a good one', '{ missions { totalCount } ipConnections { totalCount } }', {
    reply: failsAt('/ai/missions'),
    way: 'compiled',
    data: '{"missions":null,"ipConnections":{"totalCount":1}}',
  }),
  operation(
    'root fields that all fail, one of them before it asks',
    '{ missions(first: -1) { totalCount } ipConnections { totalCount } webhookDeliveries { totalCount } }',
    {
      reply: failsAt('/ip_connections', '/webhook_deliveries'),
      way: 'compiled',
      data: '{"missions":null,"ipConnections":null,"webhookDeliveries":null}',
    },
  ),
  operation(
    'root fields that fail, beside one that cannot be executed',
    `query ($d: Date = "2026-10-01") { ipConnection(id: "x") { id }
    a: chargesBreakdown${period} { currency } b: chargesSummary${period} { currency } chargesSummary(startDate: $d, endDate: $d) { currency } }`,
    {
      variables: { d: null },
      reply: fails,
      way: 'general',
    },
  ),
  operation(
    'a root field that fails late, beside one with a bad value',
    '{ webhookDeliveries { totalCount } missions { nodes { name } } ipConnection(id: "x") { id } }',
    {
      reply: (request) => (request.path === '/ai/missions' ? pageReply([bad], request) : { status: 500, text: 'oops' }),
      way: 'general',
    },
  ),
  operation(
    'counts and failures of deliveries, with the newest of each',
    `query ($no: Boolean = false) {
      deliveryCounts(startedAt: { gte: "2026-10-02T14:00:00Z", lte: "2026-10-02T16:00:00Z" }, interval: HOUR) {
        buckets { end total @skip(if: $no) byStatus { count status } } }
      deliveryFailures { groups { httpStatus errorCode isOf: status newest { webhook { payload } nodeId } } isWhole } }`,
    {
      reply(request) {
        const { 'filter[status][eq]': status = 'failed', 'filter[started_at][gte]': moment = '' } = request.query;
        return pageReply(
          [records.webhookDeliveryRecord({ status, ...(moment !== '' && { started_at: moment }) })],
          request,
        );
      },
      way: 'compiled',
    },
  ),
  operation('no key', `{ missions { totalCount } chargesHistory${period} { currency } __typename }`, {
    key: null,
    way: 'general',
  }),
  operation(
    'a month of several that fails',
    '{ chargesHistory(startDate: "2026-08-15", endDate: "2026-11-01") { startDate currency } }',
    {
      reply: (request) =>
        request.query['start_date'] === '2026-09-01' ? { status: 422, text: '' } : healthyReply(request),
      way: 'general',
    },
  ),
  operation(
    'a relation that fails in every row',
    '{ ipConnections { nodes { id webhookDeliveries { nodes { id } } } } }',
    {
      reply: failsAt('/webhook_deliveries'),
      way: 'general',
    },
  ),
  // A list that comes in pages of two, with one row on two of them: its reader takes it for moving, and reads it again.
  operation(
    'a bad value below a relation whose list does not hold still',
    '{ ipConnections { nodes { webhookDeliveries(first: 3) { nodes { id status } } } } }',
    {
      reply(request) {
        if (request.path !== '/webhook_deliveries') return healthyReply(request);
        const moving = [0, 1, 1, 2, 3].map((at) => records.webhookDeliveryRecord({ id: `d${at}`, status: at }));
        return pageReply(moving, request, 2);
      },
      way: 'general',
    },
  ),
  operation(
    'a relation that fails the other way round',
    '{ webhookDeliveries { nodes { id ipConnection { connectionName } } } }',
    {
      reply: failsAt('/ip_connections'),
      way: 'general',
    },
  ),
];

/** Operations over values of every kind, some of them not as they should be, and over failures. */
export const valueExchanges: readonly Exchange[] = [...whole, ...values, ...failures];
