import * as records from '../support/records.ts';
import { healthyReply, selectionOf } from '../support/records.ts';
import type { Script } from '../support/scripted-upstream.ts';
import { failsAt, lists, missions, operation, summary, type Exchange } from './exchange-case.ts';

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
  operation('all of a summary', `{ chargesSummary${period} ${selectionOf(records.chargesSummaryRecord())} }`, {
    way: 'bytes',
  }),
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
  operation('records that have a then', '{ missions { nodes { name } } b: missions { edges { node { id } } } }', {
    // oxlint-disable-next-line unicorn/no-thenable
    reply: missions(records.missionRecord({ then: 'x' })),
    way: 'bytes',
  }),
  operation(
    'a summary line of an unknown type',
    `{ chargesSummary${period} { currency summary { lines { ... on SimpleLine { name } ... on ComparativeLine { name type } } } } }`,
    {
      reply: summary({ summary: { lines: [records.simpleLine(), { type: 'metered' }, null], adjustments: [] } }),
      way: 'general',
    },
  ),
];

/** A mission whose member stands on the wire as it is given: each letter is a byte. */
const onWire =
  (field: string, value: string): Script =>
  (request) => {
    if (request.path !== '/ai/missions') return healthyReply(request);
    const members = { name: '"n"', description: '"d"', metadata: '{"k":1}', [field]: value };
    const written = Object.entries(members).map(([name, text]) => `"${name}":${text}`);
    const body = `{"data":[{"mission_id":"b","x":"\\ud83d",${written.join()}}],"meta":{"total_results":1}}`;
    return { act: (res) => void res.end(Buffer.from(body, 'latin1')) };
  };
const onWireOf = (field: string, value: string, shown: unknown): Exchange =>
  operation(`${field} is ${value}`, '{ missions(first: 3) { nodes { id name description metadata } } }', {
    reply: onWire(field, value),
    data: JSON.stringify({
      missions: { nodes: [{ id: 'b', name: 'n', description: 'd', metadata: { k: 1 }, [field]: shown }] },
    }),
  });
const characters = [
  // Half of a character costs its own field.
  ...[
    ['name', '"cut \\ud83d"'],
    ['name', '"\\ude00 cut"'],
    ['name', '"\\uD83D\\uD83D\\uDE00"'],
    ['name', '"cut \xf0\x9f\x98"'],
    ['name', '"\\ud83d\xff"'],
    ['name', '"whole \xef\xbf\xbd, cut \xe9"'],
    ['description', '"\\ud83d\\u0041"'],
    ['metadata', '{"a":"\\ud83d"}'],
    ['metadata', '{"\\ud83d":1}'],
    ['metadata', '{"a":[{"b":["\\udfff"]}]}'],
    ['metadata', '{"a":12345678901234567890,"b":"\xff"}'],
  ].map(([field = '', value = '']) => onWireOf(field, value, null)),
  ...['"\\ud83d\\ude00"', '"\xf0\x9f\x98\x80"', '"a\\\\ud83d"', '"\xef\xbf\xbd"', '"\\ufffd"'].map((value) =>
    onWireOf('name', value, JSON.parse(Buffer.from(value, 'latin1').toString())),
  ),
  operation('an error cuts a character', '{ missions { totalCount } }', {
    reply: () => ({ status: 500, text: '{"errors":[{"title":"t\\ud83d","detail":"cut \\ud83d"}]}' }),
  }),
  operation('a text of the request cuts a character', '{ missions(first: "\\ud83d") { totalCount } }'),
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
  operation('no key', `{ missions { totalCount } chargesHistory${period} { currency } __typename }`, {
    key: null,
    way: 'general',
  }),
];

/** Operations over values of every kind, some of them not as they should be, and over failures. */
export const valueExchanges: readonly Exchange[] = [...whole, ...values, ...characters, ...failures];
