import { describe } from 'vitest';
import { startFixedSandbox } from '../../support/sandbox.ts';
import { subscribe } from '../../support/event-stream.ts';
import { expect, startGateway, test } from '../../support/gateway.ts';
import * as records from '../../support/records.ts';
import { pageReply } from '../../support/scripted-upstream.ts';
import { violationLines, violationsIn } from '../../support/metrics.ts';

const query = `query List($filter: WebhookDeliveryFilter, $first: Int) {
  webhookDeliveries(filter: $filter, first: $first) { totalCount nodes { id } }
}`;
const row = records.webhookDeliveryRecord;
const event = (event_type: unknown): records.JsonRecord => row({ webhook: { event_type } });
const ignored = (...names: readonly string[]): Record<string, number> =>
  Object.fromEntries(names.map((name) => [`WebhookDeliveryFilter.${name} ignored_filter`, 1]));

// The records are delivered calls, begun at 2026-10-02T14:05:11Z and ended a second later.
const status = { status: { eq: 'failed' } };
const later = { startedAt: { gte: '2026-10-03T00:00:00Z' } };

describe('a filter that no row of a page fits', () => {
  test.for<[filter: object, rows: readonly unknown[], names: readonly string[]]>([
    [status, [row(), row()], ['status']],
    [{ status: { eq: 'DELIVERED' } }, [row({ status: 'failed' })], ['status']],
    [{ eventType: ['call_answered', 'fax.received'] }, [row(), event('call_hangup')], ['eventType']],
    [later, [row()], ['startedAt']],
    [{ startedAt: { lte: '2026-10-02T14:05:08Z' } }, [row()], ['startedAt']],
    [{ startedAt: { lte: '2026-10-02T14:05:00+00:30' } }, [row()], ['startedAt']],
    [{ startedAt: { gte: '2026-10-02T13:35:14-0030' } }, [row()], ['startedAt']],
    [
      { startedAt: { gte: '2026-10-01T00:00:00Z', lte: '2026-10-02T00:00:00Z' } },
      [row(), row({ started_at: '2026-09-01T00:00:00Z' })],
      ['startedAt'],
    ],
    [{ finishedAt: { gte: '2026-10-03T00:00Z' } }, [row()], ['finishedAt']],
    [{ finishedAt: { lte: '2026-10-02T14:05:00,5Z' } }, [row()], ['finishedAt']],
    [{ ...status, ...later }, [row()], ['status', 'startedAt']],
    [{ ...status, ...later }, [row({ status: 'failed' })], ['startedAt']],
    [status, [row({ status: null }), row({ status: 7 }), null, 'x', row()], ['status']],
    [
      { ...status, eventType: ['call_answered'] },
      [row({ status: 'failed' }), event('call_answered')],
      ['status', 'eventType'],
    ],
  ])('is counted and logged, and the page shown: %j', async ([filter, rows, names], { gateway, upstream }) => {
    upstream.script((request) => pageReply(rows, request));
    const { data } = await gateway.query(query, { variables: { filter }, headers: { 'x-request-id': 'id-1' } });
    expect(data.webhookDeliveries.nodes).toHaveLength(rows.length);
    expect(await violationsIn(gateway)).toMatchObject(ignored(...names));
    expect(violationLines(gateway)).toEqual(
      expect.arrayContaining([
        {
          level: 'warn',
          requestId: 'id-1',
          operationName: 'List',
          coordinate: `WebhookDeliveryFilter.${names[0]}`,
          kind: 'ignored_filter',
          msg: 'contract violation',
        },
      ]),
    );
  });

  test('is counted once per page, even where one row is read only for the length', async ({ gateway, upstream }) => {
    upstream.script((request) =>
      pageReply(
        Array.from({ length: 600 }, (_, index) => row({ id: `row-${index}` })),
        request,
      ),
    );
    const variables = { filter: status, first: 500 };
    await gateway.query(query, { variables });
    expect(await violationsIn(gateway)).toEqual({ 'WebhookDeliveryFilter.status ignored_filter': 2 });
    await gateway.query(
      'query ($filter: WebhookDeliveryFilter) { webhookDeliveries(filter: $filter) { totalCount } }',
      { variables },
    );
    expect(await violationsIn(gateway)).toEqual({ 'WebhookDeliveryFilter.status ignored_filter': 3 });
    expect(violationLines(gateway)).toHaveLength(1);
  });
});

describe('a filter is not taken for ignored', () => {
  test.for<[what: string, filter: object, rows: readonly unknown[]]>([
    ['where one row of many fits', status, [row(), row(), row({ status: 'failed' })]],
    ['where there are no rows', status, []],
    ['where no row says', status, [row({ status: null }), row({ status: undefined }), null, 7]],
    ['where the case differs', { status: { eq: 'Delivered' } }, [row()]],
    ['in either spelling', { eventType: ['call.initiated'] }, [row()]],
    ['in either spelling, the other way round', { eventType: ['call_initiated'] }, [event('call.initiated')]],
    ['among several types', { eventType: ['call_answered', 'call_initiated'] }, [row()]],
    ['in a list of its own', { eventType: ['call_answered,call_initiated'] }, [row()]],
    ['where the type may be a pattern', { eventType: ['call*'] }, [row()]],
    ['where the type may be anything', { eventType: [''] }, [row()]],
    [
      'where a row has no event',
      { eventType: ['call_answered'] },
      [row({ webhook: null }), row({ webhook: 'x' }), event(7)],
    ],
    ['at its bounds', { startedAt: { gte: '2026-10-02T14:05:11Z', lte: '2026-10-02T14:05:11Z' } }, [row()]],
    ['at its bounds, rounded', { startedAt: { gte: '2026-10-02T14:05:12Z' } }, [row()]],
    ['where the bound has no zone', { startedAt: { gte: '2026-10-03T00:00:00' } }, [row()]],
    [
      'where the row has no zone',
      later,
      [row({ started_at: '2026-10-02T14:05:11' }), row({ started_at: '2026-13-77T00:00:00Z' })],
    ],
    ['by parts of the event', { webhook: { contains: 'nothing' }, attempts: { contains: 'nothing' } }, [row()]],
    ['where nothing is asked', { status: null, eventType: null, startedAt: { gte: null } }, [row()]],
  ])('%s', async ([, filter, rows], { gateway, upstream }) => {
    upstream.script((request) => pageReply(rows, request));
    await gateway.query(query, { variables: { filter } });
    const counted = Object.keys(await violationsIn(gateway)).filter((name) => name.includes('ignored_filter'));
    expect(counted).toEqual([]);
  });
});

test('a filter that the gateway adds is checked as well', async ({ gateway, upstream }) => {
  upstream.script((request) =>
    pageReply(
      Array.from({ length: 40 }, (_, index) =>
        row({ id: `row-${index}`, started_at: `2026-10-02T14:${59 - index}:00Z` }),
      ),
      {
        ...request,
        query: { ...request.query },
      },
    ),
  );
  const page = `query ($after: String) { webhookDeliveries(first: 5, after: $after) { pageInfo { endCursor } nodes { id } } }`;
  const first = await gateway.query(page);
  const { endCursor } = first.data.webhookDeliveries.pageInfo;
  upstream.script((request) => pageReply([row({ started_at: '2026-10-30T00:00:00Z' })], request));
  await gateway.query(page, { variables: { after: endCursor } });
  expect(Object.keys(await violationsIn(gateway))).toContain('WebhookDeliveryFilter.startedAt ignored_filter');
});

test('the filter of a stream is checked at each poll', async ({ startWith, upstream }) => {
  const gateway = await startWith({ SUBSCRIPTION_POLL_MS: '5' });
  upstream.script((request) => pageReply([row()], request));
  const stream = await subscribe(
    gateway,
    'subscription { webhookDeliveries(filter: { status: { eq: "failed" } }) { id } }',
    {
      headers: { 'x-request-id': 'id-1' },
    },
  );
  await stream.begun;
  await expect
    .poll(async () => (await violationsIn(gateway))['WebhookDeliveryFilter.status ignored_filter'])
    .toBeGreaterThan(3);
  stream.close();
  await stream.ended;
  expect(violationLines(gateway)).toMatchObject([{ requestId: 'id-1', operationName: null }]);
});

test('the sandbox ignores filters for its key of that name alone', async () => {
  const sandbox = await startFixedSandbox();
  const gateway = await startGateway(sandbox.baseUrl);
  const filters = [
    status,
    { eventType: ['fax_received'] },
    { startedAt: { lte: '2026-10-20T00:00:00Z' } },
    { finishedAt: { gte: '2026-10-03T00:00:00Z', lte: '2026-10-03T01:00:00Z' } },
  ];
  for (const filter of filters) await gateway.query(query, { variables: { filter, first: 3 } });
  expect(await violationsIn(gateway)).toEqual({});
  for (const filter of filters)
    await gateway.query(query, { variables: { filter, first: 3 }, key: 'ignored-filters-key' });
  expect(await violationsIn(gateway)).toEqual(ignored('status', 'eventType', 'startedAt', 'finishedAt'));
  await gateway.close();
  await sandbox.close();
});
