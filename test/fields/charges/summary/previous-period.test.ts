import fc from 'fast-check';
import { describe } from 'vitest';
import { daysBetween, intervalBefore } from '../../../../src/billing/date-interval.ts';
import { expect, testOfFile as test } from '../../../support/gateway.ts';
import { failure } from '../../../support/moving-upstream.ts';
import { chargesSummaryRecord } from '../../../support/records.ts';
import type { SeenRequest } from '../../../support/scripted-upstream.ts';
import { summaryReply } from '../../../support/root-fields.ts';

const document = /* GraphQL */ `
  query ($startDate: Date!, $endDate: Date!) {
    chargesSummary(startDate: $startDate, endDate: $endDate) {
      startDate
      previous {
        startDate
        endDate
      }
    }
  }
`;

const periodsOf = (requests: readonly SeenRequest[]): readonly string[] =>
  requests.map(({ query }) => `${query['start_date']} ${query['end_date']}`);

test.for([
  ['2026-10-01', '2026-11-01', '2026-09-01'],
  ['2026-03-01', '2026-04-01', '2026-02-01'],
  ['2026-01-01', '2026-02-01', '2025-12-01'],
  ['2026-10-15', '2026-11-15', '2026-09-15'],
  ['2026-10-10', '2026-10-20', '2026-09-30'],
  ['2024-02-15', '2024-03-14', '2024-01-18'],
  // There is no 31 November, so it is as many days.
  ['2025-12-31', '2026-01-31', '2025-11-30'],
  ['0000-01-01', '0000-01-31', null],
] as const)('the period before %s to %s begins on %s', async ([startDate, endDate, before], { gateway, upstream }) => {
  upstream.script(summaryReply);
  const { data, errors } = await gateway.query(document, { variables: { startDate, endDate } });
  expect(errors).toEqual([]);
  const previous = before === null ? null : { startDate: before, endDate: startDate };
  expect(data.chargesSummary).toEqual({ startDate, previous });
  const earlier = before === null ? [] : [`${before} ${startDate}`];
  expect(periodsOf(upstream.requests)).toEqual([`${startDate} ${endDate}`, ...earlier]);
});

test('a failure of the period before fails that period alone', async ({ gateway, upstream }) => {
  upstream.script((request) => (request.query['start_date'] === '2026-09-01' ? failure : summaryReply(request)));
  const { data, errors } = await gateway.query(document, {
    variables: { startDate: '2026-10-01', endDate: '2026-11-01' },
  });
  expect(data.chargesSummary).toEqual({ startDate: '2026-10-01', previous: null });
  expect(errors).toMatchObject([{ path: ['chargesSummary', 'previous'], extensions: { code: 'UPSTREAM_ERROR' } }]);
});

test('the period before costs a call for the first month of a history only', async ({ gateway, upstream }) => {
  upstream.script(summaryReply);
  const { errors } = await gateway.query(/* GraphQL */ `
    {
      chargesHistory(startDate: "2026-07-01", endDate: "2026-11-01") {
        previous {
          currency
        }
      }
    }
  `);
  expect(errors).toEqual([]);
  expect(periodsOf(upstream.requests).toSorted().at(0)).toBe('2026-06-01 2026-07-01');
  expect(upstream.requests).toHaveLength(5);
});

test.for([
  ['2026-10-01', '2026-13-01'],
  ['2026-10-01', '2026-10-32'],
])('a summary that claims to be of %s to %s has none', async ([start_date, end_date], { gateway, upstream }) => {
  upstream.script(() => ({ json: { data: chargesSummaryRecord({ start_date, end_date }) } }));
  const { data, errors } = await gateway.query(document, {
    variables: { startDate: '2026-10-01', endDate: '2026-11-01' },
  });
  expect(data.chargesSummary).toEqual({ startDate: start_date, previous: null });
  expect(errors).toMatchObject([
    { path: ['chargesSummary', 'previous'], extensions: { code: 'UPSTREAM_BAD_RESPONSE', retryable: false } },
  ]);
  expect(upstream.requests).toHaveLength(1);
});

describe('the interval before another', () => {
  const millisecondsPerDay = 86_400_000;
  const dateAt = (day: number): string => new Date(day * millisecondsPerDay).toISOString().slice(0, 10);

  test('ends where that begins, and has as many days or is the month before', () => {
    fc.assert(
      fc.property(fc.integer({ min: -25_567, max: 47_000 }), fc.integer({ min: 1, max: 31 }), (day, length) => {
        const [startDate, endDate] = [dateAt(day), dateAt(day + length)];
        const before = intervalBefore({ startDate, endDate });
        expect(before?.endDate).toBe(startDate);
        const days = daysBetween(before?.startDate ?? '', startDate);
        const isMonth = startDate.slice(8) === endDate.slice(8);
        const isMonthBefore = isMonth && before?.startDate.slice(8) === startDate.slice(8);
        if (!isMonthBefore) expect(days).toBe(length);
        expect(days).toBeGreaterThanOrEqual(isMonthBefore ? 28 : 1);
        expect(days).toBeLessThanOrEqual(31);
      }),
      { numRuns: 2000 },
    );
  });
});
