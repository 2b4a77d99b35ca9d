import { expect, test } from 'vitest';
import { hashOf, type Anchor } from '../../src/paging/anchor.ts';
import { AnchorSearch, findAnchor } from '../../src/paging/anchor-search.ts';
import { BudgetSpent } from '../../src/call-budget.ts';
import { sourceOfRows } from '../../src/paging/source.ts';
import type { ReadRange } from '../../src/paging/read-range.ts';
import type { Direction } from '../../src/moment.ts';

// What follows of where a cursor's row stands from so many rows that have been seen, none of which it remembers.

const momentAt = (minute: number): string => new Date(Date.UTC(2026, 9, 31, 0, minute)).toJSON();

/** The cursor of a row between the minutes 4 and 5, in a list that runs from the earliest to the latest. */
const anchor: Anchor = {
  position: 40,
  total: 50,
  row: hashOf('gone'),
  before: [],
  after: [],
  time: { moment: '2026-10-31T00:04:30.000Z', direction: 1 },
  newest: null,
};

/** A search that has seen so many rows from the head of the list on, one for each minute. */
function searchAfter(count: number, timeOrder: Direction = 0): AnchorSearch<number> {
  const rows = [...Array(count).keys()];
  const source = { ...sourceOfRows(rows, String), momentOf: momentAt, timeOrder };
  const bounds = { from: 0, to: count };
  const seen = { bounds, rows, rowAt: (at: number) => rows[at], parts: [{ ...bounds, rows }], total: 50 };
  return new AnchorSearch({ source, anchor, side: 'after' }, seen);
}

test('ten rows in the order of time show where the row was, and nine do not', () => {
  expect(searchAfter(9).byTime(50)).toBeNull();
  expect(searchAfter(9).locate(50)).toBeNull();
  for (const found of [searchAfter(10).byTime(50), searchAfter(10).locate(50)])
    expect(found).toEqual({ row: hashOf('5'), position: 5, shift: 0 });
  expect([searchAfter(9).gap(50), searchAfter(10).gap(50)]).toEqual([
    { low: -1, high: 50 },
    { low: 4, high: 5 },
  ]);
});

test('an order of time that is promised is believed from the first row on', () => {
  expect(searchAfter(6, 1).gap(50)).toEqual({ low: 4, high: 5 });
  expect(searchAfter(6, 1).locate(50)).toEqual({ row: hashOf('5'), position: 5, shift: 0 });
});

test('a row is taken to be gone only once each place between its neighbours has been seen', () => {
  const between: Anchor = { ...anchor, before: [hashOf('10')], after: [hashOf('14')], time: null };
  const rows = [...Array(50).keys()];
  const source = sourceOfRows(rows, String);
  const rangeOf = (...positions: readonly number[]): ReadRange<number> => ({
    bounds: { from: 10, to: 15 },
    rows: [],
    rowAt: (at) => rows[at],
    parts: positions.map((from) => ({ from, to: from + 1, rows: [from] })),
    total: 50,
  });
  for (const missing of [11, 12, 13]) {
    const others = [10, 11, 12, 13, 14].filter((position) => position !== missing);
    const search = new AnchorSearch({ source, anchor: between, side: 'after' }, rangeOf(...others));
    expect(search.locate(50)).toBeNull();
    search.add(rangeOf(missing));
    expect(search.locate(50)).toEqual({ position: 10, row: hashOf('10'), shift: 1 });
  }
});

test('where neither rows nor the order of time are left, the growth of the list tells where to go on', () => {
  const positionIn = (count: number, side: 'after' | 'before', known: Partial<Anchor> = {}): number | undefined => {
    const rows = [...Array(count).keys()];
    const bounds = { from: 0, to: count };
    const seen = { bounds, rows, rowAt: (at: number) => rows[at], parts: [{ ...bounds, rows }], total: count };
    const timeless: Anchor = { ...anchor, time: null, ...known };
    return new AnchorSearch({ source: sourceOfRows(rows, String), anchor: timeless, side }, seen).locate(count)
      ?.position;
  };
  expect(positionIn(53, 'after')).toBe(44);
  expect(positionIn(53, 'before')).toBe(43);
  // Within the list, wherever it was.
  expect(positionIn(30, 'after', { total: null })).toBe(30);
  expect(positionIn(30, 'after', { position: 3 })).toBe(0);
});

test('where no call is left a neighbour that was seen stands in, else the order of time, else nothing', async () => {
  const rows = [...Array(10).keys()];
  const bounds = { from: 0, to: 10 };
  const seen = { bounds, rows, rowAt: (at: number) => rows[at], parts: [{ ...bounds, rows }], total: 50 };
  const find = (known: Partial<Anchor>) => {
    const fetchPage = () => Promise.reject(new BudgetSpent());
    const source = { ...sourceOfRows(rows, String), momentOf: momentAt, fetchPage };
    return findAnchor({ source, anchor: { ...anchor, ...known }, side: 'after' }, seen, 3);
  };
  const before = [hashOf('7')];
  expect(await find({ time: null, before })).toEqual({ row: hashOf('7'), position: 7, shift: 1 });
  const late = { moment: '2026-10-31T00:20:00.000Z', direction: 1 } as const;
  expect(await find({ time: late })).toMatchObject({ position: 41, shift: 0 });
  await expect(find({ time: null })).rejects.toMatchObject({
    code: 'QUERY_TOO_COMPLEX',
    excess: { limit: 3, actual: 4 },
  });
});
