import { describe } from 'vitest';
import { expect, testOfFile as test } from '../support/gateway.ts';
import * as records from '../support/records.ts';
import { pageReply } from '../support/scripted-upstream.ts';

const document = `query ($filter: WebhookDeliveryFilter) {
  webhookDeliveries(first: 2, filter: $filter) { nodes { id } }
}`;
const moment = '2026-10-01T08:30:00.123456+02:00';
const encodedMoment = '2026-10-01T06%3A30%3A00.123Z';

const queryStrings: readonly [object | null, string][] = [
  [{}, ''],
  [{ status: null, eventType: null, webhook: {}, startedAt: { gte: null } }, ''],
  [{ status: { eq: 'failed' } }, `filter[status][eq]=failed`],
  [{ eventType: ['call_initiated'] }, `filter[event_type]=call_initiated`],
  [{ eventType: ['call.initiated', 'a,b', 'c&d'] }, `filter[event_type]=call.initiated,a%2Cb,c%26d`],
  [{ eventType: 'call_initiated' }, `filter[event_type]=call_initiated`],
  [{ webhook: { contains: 'a b+c' } }, `filter[webhook][contains]=a%20b%2Bc`],
  [
    { attempts: { contains: 'https://x.example/?a=1#b' } },
    `filter[attempts][contains]=https%3A%2F%2Fx.example%2F%3Fa%3D1%23b`,
  ],
  [{ startedAt: { gte: moment } }, `filter[started_at][gte]=${encodedMoment}`],
  [{ startedAt: { lte: '2026-10-01T00:00:00Z' } }, `filter[started_at][lte]=2026-10-01T00%3A00%3A00.000Z`],
  [
    { finishedAt: { lte: '2026-10-02T00:00:00Z', gte: '2026-10-01T00:00:00Z' } },
    `filter[finished_at][gte]=2026-10-01T00%3A00%3A00.000Z&filter[finished_at][lte]=2026-10-02T00%3A00%3A00.000Z`,
  ],
  [
    { finishedAt: { gte: moment }, attempts: { contains: 'x' }, eventType: ['a', 'b'], status: { eq: 'y' } },
    `filter[status][eq]=y&filter[event_type]=a,b&filter[attempts][contains]=x&filter[finished_at][gte]=${encodedMoment}`,
  ],
];

test.for(queryStrings)(
  'the list of deliveries sends %j as the contract spells it',
  async ([filter, expected], { gateway, upstream }) => {
    upstream.script((request) => pageReply([{ id: 'a' }], request));
    const { data, errors } = await gateway.query(document, { variables: { filter } });
    expect(errors).toEqual([]);
    expect(data.webhookDeliveries.nodes).toEqual([{ id: 'a' }]);
    expect(upstream.requests.map(({ path }) => path)).toEqual(['/webhook_deliveries']);
    expect(upstream.requests[0]?.rawQuery.replace(/&?page\[.*/, '')).toBe(expected);
  },
);

describe('the filter of deliveries refuses before any call', () => {
  test.for([
    [{ eventType: [] }, ['filter', 'eventType']],
    [{ eventType: ['a', 'b\uD800'] }, ['filter', 'eventType', 1]],
    [{ webhook: { contains: '\uDC00' } }, ['filter', 'webhook', 'contains']],
    [{ startedAt: { gte: 'yesterday' } }, ['filter', 'startedAt', 'gte']],
    [{ startedAt: { gte: moment, lte: '' } }, ['filter', 'startedAt', 'lte']],
    [{ finishedAt: { gte: '2026-10-01' } }, ['filter', 'finishedAt', 'gte']],
    [{ finishedAt: { lte: '2026-02-30T00:00:00Z' } }, ['filter', 'finishedAt', 'lte']],
    [{ finishedAt: { lte: '2026-10-01T00:00:00+99:99' } }, ['filter', 'finishedAt', 'lte']],
    [{ finishedAt: { lte: '2026-10-01T00:00:00Z; drop' } }, ['filter', 'finishedAt', 'lte']],
  ] as const)('%j', async ([filter, argument], { gateway, upstream }) => {
    upstream.script((request) => pageReply([], request));
    const { data, errors } = await gateway.query(document, { variables: { filter } });
    expect(data).toEqual({ webhookDeliveries: null });
    expect(errors).toMatchObject([
      { path: ['webhookDeliveries'], extensions: { code: 'BAD_USER_INPUT', retryable: false, argument } },
    ]);
    expect(errors[0].extensions).not.toHaveProperty('upstream');
    expect(upstream.requests).toEqual([]);
  });
});

test('a delivery shows attempts with and without a response, in order', async ({ gateway, upstream }) => {
  const attempts = [
    records.attemptRecord({ status: 'delivered', errors: undefined }),
    records.attemptRecord({ http: { request: { url: 'https://a.example/', headers: [] } } }),
    records.attemptRecord({ http: { request: null, response: null } }),
    { http: null },
    {},
  ];
  upstream.script((request) => pageReply([records.webhookDeliveryRecord({ attempts })], request));
  const { data, errors } = await gateway.query(`{
    webhookDeliveries { nodes {
      webhook { payload }
      attempts { status errors http { request { url } response { status body } } }
    } }
  }`);
  expect(errors).toEqual([]);
  expect(data.webhookDeliveries.nodes).toEqual([
    {
      webhook: { payload: { call_id: 'v3:abc', direction: 'incoming' } },
      attempts: [
        {
          status: 'delivered',
          errors: null,
          http: { request: { url: 'https://hooks.example.com/voice' }, response: { status: 503, body: 'busy' } },
        },
        { status: 'failed', errors: [75001, 75002], http: { request: { url: 'https://a.example/' }, response: null } },
        { status: 'failed', errors: [75001, 75002], http: { request: null, response: null } },
        { status: null, errors: null, http: null },
        { status: null, errors: null, http: null },
      ],
    },
  ]);
});

test.for([
  [[], 0],
  [[records.attemptRecord(), null, records.attemptRecord()], 3],
  [null, null],
] as const)(
  'the number of attempts %j is known without reading them',
  async ([attempts, count], { gateway, upstream }) => {
    upstream.script((request) => pageReply([records.webhookDeliveryRecord({ attempts })], request));
    const { data, errors } = await gateway.query('{ webhookDeliveries { nodes { attemptCount } } }');
    expect(errors).toEqual([]);
    expect(data.webhookDeliveries.nodes).toEqual([{ attemptCount: count }]);
  },
);

describe('the newest attempt of a delivery', () => {
  const at = (status: string, started_at: unknown): records.JsonRecord => records.attemptRecord({ status, started_at });
  const newest = '{ webhookDeliveries(first: 1) { nodes { newestAttempt { status } attempts { status } } } }';

  test.for([
    ['the last to begin, wherever it stands', [at('a', '2026-10-01T00:00:00Z'), at('b', '2026-10-02T00:00:00Z')], 'b'],
    ['compared as moments', [at('a', '2026-10-01T09:00:00Z'), at('b', '2026-10-01T10:00:00+02:00')], 'a'],
    ['the first of those that began at once', [at('a', '2026-10-01T00:00:00Z'), at('b', '2026-10-01T00:00:00Z')], 'a'],
    ['the first where none has a time', [at('a', null), at('b', 'soon')], 'a'],
    ['one with a time, before any without', [null, at('a', null), at('b', '2026-10-01T00:00:00Z')], 'b'],
  ] as const)('is %s', async ([, attempts, status], { gateway, upstream }) => {
    upstream.script((request) => pageReply([records.webhookDeliveryRecord({ attempts })], request));
    const { data } = await gateway.query(newest);
    expect(data.webhookDeliveries.nodes[0].newestAttempt).toEqual({ status });
    expect(upstream.requests).toHaveLength(1);
  });

  test.for([[[]], [null], [undefined]])('is null where there are %j', async ([attempts], { gateway, upstream }) => {
    upstream.script((request) => pageReply([records.webhookDeliveryRecord({ attempts })], request));
    const { data, errors } = await gateway.query(newest);
    expect(errors).toEqual([]);
    expect(data.webhookDeliveries.nodes[0].newestAttempt).toBeNull();
  });

  test.for([
    [[null], 'an item of attempts'],
    [{ status: 'failed' }, 'attempts'],
  ] as const)('fails alone where the attempts are %j', async ([attempts, named], { gateway, upstream }) => {
    upstream.script((request) => pageReply([records.webhookDeliveryRecord({ attempts })], request));
    const { data, errors } = await gateway.query(
      '{ webhookDeliveries(first: 1) { nodes { status newestAttempt { status } } } }',
    );
    expect(data.webhookDeliveries.nodes).toEqual([{ status: expect.any(String), newestAttempt: null }]);
    expect(errors).toMatchObject([
      {
        message: expect.stringContaining(`for ${named}: `),
        path: ['webhookDeliveries', 'nodes', 0, 'newestAttempt'],
        extensions: { code: 'UPSTREAM_BAD_RESPONSE' },
      },
    ]);
  });

  test('hides credentials as all attempts do', async ({ gateway, upstream }) => {
    const request = { url: 'https://hooks.example.com', headers: [['Authorization', 'Bearer hush']] };
    const attempts = [records.attemptRecord({ http: { request } })];
    upstream.script((asked) => pageReply([records.webhookDeliveryRecord({ attempts })], asked));
    const { data, text } = await gateway.query(
      '{ webhookDeliveries { nodes { newestAttempt { http { request { headers { name value } } } } } } }',
    );
    expect(data.webhookDeliveries.nodes[0].newestAttempt.http.request.headers).toEqual([
      { name: 'Authorization', value: '[redacted]' },
    ]);
    expect(text).not.toContain('hush');
  });
});
