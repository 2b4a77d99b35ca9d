import { describe, test as plain } from 'vitest';
import { boundOf, compareMoments, momentOf } from '../../src/moment.ts';
import { expect, testOfFile as test } from '../support/gateway.ts';
import { attemptRecord, ipConnectionRecord, webhookDeliveryRecord } from '../support/records.ts';
import { pageReply } from '../support/scripted-upstream.ts';

const at = '2026-06-15T10:00:00Z';
// Each names the instant of `at`.
const spellings: readonly string[] = [
  ...'10:00:00.000Z 10:00:00.000000000Z 12:00:00+02:00 12:00:00+0200 12:00:00+02 10:00:00+00 10:00:00+0000'.split(' '),
  ...'10:00:00-00:00 10:00Z 12:00+02:00 10:00:00,000Z 10:00:00.0000000000000Z 09:59:60Z 24:00:00+14:00'.split(' '),
]
  .map((time) => `2026-06-15T${time}`)
  .concat('2026-06-14T22:30:00-11:30', '2026-06-15t10:00:00z', '2026-06-15 10:00:00Z');

describe('a moment', () => {
  plain.for(spellings)('%s is the instant that it names', (spelling) => {
    expect(momentOf(spelling)).toBe(at);
  });

  plain.for([
    ['2026-06-15T24:00:00Z', '2026-06-16T00:00:00Z'],
    ['2026-12-31T24:00Z', '2027-01-01T00:00:00Z'],
    ['2026-12-31T23:59:60.25Z', '2027-01-01T00:00:00.25Z'],
    ['2026-06-15T10:00:00,123456+00', '2026-06-15T10:00:00.123456Z'],
    ['2026-06-15T10:00:00.1234567891Z', '2026-06-15T10:00:00.123456789Z'],
    ['0000-01-01T00:00:00.5Z', '0000-01-01T00:00:00.5Z'],
  ] as const)('%s is %s', ([spelling, moment]) => {
    expect(momentOf(spelling)).toBe(moment);
  });

  plain.for([
    '2026-06-15T10:00:00',
    '2026-02-30T10:00:00Z',
    '2026-06-15T24:00:01Z',
    '2026-06-15T24:00:00.0000000001Z',
    '2026-06-15T25:00:00Z',
    '2026-06-15',
    '0000-01-01T00:00:00+01:00',
    '9999-12-31T23:59:60Z',
    1_781_517_600,
    null,
  ])('%s names none', (value) => {
    expect(momentOf(value)).toBeNull();
  });

  plain('compares by its digits, however many there are', () => {
    const seconds = ['00Z', '00.000001Z', '00.1Z', '00.12Z', '01Z'];
    const sorted = seconds.map((second) => `2026-06-15T10:00:${second}`);
    expect(sorted.toReversed().sort(compareMoments)).toEqual(sorted);
  });

  plain.for([
    ['2026-06-15T10:00:00.123456Z', '2026-06-15T10:00:00.123Z', '2026-06-15T10:00:00.124Z'],
    ['2026-06-15T12:00:00.000000001+02:00', '2026-06-15T10:00:00.000Z', '2026-06-15T10:00:00.001Z'],
    ['2026-06-15T10:00Z', '2026-06-15T10:00:00.000Z', '2026-06-15T10:00:00.000Z'],
    ['1969-12-31T23:59:59.9999Z', '1969-12-31T23:59:59.999Z', '1970-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.9999Z', '9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ['0000-01-01T00:00:00+05:00', '0000-01-01T00:00:00.000Z', '0000-01-01T00:00:00.000Z'],
    ['2026-06-15T10:00:00', '2026-06-15T10:00:00', '2026-06-15T10:00:00'],
  ] as const)('%s is sent as a bound that leaves out nothing within it', ([text, from, to]) => {
    expect([boundOf(text, 'gte'), boundOf(text, 'lte')]).toEqual([from, to]);
  });
});

const address = (name: string): string => `https://${name}.example.com/`;
const attemptTo = (name: string, started_at: string, finished_at: string) =>
  attemptRecord({ started_at, finished_at, http: { request: { url: address(name), headers: [] } } });

// Two that Date does not read.
test.for(['2026-06-15T10:00:00,000Z', '2026-06-15T24:00:00+14:00'])(
  'an attempt at %s is the newest, and its delivery is of its address',
  async (later, { gateway, upstream }) => {
    const earlier = '2026-06-15T09:59:59Z';
    const attempts = [attemptTo('older', earlier, later), attemptTo('newer', later, '2026-06-15T10:00:01.5Z')];
    const times = { started_at: earlier, finished_at: later };
    const delivery = webhookDeliveryRecord({ attempts, webhook: { payload: {} }, ...times });
    const connections = ['older', 'newer'].map((name) =>
      ipConnectionRecord({ id: name, webhook_event_url: address(name), webhook_event_failover_url: null }),
    );
    upstream.script((request) => pageReply(request.path === '/ip_connections' ? connections : [delivery], request));
    const data = await gateway.data(`{
      webhookDeliveries { nodes { durationMs newestAttempt { startedAt durationMs } ipConnection { id } } }
      deliveryFailures(filter: { status: { eq: "delivered" } }) { groups { address } } }`);
    expect(data.webhookDeliveries.nodes).toEqual([
      { durationMs: 1000, newestAttempt: { startedAt: later, durationMs: 1500 }, ipConnection: { id: 'newer' } },
    ]);
    expect(data.deliveryFailures.groups).toEqual([{ address: address('newer') }]);
  },
);

test('a look-up by a hint in another spelling asks for its instant', async ({ gateway, upstream }) => {
  const rows = [webhookDeliveryRecord({ id: 'd1', started_at: '2026-06-15T12:00:00.25+02:00' })];
  upstream.script((request) => pageReply(rows, request));
  const { data } = await gateway.query('{ webhookDeliveries { nodes { nodeId } } }');
  const [{ nodeId }] = data.webhookDeliveries.nodes;
  const found = await gateway.query(`{ node(nodeId: "${nodeId}") { ... on WebhookDelivery { id } } }`);
  expect(found.data.node).toEqual({ id: 'd1' });
  expect(upstream.requests.at(-1)?.query).toMatchObject({
    'filter[started_at][gte]': '2026-06-15T10:00:00.250Z',
    'filter[started_at][lte]': '2026-06-15T10:00:00.250Z',
  });
});
