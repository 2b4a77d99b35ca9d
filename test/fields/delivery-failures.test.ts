import { describe, expect, testOfFile as test, type Gateway } from '../support/gateway.ts';
import { attemptRecord, ipConnectionRecord, webhookDeliveryRecord, type JsonRecord } from '../support/records.ts';
import { pageReply, type ScriptedUpstream } from '../support/scripted-upstream.ts';

const document = `query ($filter: WebhookDeliveryFilter, $first: Int) {
  deliveryFailures(filter: $filter, first: $first) {
    groups { address status httpStatus errorCode title count newest { id } }
    examined
    isWhole
  }
}`;

const start = Date.parse('2026-10-31T00:00:00Z');

/** A failure, so many minutes before the end of the list. */
function failureAt(minutes: number, url: string, status: number | null, errors: unknown): JsonRecord {
  const http = {
    request: { url, headers: [] },
    ...(status !== null && { response: { status, headers: [], body: '' } }),
  };
  const moment = new Date(start - minutes * 60_000).toISOString();
  const attempts = [attemptRecord({ status: 'failed', started_at: moment, http, errors })];
  return webhookDeliveryRecord({ id: `d${minutes}`, status: 'failed', started_at: moment, attempts });
}

const hook = 'https://hooks.example.com/voice';
const refused = { code: '75001', title: 'Connection failed', detail: 'No answer after 3 s.' };

describe('deliveryFailures', () => {
  test('groups what failed by address, status and error, the largest group first', async ({ gateway, upstream }) => {
    const rows = [
      failureAt(1, `${hook}?token=secret-1`, null, [75001]),
      failureAt(2, `https://user:secret-2@hooks.example.com/voice#secret-3`, null, [refused]),
      failureAt(3, hook, 503, [75203, 75204]),
      failureAt(4, hook, null, [{ title: 'No code' }]),
      failureAt(5, hook, null, [75001]),
      failureAt(6, 'https://hooks.example.com/fax', 503, [75203]),
      failureAt(7, 'not an address?secret-4', 503, null),
      failureAt(8, hook, null, null),
    ];
    upstream.script((request) => pageReply(rows, request));
    const { data, errors, text } = await gateway.query(document);
    expect(errors).toEqual([]);
    const kind = { address: hook, status: 'failed', httpStatus: null, errorCode: null, title: null, count: 1 };
    const silent = { httpStatus: null, errorCode: 75001, title: 'Connection failed' };
    expect(data.deliveryFailures).toEqual({
      groups: [
        { ...kind, ...silent, count: 3, newest: { id: 'd1' } },
        { ...kind, httpStatus: 503, errorCode: 75203, newest: { id: 'd3' } },
        { ...kind, title: 'No code', newest: { id: 'd4' } },
        { ...kind, address: 'https://hooks.example.com/fax', httpStatus: 503, errorCode: 75203, newest: { id: 'd6' } },
        { ...kind, address: 'not an address', httpStatus: 503, newest: { id: 'd7' } },
        { ...kind, newest: { id: 'd8' } },
      ],
      examined: 8,
      isWhole: true,
    });
    expect(text).not.toContain('secret');
    expect(upstream.requests.map(({ rawQuery }) => rawQuery)).toEqual([
      'filter[status][eq]=failed&page[number]=1&page[size]=250',
    ]);
  });

  test('asked for twice are read once, behind the first page side by side', async ({ gateway, upstream }) => {
    const rows = Array.from({ length: 700 }, (_, index) => failureAt(index, hook, 503, null));
    const isThirdAsked = Promise.withResolvers<void>();
    upstream.script(async (request) => {
      if (request.query['page[number]'] === '3') isThirdAsked.resolve();
      if (request.query['page[number]'] === '2') await isThirdAsked.promise;
      return pageReply(rows, request);
    });
    const { data } = await gateway.query(
      '{ all: deliveryFailures { examined } one: deliveryFailures(first: 1) { examined groups { count } } }',
    );
    expect(data).toEqual({ all: { examined: 700 }, one: { examined: 700, groups: [{ count: 700 }] } });
    expect(upstream.requests.map(({ query }) => query['page[number]'])).toEqual(['1', '2', '3']);
  });

  test('of deliveries that say nothing are one group of nulls', async ({ gateway, upstream }) => {
    const unclear = { http: { response: { status: 'x' } }, errors: [{ code: 'x', title: 7 }] };
    const odd = [{ errors: 'x' }, { http: 7 }, unclear];
    const rows = [
      ...odd.map((attempt, index) => ({ id: `o${index}`, attempts: [attempt] })),
      { id: 'none', attempts: 7 },
      {},
      null,
    ];
    upstream.script((request) => pageReply(rows, request));
    const data = await gateway.data(document);
    const unknown = { address: null, status: null, httpStatus: null, errorCode: null, title: null };
    const groups = [{ ...unknown, count: 5, newest: { id: 'o0' } }];
    expect(data.deliveryFailures).toEqual({ groups, examined: 5, isWhole: true });
  });

  test('take another status, filters, and as many groups as asked: ten by default', async ({ gateway, upstream }) => {
    const rows = Array.from({ length: 11 }, (_, index) => ({
      ...failureAt(index, `${hook}/${index}`, 500, []),
      status: 'expired',
    }));
    upstream.script((request) => pageReply(rows, request));
    const filter = { status: { eq: 'expired' }, attempts: { contains: 'hooks' } };
    for (const [first, count] of [
      [2, 2],
      [undefined, 10],
    ] as const) {
      const { data } = await gateway.query(document, { variables: { filter, first } });
      const groups = Array.from({ length: count }, () => ({ status: 'expired' }));
      expect(data.deliveryFailures).toMatchObject({ groups, examined: 11 });
    }
    expect(upstream.requests[0]?.query).toMatchObject({
      'filter[status][eq]': 'expired',
      'filter[attempts][contains]': 'hooks',
    });
  });

  const many = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => failureAt(from + index, hook, 500, [75200]));

  test.for([
    ['come', 0, 704],
    ['go', 8, 696],
  ] as const)('of a long list are counted once while others %s', async ([, from, count], { gateway, upstream }) => {
    upstream.script((request) => pageReply(many(upstream.requests.length === 1 ? 4 : from, 704), request));
    const { data } = await gateway.query(document);
    expect(data.deliveryFailures).toMatchObject({ groups: [{ count }], examined: count, isWhole: true });
    expect(upstream.requests).toHaveLength(6);
  });

  test('of one connection are those that it owns, by two lists', async ({ gateway, upstream }) => {
    const named = (minutes: number, url: string, connection: string | null): JsonRecord => ({
      ...failureAt(minutes, url, 500, [75200]),
      webhook: { payload: { connection_id: connection } },
    });
    // The address belongs to c1 alone, and the first delivery to c2.
    const rows = [named(1, hook, 'c2'), named(2, hook, null), named(3, 'https://old.example.com', 'c1')];
    const connections = [
      { id: 'c1', webhook_event_url: hook },
      { id: 'c2', webhook_event_url: `${hook}/2` },
    ].map(ipConnectionRecord);
    upstream.script((request) => pageReply(request.path === '/ip_connections' ? connections : rows, request));
    const data = await gateway.data(document, { variables: { filter: { connectionId: 'c1' } } });
    expect(data.deliveryFailures).toMatchObject({
      groups: [
        { address: hook, count: 1, newest: { id: 'd2' } },
        { address: 'https://old.example.com', count: 1 },
      ],
      examined: 3,
    });
    expect(upstream.requests.map(({ path }) => path)).toEqual(['/webhook_deliveries', '/ip_connections']);
  });

  test.for([
    [2, 500],
    [3, 700],
  ] as const)('within %i calls are those of %i deliveries', async ([scanPages, examined], { startWith, upstream }) => {
    const gateway = await startWith({ UPSTREAM_SCAN_PAGES: String(scanPages) });
    upstream.script((request) => pageReply(many(0, 700), request));
    const { data } = await gateway.query(document);
    const expected = { groups: [{ count: examined, newest: { id: 'd0' } }], examined, isWhole: examined === 700 };
    expect(data.deliveryFailures).toMatchObject(expected);
    expect(upstream.requests).toHaveLength(scanPages);
  });

  test.for([-1, 501])('of first: %i are refused without a call', async (first, { gateway, upstream }) => {
    const { errors } = await gateway.query(document, { variables: { first } });
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', argument: ['first'] } }]);
    expect(upstream.requests).toEqual([]);
  });
});

// What rows have to show of a filter, so that failures are not those of other deliveries. The records are initiated calls, begun at
// 2026-10-02T14:05:11Z and ended a second later.
describe('failures by a filter that the API may ignore', () => {
  const row = (members: JsonRecord = {}): JsonRecord => webhookDeliveryRecord({ status: 'failed', ...members });
  const event = (event_type: unknown): JsonRecord => row({ webhook: { event_type } });
  const later = { startedAt: { gte: '2026-10-03T00:00:00Z' } };

  /** What is told of these rows, by one call. */
  async function told(filter: object, rows: readonly JsonRecord[], gateway: Gateway, upstream: ScriptedUpstream) {
    const numbered = rows.map((each, index) => ({ ...each, id: `d${index}` }));
    upstream.script((request) => pageReply(numbered, request));
    const answer = await gateway.query(document, { variables: { filter } });
    expect(upstream.requests).toHaveLength(1);
    return answer;
  }

  test.for<[filter: object, rows: readonly JsonRecord[]]>([
    [{}, [row(), webhookDeliveryRecord()]],
    [{ eventType: ['call_answered', 'fax.received'] }, [row(), event('call_hangup')]],
    [later, [row()]],
    [{ finishedAt: { lte: '2026-10-02T14:05:00,5Z' } }, [row()]],
    [
      { eventType: ['call_answered'], finishedAt: { gte: '2026-10-03T00:00Z' } },
      [row({ finished_at: '2026-10-04T00:00:00Z' }), event('call_answered')],
    ],
  ])('are null with an error where no row fits %j', async ([filter, rows], { gateway, upstream }) => {
    const { data, errors } = await told(filter, rows, gateway, upstream);
    expect(data).toEqual({ deliveryFailures: null });
    const message = expect.stringContaining('ignores');
    expect(errors).toMatchObject([{ message, extensions: { code: 'UPSTREAM_BAD_RESPONSE' } }]);
  });

  test.for<[what: string, filter: object, rows: readonly JsonRecord[]]>([
    ['where one row of many fits', { eventType: ['call_answered'] }, [row(), row(), event('call_answered')]],
    ['where there are no rows', later, []],
    ['of types in either spelling', { eventType: ['call.initiated'] }, [row()]],
    ['of types in a list of its own', { eventType: ['call_answered,call_initiated'] }, [row()]],
    ['where the type may be a pattern', { eventType: ['call*'] }, [row()]],
    ['where a row has no event', { eventType: ['call_answered'] }, [row({ webhook: null }), row({ webhook: 'x' })]],
    ['at the bounds', { startedAt: { gte: '2026-10-02T14:05:11Z', lte: '2026-10-02T14:05:11Z' } }, [row()]],
    ['where the row has no zone', later, [row({ started_at: '2026-10-02T14:05:11' })]],
    ['by parts of the event', { webhook: { contains: 'nothing' }, attempts: { contains: 'nothing' } }, [row()]],
  ])('are told %s', async ([, filter, rows], { gateway, upstream }) => {
    const { data, errors } = await told(filter, rows, gateway, upstream);
    expect([data.deliveryFailures.examined, errors]).toEqual([rows.length, []]);
  });
});
