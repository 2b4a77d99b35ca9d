import { describe, expect, it } from 'vitest';
import { headOf } from '../src/charges/history-series.ts';
import { together } from '../src/deliveries/arrivals.ts';
import { pageAfter, pageBefore } from '../src/parts/page-arguments.ts';
import { monthsBefore } from '../src/values/day.ts';
import { difference } from '../src/values/decimal.ts';
import { growth, money, monthOrPart, range } from '../src/values/wording.ts';

describe('decimals', () => {
  it('are taken from each other, and keep their sign below one', () => {
    expect(difference('153.32', '871.63')).toBe('-718.31');
    expect(difference('0.01', '0.02')).toBe('-0.01');
    expect(difference('1.50', '-2')).toBe('3.5');
  });

  it('are refused where they would fill the memory', () => {
    expect(() => difference('1', '1e1000000000')).toThrow(RangeError);
  });

  it('are worded without a double, and below a cent with all their digits', () => {
    expect(money('9007199254740993.01', 'USD')).toBe('$9,007,199,254,740,993.01');
    expect(money('-0.0040', 'USD')).toBe('-$0.004');
    expect(money('0.00', 'USD')).toBe('$0.00');
    expect(money('1234.5', null)).toBe('1,234.50');
    expect(money('1234.5', 'points')).toBe('1,234.50 points');
    expect(growth('150', '100')).toBe('+50%');
    expect(growth('150', '0')).toBeNull();
  });
});

describe('periods', () => {
  it('are of whole months, over the turn of a year too', () => {
    expect(monthsBefore('2026-02-17', 6)).toEqual({ startDate: '2025-08-01', endDate: '2026-02-01' });
  });
});

describe('months', () => {
  it.each([
    ['2026-10-01', '2026-11-01', 'Oct 2026'],
    ['2026-08-15', '2026-09-01', '15–31 Aug 2026'],
    ['2026-12-01', '2026-12-02', '1 Dec 2026'],
  ])('are named, and parts of them told by their days: %s to %s', (startDate, endDate, name) => {
    // Thin spaces around the dash are the formatter's choice.
    expect(monthOrPart({ startDate, endDate }).replaceAll('\u2009', '')).toBe(name);
  });

  it('are headed as not read where their summary is missing', () => {
    expect(headOf({ startDate: '2026-10-01', endDate: '2026-11-01', summary: null })).toBe('Oct 2026, not read');
  });
});

describe('deliveries that arrive and those of the list', () => {
  const delivery = (nodeId: string, startedAt: string | null) => ({
    nodeId,
    startedAt,
    finishedAt: null,
    status: 'delivered',
    webhook: null,
    attemptCount: null,
    newestAttempt: null,
  });
  const late = delivery('late', '2026-10-31T23:00:01.5Z');
  const newest = delivery('newest', '2026-10-31T23:00:10Z');
  const listed = [delivery('second', '2026-10-31T23:00:02Z'), delivery('first', '2026-10-31T23:00:01Z')];

  it('are each shown once, newest first, those without a start last', () => {
    const startless = delivery('startless', null);
    const rows = together([late, newest], [newest, startless, ...listed]);
    expect(rows.map(({ nodeId }) => nodeId)).toEqual(['newest', 'second', 'late', 'first', 'startless']);
  });
});

describe('pages', () => {
  const pageInfo = { hasNextPage: true, hasPreviousPage: true, startCursor: 's', endCursor: 'e' };

  it('are turned by the cursors of the shown one', () => {
    expect(pageAfter(pageInfo, 15)).toEqual({ first: 15, after: 'e' });
    expect(pageBefore(pageInfo, 15)).toEqual({ last: 15, before: 's' });
  });

  it('are turned from either end where there is no cursor', () => {
    const empty = { ...pageInfo, startCursor: null, endCursor: null };
    expect(pageAfter(empty, 15)).toEqual({ first: 15 });
    expect(pageBefore(empty, 15)).toEqual({ last: 15 });
  });

  it('say where they stand, as far as it is known', () => {
    expect(range(15, 15, 604)).toBe('16–30 of 604');
    expect(range(12_000, 4, 12_004)).toBe('12,001–12,004 of 12,004');
    expect(range(null, 15, 604)).toBe('15 of 604');
    expect(range(null, 15, null)).toBe('15 of –');
  });
});
