import { describe, expect, testOfFile as test } from '../../support/gateway.ts';
import { chargesSummaryRecord, type JsonRecord } from '../../support/records.ts';
import { startsOf, summariesBy } from './summaries.ts';

const document = `query ($month: Date!, $months: Int) {
  chargesForecast(month: $month, months: $months) { startDate endDate currency expected low high months }
}`;

const { total } = chargesSummaryRecord() as { total: object };
const of = (grand_total: string): JsonRecord => ({ total: { ...total, grand_total } });
const [january, february, march] = ['2026-01-01', '2026-02-01', '2026-03-01'] as const;

describe('a forecast', () => {
  test('is the median, least and greatest of the months before, to the digit', async ({ gateway, upstream }) => {
    const largest = '12345678901234567890.05';
    upstream.script(summariesBy({ [january]: of('10.10'), [february]: of(largest), [march]: of('9.9') }));
    const data = await gateway.data(document, { variables: { month: '2026-04-17', months: 3 } });
    const period = { startDate: '2026-04-01', endDate: '2026-05-01', currency: 'USD', months: 3 };
    expect(data.chargesForecast).toEqual({ ...period, expected: '10.10', low: '9.9', high: largest });
    expect(upstream.requests.map(({ query }) => [query['start_date'], query['end_date']])).toEqual([
      [january, february],
      [february, march],
      [march, '2026-04-01'],
    ]);
  });

  test('of a month that has not come looks at the last six that have ended', async ({ gateway, upstream }) => {
    upstream.script(summariesBy({}, {}));
    const now = new Date();
    const month = (offset: number) =>
      new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset, 1)).toISOString().slice(0, 10);
    const { data } = await gateway.query(document, { variables: { month: month(3) } });
    expect(data.chargesForecast).toMatchObject({ startDate: month(3), months: 6 });
    expect(startsOf(upstream.requests)).toEqual([-6, -5, -4, -3, -2, -1].map(month));
  });

  test.for([
    [{ [january]: {} }, 'UPSTREAM_ERROR'],
    [{ [january]: {}, [february]: { currency: 'EUR' } }, 'UNPROCESSABLE_ENTITY'],
  ] as const)('is null where a month fails, and where currencies differ: %j', async (row, { gateway, upstream }) => {
    const [months, code] = row;
    upstream.script(summariesBy(months));
    const { data, errors } = await gateway.query(document, { variables: { month: march, months: 2 } });
    expect(data).toEqual({ chargesForecast: null });
    expect(errors).toMatchObject([{ extensions: { code } }]);
  });

  test.for([
    [{ month: '2026-04-01', months: 0 }, ['months']],
    [{ month: '2026-04-01', months: 25 }, ['months']],
    [{ month: '9999-12-01' }, ['month']],
    [{ month: '0000-01-15' }, ['month']],
  ] as const)('%j is refused without a call', async ([variables, argument], { gateway, upstream }) => {
    const { errors } = await gateway.query(document, { variables });
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', argument } }]);
    expect(upstream.requests).toEqual([]);
  });
});
