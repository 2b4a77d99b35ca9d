import { describe } from 'vitest';
import { expect, testOfFile as test } from '../../support/gateway.ts';
import { chargesBreakdownRecord, chargesSummaryRecord } from '../../support/records.ts';
import type { Script } from '../../support/scripted-upstream.ts';

/** Keeps a query off the bytes and off the plan. */
const byGraphqlJs = '__schema { __typename }';

describe('amounts of several currencies', () => {
  const inCurrencies =
    (of: Readonly<Record<string, string>>): Script =>
    ({ query }) => {
      const { start_date = '', end_date } = query;
      const fields = { start_date, end_date, currency: of[start_date] ?? 'USD' };
      return { json: { data: chargesSummaryRecord(fields) } };
    };
  const mixed: readonly Readonly<Record<string, string>>[] = [
    { '2026-09-01': 'EUR' },
    { '2026-08-01': 'GBP' },
    { '2026-08-01': 'usd' },
    { '2026-08-01': 'JPY', '2026-09-01': 'EUR' },
  ];

  test.for(mixed.flatMap((of) => ['', byGraphqlJs].map((also) => [of, also] as const)))(
    'are neither compared nor added: %j %s',
    async ([of, also], { gateway, upstream }) => {
      upstream.script(inCurrencies(of));
      const { data, errors } = await gateway.query(`{ ${also}
        chargesSummary(startDate: "2026-09-01", endDate: "2026-10-01") { changes { alias change } }
        chargesHistoryByService(startDate: "2026-08-01", endDate: "2026-10-01") { currency services(orderBy: TOTAL) { alias total amounts } }
      }`);
      expect(data.chargesSummary).toEqual({ changes: null });
      expect(errors).toMatchObject([
        {
          path: ['chargesSummary', 'changes'],
          message:
            'The charges from 2026-08-01 to 2026-10-01 are in several currencies, so that they cannot be compared.',
          extensions: { code: 'UNPROCESSABLE_ENTITY' },
        },
      ]);
      const { currency, services } = data.chargesHistoryByService;
      expect(currency).toBeNull();
      expect(services.map(({ total }: { total: unknown }) => total)).toEqual(services.map(() => null));
      expect(services.length).toBeGreaterThan(0);
      expect(services[0].amounts).not.toContain(null);
    },
  );

  test('of one currency are compared and added', async ({ gateway, upstream }) => {
    upstream.script(inCurrencies({ '2026-08-01': 'EUR', '2026-09-01': 'EUR' }));
    const { data, errors } = await gateway.query(`{
      chargesSummary(startDate: "2026-09-01", endDate: "2026-10-01") { changes { change } }
      chargesHistoryByService(startDate: "2026-08-01", endDate: "2026-10-01") { services { total } } }`);
    expect(errors).toEqual([]);
    expect(data.chargesSummary.changes.length).toBeGreaterThan(0);
    expect(data.chargesHistoryByService.services.every(({ total }: { total: unknown }) => total !== null)).toBe(true);
  });
});

describe('a report for another period than was asked for', () => {
  const periods = [
    { start_date: '2026-09-01', end_date: '2026-10-01' },
    { start_date: '2026-10-02' },
    { end_date: '2026-11-02' },
    { start_date: '2026-09-30T00:00:00Z' },
  ];
  const dates = '(startDate: "2026-10-01", endDate: "2026-11-01")';
  const queries = [
    `{ report: chargesSummary${dates} { currency total { grandTotal } } }`,
    `{ report: chargesSummary${dates} { startDate endDate currency } }`,
    `{ report: chargesSummary${dates} { isComplete } }`,
    `{ ${byGraphqlJs} report: chargesSummary${dates} { currency } }`,
    `{ report: chargesBreakdown${dates} { currency } }`,
    `{ report: chargesBreakdown${dates} { results { totalCount } } }`,
    `{ report: chargesHistory${dates} { currency } }`,
    '{ report: chargesForecast(month: "2026-11-01", months: 1) { expected } }',
  ];

  test.for(queries.flatMap((query) => periods.map((period) => [query, period] as const)))(
    'is an error: %s %j',
    async ([query, period], { gateway, upstream }) => {
      upstream.script(({ path }) => ({
        json: { data: path === '/charges_summary' ? chargesSummaryRecord(period) : chargesBreakdownRecord(period) },
      }));
      const { data, errors } = await gateway.query(query);
      expect([null, [null]]).toContainEqual(data.report);
      expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_BAD_RESPONSE' } }]);
      expect(errors[0].message).toMatch(/sent a report for another period: its (start|end)_date is /);
      expect(upstream.requests).toHaveLength(1);
    },
  );

  test.for(queries.slice(0, 6))('is none where it is the right one: %s', async (query, { gateway, upstream }) => {
    upstream.script(({ path }) => ({
      json: { data: path === '/charges_summary' ? chargesSummaryRecord() : chargesBreakdownRecord() },
    }));
    const { errors } = await gateway.query(query);
    expect(errors).toEqual([]);
    expect(upstream.requests).toHaveLength(1);
  });
});

describe("the API's present", () => {
  const presents = ['2026-06-15T12:00:00Z', '2026-01-01T00:00:00Z', '2031-03-31T23:59:59.999Z', '2019-12-31T23:59:59Z'];

  test.for(presents)('%s decides which months are complete and kept', async (present, { upstream, startWith }) => {
    const day = (months: number): string =>
      new Date(Date.UTC(Number(present.slice(0, 4)), Number(present.slice(5, 7)) - 1 + months, 1))
        .toISOString()
        .slice(0, 10);
    upstream.script(({ query }) => {
      const { start_date, end_date } = query;
      return { json: { data: chargesSummaryRecord({ start_date, end_date }) } };
    });
    const gateway = await startWith({ HISTORY_CACHE_MS: '600000' }, { now: () => Date.parse(present) });
    const document = `{ chargesForecast(month: "${day(6)}", months: 2) { months } }`;
    const { data, errors } = await gateway.query(document);
    expect(errors).toEqual([]);
    expect(data.chargesForecast.months).toBe(2);
    expect(upstream.requests.splice(0).map(({ query }) => query['start_date'])).toEqual([day(-2), day(-1)]);
    const history = `{ chargesHistory(startDate: "${day(-1)}", endDate: "${day(1)}") { isComplete } }`;
    await gateway.query(history);
    const again = await gateway.query(history);
    expect(again.data.chargesHistory).toEqual([{ isComplete: true }, { isComplete: false }]);
    // The month before has been kept since the forecast.
    expect(upstream.requests.map(({ query }) => query['start_date'])).toEqual([day(0), day(0)]);
  });
});
