import { describe } from 'vitest';
import { expect, test } from '../support/gateway.ts';
import { webhookDeliveryRecord, type JsonRecord } from '../support/records.ts';
import { pageReply } from '../support/scripted-upstream.ts';

// What rows have to show of a filter, so that failures and counts are not those of other deliveries.
const query = 'query ($filter: WebhookDeliveryFilter) { deliveryFailures(filter: $filter) { examined } }';
const row = (members: JsonRecord = {}): JsonRecord => webhookDeliveryRecord({ status: 'failed', ...members });
const event = (event_type: unknown): JsonRecord => row({ webhook: { event_type } });
const identified = (record: JsonRecord, index: number): JsonRecord => ({ ...record, id: `d${index}` });

// The records are initiated calls, begun at 2026-10-02T14:05:11Z and ended a second later.
const later = { startedAt: { gte: '2026-10-03T00:00:00Z' } };

describe('failures are null with an error where no row fits', () => {
  test.for<[filter: object, rows: readonly JsonRecord[]]>([
    [{ eventType: ['call_answered', 'fax.received'] }, [row(), event('call_hangup')]],
    [later, [row()]],
    [{ startedAt: { lte: '2026-10-02T14:05:08Z' } }, [row()]],
    [{ startedAt: { lte: '2026-10-02T14:05:00+00:30' } }, [row()]],
    [{ startedAt: { gte: '2026-10-02T13:35:14-0030' } }, [row()]],
    [{ finishedAt: { gte: '2026-10-03T00:00Z' } }, [row()]],
    [{ finishedAt: { lte: '2026-10-02T14:05:00,5Z' } }, [row()]],
    [
      { eventType: ['call_answered'], finishedAt: { gte: '2026-10-03T00:00Z' } },
      [row({ finished_at: '2026-10-04T00:00:00Z' }), event('call_answered')],
    ],
  ])('%j', async ([filter, rows], { gateway, upstream }) => {
    upstream.script((request) => pageReply(rows.map(identified), request));
    const { data, errors } = await gateway.query(query, { variables: { filter } });
    expect(data).toEqual({ deliveryFailures: null });
    expect(errors).toMatchObject([
      { message: expect.stringContaining('ignores'), extensions: { code: 'UPSTREAM_BAD_RESPONSE' } },
    ]);
    expect(upstream.requests).toHaveLength(1);
  });
});

describe('failures are told', () => {
  test.for<[what: string, filter: object, rows: readonly JsonRecord[]]>([
    ['where one row of many fits', { eventType: ['call_answered'] }, [row(), row(), event('call_answered')]],
    ['where there are no rows', later, []],
    ['of types in either spelling', { eventType: ['call.initiated'] }, [row()]],
    ['of types in either spelling, the other way round', { eventType: ['call_initiated'] }, [event('call.initiated')]],
    ['of several types', { eventType: ['call_answered', 'call_initiated'] }, [row()]],
    ['of types in a list of its own', { eventType: ['call_answered,call_initiated'] }, [row()]],
    ['where the type may be a pattern', { eventType: ['call*'] }, [row()]],
    ['where a row has no event', { eventType: ['call_answered'] }, [row({ webhook: null }), row({ webhook: 'x' })]],
    ['at the bounds', { startedAt: { gte: '2026-10-02T14:05:11Z', lte: '2026-10-02T14:05:11Z' } }, [row()]],
    ['at the bounds, rounded', { startedAt: { gte: '2026-10-02T14:05:12Z' } }, [row()]],
    ['where the row has no zone', later, [row({ started_at: '2026-10-02T14:05:11' })]],
    ['by parts of the event', { webhook: { contains: 'nothing' }, attempts: { contains: 'nothing' } }, [row()]],
  ])('%s', async ([, filter, rows], { gateway, upstream }) => {
    upstream.script((request) => pageReply(rows.map(identified), request));
    const { data, errors } = await gateway.query(query, { variables: { filter } });
    expect([data, errors]).toEqual([{ deliveryFailures: { examined: rows.length } }, []]);
    expect(upstream.requests).toHaveLength(1);
  });
});
