import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { historyMonths } from '../../../src/bounds.ts';
import { daysBetween, isMonthOver, monthOf, monthsBefore, monthsOf } from '../../../src/billing/date-interval.ts';

const dateAt = (day: number): string => new Date(day * 86_400_000).toISOString().slice(0, 10);
// From 1900 to 2100, leap years and the one that is none among them.
const firstDay = fc.integer({ min: -25_567, max: 47_000 });

describe('the months of a range', () => {
  test('follow each other without gap or overlap, each within one calendar month', () => {
    fc.assert(
      fc.property(firstDay, fc.integer({ min: 1, max: 729 }), (day, length) => {
        const range = { startDate: dateAt(day), endDate: dateAt(day + length) };
        const months = monthsOf(range);
        expect(months.at(0)?.startDate).toBe(range.startDate);
        expect(months.at(-1)?.endDate).toBe(range.endDate);
        for (const [index, { startDate, endDate }] of months.entries()) {
          expect(daysBetween(startDate, endDate)).toBeGreaterThan(0);
          const lastDay = dateAt(Date.parse(endDate) / 86_400_000 - 1);
          expect(lastDay.slice(0, 7)).toBe(startDate.slice(0, 7));
          if (index > 0) expect([months[index - 1]?.endDate, startDate.slice(8)]).toEqual([startDate, '01']);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('reach exactly to the same day 24 months on, or to the end of a shorter month', () => {
    fc.assert(
      fc.property(firstDay, (day) => {
        const startDate = dateAt(day);
        const [year = 0, month = 0, dayOfMonth = 0] = startDate.split('-').map(Number);
        const last = new Date(Date.UTC(year + 2, month, 0)).getUTCDate();
        const limit = Date.UTC(year + 2, month - 1, Math.min(dayOfMonth, last)) / 86_400_000;
        expect(() => monthsOf({ startDate, endDate: dateAt(limit) })).not.toThrow();
        expect(() => monthsOf({ startDate, endDate: dateAt(limit + 1) })).toThrow(`${historyMonths} months`);
      }),
      { numRuns: 2000 },
    );
  });
});

test.for<readonly [startDate: string, endDate: string, today: string, isOver: boolean]>([
  ['2026-10-01', '2026-11-01', '2026-11-01', true],
  ['2026-10-01', '2026-11-01', '2026-10-31', false],
  ['2026-10-02', '2026-11-01', '2026-12-01', false],
  ['2026-10-01', '2026-10-31', '2026-12-01', false],
  ['2026-10-01', '2026-12-01', '2027-01-01', false],
])('%s to %s is a month that is over on %s: %s', ([startDate, endDate, today, isOver]) => {
  expect(isMonthOver({ startDate, endDate }, today)).toBe(isOver);
});

test.for<readonly [month: string, count: number, today: string, starts: readonly string[]]>([
  ['2026-10-01', 3, '2026-12-15', ['2026-07-01', '2026-08-01', '2026-09-01']],
  ['2026-10-01', 2, '2026-09-01', ['2026-07-01', '2026-08-01']],
  ['2026-01-01', 2, '2026-01-31', ['2025-11-01', '2025-12-01']],
  ['0000-03-01', 5, '2026-12-15', ['0000-01-01', '0000-02-01']],
  ['0000-01-01', 5, '2026-12-15', []],
])('the months before %s, %i at most, that are over on %s begin on %j', ([month, count, today, starts]) => {
  const months = monthsBefore(monthOf(month), count, today);
  expect(months).toEqual(starts.map((start) => monthOf(start)));
});
