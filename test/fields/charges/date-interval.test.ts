import { describe, expect, test } from 'vitest';
import { historyMonths } from '../../../src/bounds.ts';
import {
  checkDateInterval,
  checkReportDates,
  isMonthOver,
  monthOf,
  monthsBefore,
  monthsOf,
  type DateInterval,
  billingPeriodDays,
} from '../../../src/billing/date-interval.ts';

const dateAt = (day: number): string => new Date(Date.UTC(2026, 9, 1 + day)).toISOString().slice(0, 10);
const refusal = (argument: string, message: string) =>
  expect.objectContaining({ code: 'BAD_USER_INPUT', message, argument: [argument] });
const interval = (startDate: string, endDate: string): DateInterval => ({ startDate, endDate });

describe('the period of a report', () => {
  test('has as many days as the API takes, and one at least', () => {
    for (const days of [1, billingPeriodDays])
      expect(() => checkDateInterval('2026-10-01', dateAt(days))).not.toThrow();
    for (const days of [0, -1])
      expect(() => checkDateInterval('2026-10-01', dateAt(days))).toThrow(
        refusal('endDate', 'endDate must be later than startDate (2026-10-01): it is exclusive.'),
      );
    const days = billingPeriodDays + 1;
    const range = `from 2026-10-01 to ${dateAt(days)} it is ${days}`;
    expect(() => checkDateInterval('2026-10-01', dateAt(days))).toThrow(
      refusal('endDate', `The date range cannot exceed ${billingPeriodDays} days; ${range}.`),
    );
  });

  test('may leave its end to the API', () => {
    for (const endDate of [null, undefined])
      expect(() => checkReportDates({ startDate: '2026-10-01', endDate })).not.toThrow();
    expect(() => checkReportDates(interval('2026-10-01', '2026-10-01'))).toThrow('endDate');
  });
});

describe('the months of a range', () => {
  test.for<readonly [startDate: string, endDate: string, bounds: readonly string[]]>([
    ['2026-10-01', '2026-10-02', []],
    ['2026-10-01', '2026-11-01', []],
    ['2026-10-31', '2026-11-02', ['2026-11-01']],
    ['2026-11-15', '2027-02-01', ['2026-12-01', '2027-01-01']],
    ['9999-11-15', '9999-12-31', ['9999-12-01']],
  ])('from %s to %s begin there and on %j', ([startDate, endDate, bounds]) => {
    const starts = [startDate, ...bounds];
    const expected = starts.map((start, index) => interval(start, starts[index + 1] ?? endDate));
    expect(monthsOf(interval(startDate, endDate))).toEqual(expected);
  });

  test('are as many as a history may have, to the day', () => {
    const end = (days: number): string => new Date(Date.UTC(2024, historyMonths, 15 + days)).toISOString().slice(0, 10);
    expect(monthsOf(interval('2024-01-15', end(0)))).toHaveLength(historyMonths + 1);
    for (const days of [1, 20])
      expect(() => monthsOf(interval('2024-01-15', end(days)))).toThrow(
        refusal('endDate', `endDate must be within ${historyMonths} months of startDate (2024-01-15).`),
      );
    for (const endDate of ['2024-01-15', '2024-01-14'])
      expect(() => monthsOf(interval('2024-01-15', endDate))).toThrow(
        refusal('endDate', 'endDate must be later than startDate (2024-01-15): it is exclusive.'),
      );
  });
});

test.for<readonly [startDate: string, endDate: string, today: string, isOver: boolean]>([
  ['2026-10-01', '2026-11-01', '2026-11-01', true],
  ['2026-10-01', '2026-11-01', '2026-10-31', false],
  ['2026-02-01', '2026-03-01', '2026-03-02', true],
  ['2026-10-02', '2026-11-01', '2026-12-01', false],
  ['2026-10-01', '2026-10-31', '2026-12-01', false],
  ['2026-10-01', '2026-12-01', '2027-01-01', false],
  ['2026-10-01', '2026-10-01', '2026-12-01', false],
  ['2026-10-01', '2026-09-01', '2026-12-01', false],
])('%s to %s is a month that is over on %s: %s', ([startDate, endDate, today, isOver]) => {
  expect(isMonthOver(interval(startDate, endDate), today)).toBe(isOver);
});

test.for([
  ['2026-10-01', '2026-10-01', '2026-11-01'],
  ['2026-12-31', '2026-12-01', '2027-01-01'],
  ['0000-01-15', '0000-01-01', '0000-02-01'],
  ['9999-11-30', '9999-11-01', '9999-12-01'],
] as const)('the month of %s is %s to %s', ([date, startDate, endDate]) => {
  expect(monthOf(date, ['month'])).toEqual(interval(startDate, endDate));
});

test('the last month that a date can name is refused at its argument', () => {
  expect(() => monthOf('9999-12-01', ['month'])).toThrow(refusal('month', 'month must be before 9999-12.'));
});

test.for<readonly [month: string, count: number, today: string, starts: readonly string[]]>([
  ['2026-10-01', 3, '2026-12-15', ['2026-07-01', '2026-08-01', '2026-09-01']],
  ['2026-10-01', 2, '2026-09-01', ['2026-07-01', '2026-08-01']],
  ['2026-01-01', 2, '2026-01-31', ['2025-11-01', '2025-12-01']],
  ['2026-10-01', 0, '2026-12-15', []],
  ['0000-03-01', 5, '2026-12-15', ['0000-01-01', '0000-02-01']],
  ['0000-01-01', 5, '2026-12-15', []],
])('the months before %s, %i at most, that are over on %s begin on %j', ([month, count, today, starts]) => {
  const months = monthsBefore(monthOf(month, ['month']), count, today);
  expect(months).toEqual(starts.map((start) => monthOf(start, ['month'])));
});
