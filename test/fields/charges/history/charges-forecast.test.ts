import { describe } from 'vitest';
import { expect, testOfFile as test } from '../../../support/gateway.ts';
import { failure } from '../../../support/moving-upstream.ts';
import { chargesSummaryRecord } from '../../../support/records.ts';
import type { Script } from '../../../support/scripted-upstream.ts';

const document = `query ($month: Date!, $months: Int) {
  chargesForecast(month: $month, months: $months) { startDate endDate currency expected low high months }
}`;

/** Summaries whose grand total depends on the month. */
const totals =
  (of: Readonly<Record<string, string>>, currencies: Readonly<Record<string, string>> = {}): Script =>
  ({ query }) => {
    const { start_date: start = '', end_date: end } = query;
    const { total } = chargesSummaryRecord() as { total: object };
    const fields = { start_date: start, end_date: end, currency: currencies[start] ?? 'USD' };
    return { json: { data: chargesSummaryRecord({ ...fields, total: { ...total, grand_total: of[start] ?? '9' } }) } };
  };

describe('a forecast', () => {
  test('is the median, the least and the greatest of the months before, digit for digit', async ({
    gateway,
    upstream,
  }) => {
    upstream.script(totals({ '2026-01-01': '10.10', '2026-02-01': '12345678901234567890.05', '2026-03-01': '9.9' }));
    const { data, errors } = await gateway.query(document, { variables: { month: '2026-04-17', months: 3 } });
    expect(errors).toEqual([]);
    expect(data.chargesForecast).toEqual({
      startDate: '2026-04-01',
      endDate: '2026-05-01',
      currency: 'USD',
      expected: '10.10',
      low: '9.9',
      high: '12345678901234567890.05',
      months: 3,
    });
    expect(upstream.requests.map(({ query }) => [query['start_date'], query['end_date']])).toEqual([
      ['2026-01-01', '2026-02-01'],
      ['2026-02-01', '2026-03-01'],
      ['2026-03-01', '2026-04-01'],
    ]);
  });

  test.for([
    ['1.01', '1.02', '1.015'],
    ['1.01', '1.03', '1.02'],
    ['2', '3', '2.5'],
    ['-5.00', '5.0', '0.00'],
    ['0.1234567890123456789012345', '0', '0.06172839450617283945061725'],
  ] as const)('of %s and %s expects %s', async ([one, other, expected], { gateway, upstream }) => {
    upstream.script(totals({ '2026-01-01': one, '2026-02-01': other }));
    const { data } = await gateway.query(document, { variables: { month: '2026-03-01', months: 2 } });
    expect(data.chargesForecast).toMatchObject({ expected, months: 2 });
  });

  test('of a month that has not come looks at months that have ended, six where nothing is said', async ({
    gateway,
    upstream,
  }) => {
    upstream.script(totals({}));
    const now = new Date();
    const month = (offset: number) =>
      new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset, 1)).toISOString().slice(0, 10);
    const { data } = await gateway.query(document, { variables: { month: month(3) } });
    expect(data.chargesForecast).toMatchObject({ startDate: month(3), months: 6 });
    expect(upstream.requests.map(({ query }) => query['start_date'])).toEqual([-6, -5, -4, -3, -2, -1].map(month));
  });

  test('is null where a month fails, and where currencies differ', async ({ gateway, upstream }) => {
    const variables = { month: '2026-04-01', months: 2 };
    const reply = totals({});
    upstream.script((request) => (request.query['start_date'] === '2026-02-01' ? failure : reply(request)));
    const failed = await gateway.query(document, { variables });
    expect(failed.data).toEqual({ chargesForecast: null });
    expect(failed.errors).toMatchObject([{ extensions: { code: 'UPSTREAM_ERROR' } }]);
    upstream.script(totals({}, { '2026-03-01': 'EUR' }));
    const mixed = await gateway.query(document, { variables });
    expect(mixed.errors).toMatchObject([{ extensions: { code: 'UNPROCESSABLE_ENTITY' } }]);
  });

  test.for([
    [{ month: '2026-04-01', months: 0 }, ['months']],
    [{ month: '2026-04-01', months: 25 }, ['months']],
    [{ month: '2026-04-01', months: 25_000 }, ['months']],
    [{ month: '9999-12-01' }, ['month']],
    [{ month: '0000-01-15' }, ['month']],
  ] as const)('%j is refused without a call', async ([variables, argument], { gateway, upstream }) => {
    const { errors } = await gateway.query(document, { variables });
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', argument } }]);
    expect(upstream.requests).toEqual([]);
  });
});
