import { describe, brief, expect, testOfFile as test, type Gateway } from '../support/gateway.ts';
import * as records from '../support/records.ts';
import { pageReply, type ScriptedUpstream } from '../support/scripted-upstream.ts';

const document = `query ($filter: WebhookDeliveryFilter) {
  webhookDeliveries(first: 2, filter: $filter) { nodes { id } }
}`;
const moment = '2026-10-01T08:30:00.123456+02:00';
const encodedMoment = '2026-10-01T06%3A30%3A00.123Z';

const queryStrings: readonly [object | null, string][] = [
  [{}, ''],
  [{ status: null, eventType: null, webhook: {}, startedAt: { gte: null } }, ''],
  [{ status: { eq: 'failed' } }, `filter[status][eq]=failed`],
  [{ eventType: ['call.initiated', 'a,b', 'c&d'] }, `filter[event_type]=call.initiated,a%2Cb,c%26d`],
  [{ eventType: 'call_initiated' }, `filter[event_type]=call_initiated`],
  [{ webhook: { contains: 'a b+c' } }, `filter[webhook][contains]=a%20b%2Bc`],
  [{ attempts: { contains: 'http://x.y/?a=1#b' } }, `filter[attempts][contains]=http%3A%2F%2Fx.y%2F%3Fa%3D1%23b`],
  [{ startedAt: { gte: moment } }, `filter[started_at][gte]=${encodedMoment}`],
  [
    { finishedAt: { lte: '2026-10-02T00:00:00Z', gte: '2026-10-01T00:00:00Z' } },
    `filter[finished_at][gte]=2026-10-01T00%3A00%3A00.000Z&filter[finished_at][lte]=2026-10-02T00%3A00%3A00.000Z`,
  ],
  [
    { finishedAt: { gte: moment }, attempts: { contains: 'x' }, eventType: ['a', 'b'], status: { eq: 'y' } },
    `filter[status][eq]=y&filter[event_type]=a,b&filter[attempts][contains]=x&filter[finished_at][gte]=${encodedMoment}`,
  ],
];

test.for(queryStrings)('%j is sent as the contract spells it', async ([filter, expected], { gateway, upstream }) => {
  upstream.script((request) => pageReply([{ id: 'a' }], request));
  const data = await gateway.data(document, { variables: { filter } });
  expect(data.webhookDeliveries.nodes).toEqual([{ id: 'a' }]);
  expect(upstream.requests.map(({ path }) => path)).toEqual(['/webhook_deliveries']);
  expect(upstream.requests[0]?.rawQuery.replace(/&?page\[.*/, '')).toBe(expected);
});

describe('the filter of deliveries refuses before any call', () => {
  test.for([
    [{ status: { eq: 'delivered,failed' } }, ['filter', 'status', 'eq']],
    [{ eventType: [] }, ['filter', 'eventType']],
    [{ eventType: ['a', 'b\uD800'] }, ['filter', 'eventType', 1]],
    [{ webhook: { contains: '\uDC00' } }, ['filter', 'webhook', 'contains']],
    [{ finishedAt: { gte: '2026-10-01' } }, ['filter', 'finishedAt', 'gte']],
    [{ finishedAt: { lte: '2026-10-01T00:00:00+99:99' } }, ['filter', 'finishedAt', 'lte']],
    [{ finishedAt: { lte: '2026-10-01T00:00:00Z; drop' } }, ['filter', 'finishedAt', 'lte']],
  ] as const)('%j', async ([filter, argument], { gateway, upstream }) => {
    upstream.script((request) => pageReply([], request));
    const { data, errors } = await gateway.query(document, { variables: { filter } });
    expect(data).toEqual({ webhookDeliveries: null });
    expect(brief(errors)).toEqual([`webhookDeliveries BAD_USER_INPUT ${argument.join('.')}`]);
    expect(errors[0].extensions).not.toHaveProperty('upstream');
    expect(upstream.requests).toEqual([]);
  });
});

/** The one delivery that has these attempts, of which `selection` is shown. */
async function shownWith(attempts: unknown, selection: string, gateway: Gateway, upstream: ScriptedUpstream) {
  upstream.script((request) => pageReply([records.webhookDeliveryRecord({ attempts })], request));
  const { data, errors } = await gateway.query(`{ webhookDeliveries(first: 1) { nodes { ${selection} } } }`);
  return { node: data.webhookDeliveries.nodes[0], errors };
}

test.for([
  [[], 0],
  [[records.attemptRecord(), null, records.attemptRecord()], 3],
  [null, null],
] as const)('the attempts %j are counted without being read', async ([attempts, count], { gateway, upstream }) => {
  const { node, errors } = await shownWith(attempts, 'attemptCount', gateway, upstream);
  expect([node, errors]).toEqual([{ attemptCount: count }, []]);
});

describe('the newest attempt of a delivery', () => {
  const at = (status: string, started_at: unknown): records.JsonRecord => records.attemptRecord({ status, started_at });
  const newest = 'status newestAttempt { status }';

  test.for([
    ['the last to begin, wherever it stands', [at('a', '2026-10-01T00:00:00Z'), at('b', '2026-10-02T00:00:00Z')], 'b'],
    ['compared as moments', [at('a', '2026-10-01T09:00:00Z'), at('b', '2026-10-01T10:00:00+02:00')], 'a'],
    ['the first of those that began at once', [at('a', '2026-10-01T00:00:00Z'), at('b', '2026-10-01T00:00:00Z')], 'a'],
    ['the first where none has a time', [at('a', null), at('b', 'soon')], 'a'],
    ['one with a time, before any without', [null, at('a', null), at('b', '2026-10-01T00:00:00Z')], 'b'],
  ] as const)('is %s', async ([, attempts, status], { gateway, upstream }) => {
    const { node } = await shownWith(attempts, newest, gateway, upstream);
    expect(node.newestAttempt).toEqual({ status });
    expect(upstream.requests).toHaveLength(1);
  });

  test.for([[[]], [null], [undefined]])('is null where there are %j', async ([attempts], { gateway, upstream }) => {
    const { node, errors } = await shownWith(attempts, newest, gateway, upstream);
    expect([node.newestAttempt, errors]).toEqual([null, []]);
  });

  test.for([
    [[null], 'an item of attempts'],
    [{ status: 'failed' }, 'attempts'],
  ] as const)('fails alone where the attempts are %j', async ([attempts, named], { gateway, upstream }) => {
    const { node, errors } = await shownWith(attempts, newest, gateway, upstream);
    expect(node).toEqual({ status: expect.any(String), newestAttempt: null });
    expect(errors).toMatchObject([
      {
        message: expect.stringContaining(`for ${named}: `),
        path: ['webhookDeliveries', 'nodes', 0, 'newestAttempt'],
        extensions: { code: 'UPSTREAM_BAD_RESPONSE' },
      },
    ]);
  });
});
