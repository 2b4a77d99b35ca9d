import fc from 'fast-check';
import { countCalls } from '../../src/resources/delivery-counts.ts';
import { describe, expect, testOfFile as test } from '../support/gateway.ts';
import { webhookDeliveryRecord, type Json, type JsonRecord } from '../support/records.ts';
import { runs } from '../support/runs.ts';
import { pageReply, type Script, type SeenRequest } from '../support/scripted-upstream.ts';

const document = `query ($range: DateTimeRangeFilter!, $interval: Interval!, $statuses: [String!], $filter: WebhookDeliveryFilter) {
  deliveryCounts(startedAt: $range, interval: $interval, statuses: $statuses, filter: $filter) {
    buckets { start end total byStatus { status count } }
  }
}`;

const oneDay = { gte: '2026-10-01T00:00:00Z', lte: '2026-10-02T00:00:00Z' };

/** Deliveries of which the API shows as many as its filter lets through, with a status where it is asked for. */
function countingScript(rows: readonly JsonRecord[], { ignores = [] }: { ignores?: readonly string[] } = {}): Script {
  return (request) => {
    const { query } = request;
    const given = (name: string): string | undefined => (ignores.includes(name) ? undefined : query[`filter[${name}]`]);
    const [status, from, to] = [given('status][eq'), given('started_at][gte'), given('started_at][lte')];
    const matches = ({ status: own, started_at: start }: JsonRecord): boolean =>
      (status === undefined || own === status) &&
      (from === undefined || Date.parse(String(start)) >= Date.parse(from)) &&
      (to === undefined || Date.parse(String(start)) <= Date.parse(to));
    return pageReply(rows.filter(matches), request);
  };
}

const rowAt = (moment: string, status = 'delivered'): JsonRecord =>
  webhookDeliveryRecord({ id: `${moment} ${status}`, started_at: moment, finished_at: moment, status });

const boundsOf = ({ query }: SeenRequest) => [
  query['filter[started_at][gte]'],
  query['filter[started_at][lte]'],
  query['filter[status][eq]'] ?? 'all',
];

const units = { HOUR: 3_600_000, DAY: 86_400_000, WEEK: 7 * 86_400_000 } as const;
const newest = Date.parse('2026-11-01T00:00:00Z');
const moments = fc.oneof(
  fc.integer({ min: 0, max: 33 * 24 }).map((hours) => newest - hours * units.HOUR),
  fc.integer({ min: 0, max: 33 * units.DAY }).map((ms) => newest - ms),
);
const inUtc = (ms: number): string => new Date(ms).toISOString();
// Each fifth begins with an hour, and each seventh at the moment of another.
const times = Array.from({ length: 600 }, (_, index) => newest - 79 * 60_000 * (index - Number(index % 7 === 0)));
const month = times.map((ms, index) => ({
  ms: index % 5 === 0 ? ms - (ms % units.HOUR) : ms,
  status: ['delivered', 'failed', 'expired'][index % 3] ?? '',
}));
const inIndia = (ms: number): string => new Date(ms + 5.5 * units.HOUR).toISOString().replace('Z', '+05:30');

test('over a month of deliveries counts are those of the rows, whatever the range', async ({ gateway, upstream }) => {
  upstream.script(countingScript(month.map(({ ms, status }) => rowAt(inUtc(ms), status))));
  const ranges = fc.record({
    bounds: fc.tuple(moments, moments),
    interval: fc.constantFrom('HOUR', 'DAY', 'WEEK'),
    write: fc.constantFrom(inUtc, inIndia),
  });
  await fc.assert(
    fc.asyncProperty(ranges, async ({ bounds, interval, write }) => {
      const [from = 0, latest = 0] = [...bounds].sort((a, b) => a - b);
      // As many hours as may be counted, of one status and in all.
      const to = Math.min(latest, from + (countCalls / 2 - 2) * units[interval]);
      const variables = { range: { gte: write(from), lte: write(to) }, interval, statuses: ['failed'] };
      const data = await gateway.data(document, { variables });
      const buckets: readonly Json[] = data.deliveryCounts.buckets;
      const starts = buckets.map(({ start }) => Date.parse(start));
      const ends = buckets.map(({ end }) => Date.parse(end));
      expect([starts[0], ends.at(-1)]).toEqual([from, to]);
      expect(starts.slice(1)).toEqual(ends.slice(0, -1));
      for (const start of starts.slice(1)) {
        const day = new Date(start);
        expect(start % Math.min(units[interval], units.DAY)).toBe(0);
        if (interval === 'WEEK') expect(day.getUTCDay()).toBe(1);
      }
      // The last one includes its end.
      const rowsIn = Map.groupBy(month, ({ ms }) => (ms > to ? -1 : starts.findLastIndex((start) => start <= ms)));
      for (const [index, { start, end, total, byStatus }] of buckets.entries()) {
        expect(Date.parse(end) - Date.parse(start)).toBeLessThanOrEqual(units[interval]);
        const counted = rowsIn.get(index) ?? [];
        expect(total).toBe(counted.length);
        const count = counted.filter(({ status }) => status === 'failed').length;
        expect(byStatus).toEqual([{ status: 'failed', count }]);
      }
    }),
    { numRuns: runs(4), examples: [[{ bounds: [newest, newest], interval: 'DAY', write: inUtc }]] },
  );
});

describe('deliveryCounts', () => {
  test('asks for one row for each number, and neighbours do not overlap', async ({ gateway, upstream }) => {
    const noon = '2026-10-01T12:00:00.000000Z';
    upstream.script(
      countingScript([rowAt(noon, 'failed'), rowAt('2026-10-01T11:59:59.999Z'), rowAt('2026-10-01T12:30:00Z')]),
    );
    const range = { gte: '2026-10-01T11:15:00.5Z', lte: '2026-10-01T12:30:00Z' };
    const data = await gateway.data(document, { variables: { range, interval: 'HOUR' } });
    const byStatus = (delivered: number, failed: number) =>
      Object.entries({ delivered, failed }).map(([status, count]) => ({ status, count }));
    expect(data.deliveryCounts.buckets).toEqual([
      { start: range.gte, end: '2026-10-01T12:00:00Z', total: 1, byStatus: byStatus(1, 0) },
      { start: '2026-10-01T12:00:00Z', end: range.lte, total: 2, byStatus: byStatus(1, 1) },
    ]);
    const asked = ['all', 'delivered', 'failed'].flatMap((status) => [
      ['2026-10-01T11:15:00.500Z', '2026-10-01T11:59:59.999Z', status],
      ['2026-10-01T12:00:00.000Z', '2026-10-01T12:30:00.000Z', status],
    ]);
    expect(upstream.requests.map(boundsOf).sort()).toEqual(asked.sort());
    expect(new Set(upstream.requests.map(({ query }) => query['page[size]']))).toEqual(new Set(['1']));
  });

  test.for([
    ['start', 0],
    ['total', 1],
    ['byStatus { count }', 2],
    ['start ... @include(if: false) { total byStatus { count } }', 0],
  ] as const)('of %s alone takes %i calls for each bucket', async ([selection, calls], { gateway, upstream }) => {
    upstream.script(countingScript([rowAt('2026-10-01T05:00:00Z')]));
    await gateway.data(
      `query ($range: DateTimeRangeFilter!) { deliveryCounts(startedAt: $range, interval: DAY) { buckets { ${selection} } } }`,
      { variables: { range: oneDay } },
    );
    expect(upstream.requests).toHaveLength(calls);
  });

  test('takes the other filters with it, and statuses that nobody knows', async ({ gateway, upstream }) => {
    upstream.script((request) => pageReply([], request));
    const filter = { eventType: ['call_hangup'], status: { eq: null } };
    const variables = { range: oneDay, interval: 'DAY', statuses: ['expired', 'expired'], filter };
    const { data } = await gateway.query(document, { variables });
    expect(data.deliveryCounts.buckets).toMatchObject([{ total: 0, byStatus: [{ status: 'expired', count: 0 }] }]);
    expect(upstream.requests.map(({ query }) => [query['filter[event_type]'], query['filter[status][eq]']])).toEqual([
      ['call_hangup', undefined],
      ['call_hangup', 'expired'],
    ]);
  });

  test('counts a total again where deliveries came between the calls', async ({ gateway, upstream }) => {
    const rows = [rowAt('2026-10-01T05:00:00Z'), rowAt('2026-10-01T06:00:00Z')];
    let totals = 0;
    upstream.script((request) => {
      const isTotal = request.query['filter[status][eq]'] === undefined;
      return countingScript(isTotal && totals++ === 0 ? rows.slice(1) : rows)(request);
    });
    const data = await gateway.data(document, { variables: { range: oneDay, interval: 'DAY' } });
    expect(data.deliveryCounts.buckets).toMatchObject([{ total: 2, byStatus: [{ count: 2 }, { count: 0 }] }]);
    expect(upstream.requests).toHaveLength(4);
  });

  const rows = [rowAt('2026-10-02T07:00:00Z'), rowAt('2026-10-01T05:00:00Z', 'failed'), rowAt('2026-09-30T05:00:00Z')];
  const total = (body: object, total_results: unknown) => ({ ...body, meta: { total_results } });
  const lies: readonly (readonly [name: string, script: Script, words: RegExp])[] = [
    ['tells no total', (request) => ({ json: total(pageReply(rows, request).json as object, null) }), /how many/],
    ['ignores statuses', countingScript(rows, { ignores: ['status][eq'] }), /ignores/],
    ['ignores the beginning', countingScript(rows.slice(1), { ignores: ['started_at][gte'] }), /ignores/],
    ['ignores the end', countingScript(rows, { ignores: ['started_at][lte'] }), /ignores/],
    [
      'counts more of a status than of all',
      ({ query }) => {
        const { 'filter[status][eq]': status, 'filter[started_at][gte]': moment = '' } = query;
        const count = status === 'failed' ? 2 : status === undefined ? 1 : 0;
        return { json: total({ data: count === 0 ? [] : [rowAt(moment, 'failed')] }, count) };
      },
      /more than/,
    ],
    [
      'counts rows that it does not send',
      (request) => ({ json: total({ data: [] }, boundsOf(request).join().endsWith('T00:59:59.999Z,all') ? 3 : 0) }),
      /says 3, and sends none/,
    ],
    [
      'rounds a bound up',
      (request) => {
        const lte = request.query['filter[started_at][lte]'] ?? '';
        const rounded = new Date(Math.ceil(Date.parse(lte) / 1000 + 0.001) * 1000).toISOString();
        const query = { ...request.query, 'filter[started_at][lte]': rounded };
        return countingScript([rowAt('2026-10-01T06:00:00Z')])({ ...request, query });
      },
      /ignores/,
    ],
  ];

  test.for(lies)('is null with an error before an API that %s', async ([, script, words], { gateway, upstream }) => {
    upstream.script(script);
    const range = { gte: '2026-10-01T00:00:00Z', lte: '2026-10-01T12:00:00Z' };
    const { data, errors } = await gateway.query(document, { variables: { range, interval: 'HOUR' } });
    expect(data).toEqual({ deliveryCounts: null });
    const extensions = { code: 'UPSTREAM_BAD_RESPONSE', retryable: false };
    expect(errors).toMatchObject([{ path: ['deliveryCounts'], message: expect.stringMatching(words), extensions }]);
  });

  const hours = (count: number) => new Date(Date.parse(oneDay.gte) + count * 3_600_000).toISOString();
  const tooLong = { gte: oneDay.gte, lte: hours(countCalls / 2 + 1) };
  const tooMany = Array.from({ length: countCalls }, (_, index) => `s${index}`);
  const refusals = [
    ['a range without a beginning', { range: { lte: oneDay.lte } }, ['startedAt', 'gte']],
    ['a range without an end', { range: { gte: oneDay.gte, lte: null } }, ['startedAt', 'lte']],
    ['a range that ends before it begins', { range: { gte: oneDay.lte, lte: oneDay.gte } }, ['startedAt']],
    ['a beginning without a zone', { range: { ...oneDay, gte: '2026-10-01T00:00:00' } }, ['startedAt', 'gte']],
    ['ten thousand years', { range: { gte: '0000-01-01T00:00:00Z', lte: '9999-12-31T00:00:00Z' } }, ['startedAt']],
    ['an hour too much', { range: tooLong, interval: 'HOUR', statuses: ['x'] }, ['startedAt']],
    ['too many statuses', { range: oneDay, statuses: tooMany }, ['statuses']],
    ['an empty status among repeated ones', { range: oneDay, statuses: ['a', 'b', 'a', 'b', '', ''] }, ['statuses', 4]],
    ['a long status behind equal ones', { range: oneDay, statuses: ['a', 'a', 'b'.repeat(5_000)] }, ['statuses', 2]],
    ['a filter by status', { range: oneDay, filter: { status: { eq: 'failed' } } }, ['filter', 'status']],
    ['a filter by connection', { range: oneDay, filter: { connectionId: 'c1' } }, ['filter', 'connectionId']],
    ['a filter by time', { range: oneDay, filter: { startedAt: { gte: oneDay.gte } } }, ['filter', 'startedAt']],
  ] as const;

  test.for(refusals)('refuses %s without a call', async ([, variables, argument], { gateway, upstream }) => {
    const { data, errors } = await gateway.query(document, { variables: { interval: 'DAY', ...variables } });
    expect(data).toEqual({ deliveryCounts: null });
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', argument } }]);
    expect(upstream.requests).toEqual([]);
  });

  test('makes as many calls as it may, and each is in its cost', async ({ gateway, upstream }) => {
    upstream.script((request) => pageReply([], request));
    const range = { gte: oneDay.gte, lte: hours(countCalls / 2) };
    const variables = { range, interval: 'HOUR', statuses: ['failed'] };
    const { text } = await gateway.query(document, { variables, headers: { 'x-cost': '1' } });
    const { data, extensions } = JSON.parse(text);
    expect(data.deliveryCounts.buckets).toHaveLength(countCalls / 2);
    expect(upstream.requests).toHaveLength(countCalls);
    expect(extensions.cost.upstreamCalls).toBe(countCalls);
    expect(extensions.cost.estimated).toBeGreaterThanOrEqual(2 * countCalls);
  });
});
