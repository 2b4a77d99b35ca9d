import { describe, expect, it } from 'vitest';
import { head, pageAfter, pageBefore, rowsAt, tail } from '../src/parts/place.ts';
import { monthsBefore } from '../src/values/day.ts';
import { difference, sum } from '../src/values/decimal.ts';
import { growth, money } from '../src/values/wording.ts';

describe('decimals', () => {
  it.each([
    [['0.1', '0.2'], '0.3'],
    [['9007199254740993.01', '0.0001'], '9007199254740993.0101'],
    [['-0.0040', '0.0040'], '0'],
    [['5', '-7.25'], '-2.25'],
    [['1.5e2', '+.5', '25e-1'], '153'],
    [[], '0'],
  ])('are added exactly: %j', (decimals, total) => {
    expect(sum(decimals)).toBe(total);
  });

  it('are taken from each other, and keep their sign below one', () => {
    expect(difference('153.32', '871.63')).toBe('-718.31');
    expect(difference('0.01', '0.02')).toBe('-0.01');
    expect(difference('1.50', '-2')).toBe('3.5');
  });

  it('are refused where they would fill the memory', () => {
    expect(() => sum(['1', '1e1000000000'])).toThrow(RangeError);
  });

  it('are worded without a double, and below a cent with all their digits', () => {
    expect(money('9007199254740993.01', 'USD')).toBe('$9,007,199,254,740,993.01');
    expect(money('-0.0040', 'USD')).toBe('-$0.004');
    expect(money('0.00', 'USD')).toBe('$0.00');
    expect(growth('150', '100')).toBe('+50%');
    expect(growth('150', '0')).toBeNull();
  });
});

describe('periods', () => {
  it('are of whole months, over the turn of a year too', () => {
    expect(monthsBefore('2026-02-17', 6)).toEqual({ startDate: '2025-08-01', endDate: '2026-02-01' });
  });
});

describe('places', () => {
  const pageInfo = { hasNextPage: true, hasPreviousPage: true, startCursor: 's', endCursor: 'e' };

  it('know their rows from where they were turned to', () => {
    expect(rowsAt(head(15), 15, 604)).toEqual({ from: 1, to: 15 });
    expect(rowsAt(pageAfter(pageInfo, { from: 1, to: 15 }, 15), 15, 604)).toEqual({ from: 16, to: 30 });
    expect(rowsAt(tail(15), 15, 604)).toEqual({ from: 590, to: 604 });
    expect(rowsAt(pageBefore(pageInfo, { from: 5, to: 19 }, 15), 4, 604)).toEqual({ from: 1, to: 4 });
  });

  it('say nothing where it cannot be told', () => {
    expect(rowsAt(tail(15), 15, null)).toBeNull();
    expect(rowsAt(pageBefore(pageInfo, null, 15), 15, 604)).toBeNull();
    expect(rowsAt(head(15), 0, 0)).toBeNull();
  });
});
