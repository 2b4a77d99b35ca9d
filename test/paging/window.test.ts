import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hashOf, type Anchor } from '../../src/paging/anchor.ts';
import { cursorNeighbours } from '../../src/paging/cursor.ts';
import { boundsOfPage, coverOf, type Page } from '../../src/paging/page-cover.ts';
import { readWindow } from '../../src/paging/window-reading.ts';
import { ServedSizes, type Source } from '../../src/paging/source.ts';
import { windowOf, type Window, type WindowArguments } from '../../src/paging/window.ts';
import { runs } from '../support/runs.ts';

/** Whether it is so of many values. */
const holds = <Values extends [unknown, ...unknown[]]>(
  values: { [Index in keyof Values]: fc.Arbitrary<Values[Index]> },
  check: (...values: Values) => Promise<void>,
) => fc.assert(fc.asyncProperty<Values>(...values, check), { numRuns: runs(800) });

/** The slow and obvious way: the specification's algorithm over the whole list as an array. */
function slice(list: readonly number[], { first, after, last, before, offset }: Cut): readonly number[] {
  let rows = list.slice(offset ?? 0);
  if (after !== undefined) rows = list.slice(after + 1);
  if (before !== undefined) rows = rows.filter((position) => position < before);
  if (first !== undefined) rows = rows.slice(0, first);
  if (last !== undefined) rows = rows.slice(Math.max(0, rows.length - last));
  return rows;
}

type Cut = Readonly<Partial<Record<'first' | 'after' | 'last' | 'before' | 'offset', number | undefined>>>;

const sizes = fc.integer({ min: 0, max: 60 });
const positions = fc.nat({ max: 119 });
const optional = fc.option(positions, { nil: undefined });
const cuts: fc.Arbitrary<Cut> = fc.oneof(
  fc.record({ first: sizes, offset: fc.option(fc.nat({ max: 150 }), { nil: undefined }) }),
  fc.record({ first: sizes, after: optional, before: optional }),
  fc.record({ last: sizes, after: optional, before: optional }),
  fc.record({ first: sizes, last: sizes, after: optional, before: optional }),
);

/** The cursor of a row of a list that has not moved since; positions beyond its end wrap around. */
function anchorAt(list: readonly number[], position: number | undefined): Anchor | null {
  if (position === undefined) return null;
  const hashes = [...list.keys()].map((row) => hashOf(String(row)));
  const { before, after } = cursorNeighbours;
  return {
    position,
    total: list.length,
    row: hashes[position] ?? 0,
    before: hashes.slice(Math.max(0, position - before), position).toReversed(),
    after: hashes.slice(position + 1, position + 1 + after),
    time: null,
    newest: null,
  };
}

function windowOfCut(list: readonly number[], { first, last, after, before, offset }: Cut): Window {
  const anchors = { after: anchorAt(list, after), before: anchorAt(list, before) };
  return { first: first ?? null, last: last ?? null, offset: offset ?? 0, ...anchors };
}

/** A cut whose cursors are those of rows that the list has. */
function within(total: number, cut: Cut): Cut {
  const bound = (at: number | undefined): number | undefined =>
    at === undefined || total === 0 ? undefined : at % total;
  return { ...cut, after: bound(cut.after), before: bound(cut.before) };
}

/**
 * How an upstream serves a page that is too large: it says so; or not; or counts its pages as if it were not; or begins it where a
 * page of the size that was asked for does.
 */
type Telling = 'told' | 'silent' | 'denied' | 'cut';

interface Manner {
  readonly promised?: number;
  readonly tellsTotal?: boolean;
  readonly telling?: Telling;
}

/** An upstream that holds the numbers from 0 and clamps the page size to its own limit. */
function upstreamOf(
  total: number,
  limit: number,
  { promised = limit, tellsTotal = true, telling = 'told' }: Manner = {},
) {
  const list = Array.from({ length: total }, (_, index) => index);
  const calls: Page[] = [];
  const source: Source<number> = {
    sizes: new ServedSizes(promised),
    identityOf: String,
    momentOf: () => null,
    fetchPage: async (page) => {
      calls.push(page);
      const used = Math.min(page.size, limit);
      const { from } = boundsOfPage({ number: page.number, size: telling === 'cut' ? page.size : used });
      return {
        rows: list.slice(from, from + used),
        totalResults: tellsTotal ? total : null,
        totalPages: tellsTotal
          ? Math.ceil(total / (telling === 'told' || telling === 'silent' ? used : page.size))
          : null,
        pageSize: telling === 'told' ? used : page.size,
      };
    },
  };
  return { list, calls, source };
}

/** The window of arguments without cursors. */
function plain(args: WindowArguments): Window {
  return windowOf(args, () => null);
}

const pageBudget = 100;
const totals = fc.integer({ min: 0, max: 120 });
const limits = fc.integer({ min: 1, max: 40 });

const clamping = (['told', 'silent', 'cut'] as const).map((telling) => ({ promised: 250, telling }));
const manners = fc.constantFrom<Manner>({}, ...clamping);

test('a window shows the same rows as a slice of the whole list, for any list, window and pages', async () => {
  await holds([totals, limits, manners, cuts], async (total, limit, manner, anyCut) => {
    const cut = within(total, anyCut);
    const { list, source } = upstreamOf(total, limit, manner);
    const reading = await readWindow(windowOfCut(list, cut), source, pageBudget);
    const expected = slice(list, cut);
    expect(reading.rows).toEqual(expected);
    if (manner.promised !== undefined) return;
    expect(reading.total).toBe(total);
    if (expected.length === 0) return;
    expect(reading.bounds).toEqual({ from: expected[0], to: (expected.at(-1) ?? 0) + 1 });
  });
});

test('a page at cursors is right where a whole page of a smaller size looks like the last of the size that was asked for', async () => {
  // So many rows have come since the cursors were made, or have gone: at the list's head and at its end.
  const moves = fc.array(fc.integer({ min: -20, max: 20 }), { minLength: 4, maxLength: 4 });
  const clamps = fc.integer({ min: 5, max: 40 });
  await holds([totals, clamps, sizes, positions, positions, moves], async (total, limit, size, at, other, came) => {
    fc.pre(total > 0);
    const { list, source } = upstreamOf(total, limit, { promised: 250, telling: 'denied' });
    const [after, before] = [at % total, other % total];
    const moved = (anchor: Anchor | null, [head = 0, end = 0]: readonly number[]): Anchor | null =>
      anchor && { ...anchor, position: Math.max(0, anchor.position - head), total: Math.max(0, total - head - end) };
    const shown = [{ first: size }, { last: size }];
    for (const cut of shown.flatMap((one) => [
      { ...one, after },
      { ...one, before },
      { ...one, after, before },
    ])) {
      const window = windowOfCut(list, cut);
      const cursors = { after: moved(window.after, came), before: moved(window.before, came.slice(2)) };
      const { rows } = await readWindow({ ...window, ...cursors }, source, pageBudget);
      expect(rows).toEqual(slice(list, cut));
    }
  });
});

test('a page behind a cursor takes one call while nothing moves, if it fits into an upstream page with its anchor', async () => {
  await holds([totals, fc.integer({ min: 1, max: 30 }), positions], async (total, first, at) => {
    fc.pre(total > 0);
    const { list, calls, source } = upstreamOf(total, 250);
    await readWindow(windowOfCut(list, { first, after: at % total }), source, pageBudget);
    await readWindow(windowOfCut(list, { last: first, before: at % total }), source, pageBudget);
    expect(calls).toHaveLength(2);
  });
});

test('a window with a known start takes the fewest possible calls, in one round', async () => {
  await holds(
    [fc.integer({ min: 1, max: 12 }), fc.integer({ min: 0, max: 70 }), fc.integer({ min: 1, max: 40 })],
    async (limit, offset, first) => {
      const { calls, source } = upstreamOf(200, limit);
      await readWindow(plain({ first, offset }), source, pageBudget);
      expect(calls).toHaveLength(fewestPages(offset, offset + first, limit));
    },
  );
});

/** Breadth first over every page of every size: the true minimum, found the slow way. */
function fewestPages(from: number, to: number, limit: number): number {
  let reached = new Set([from]);
  for (let pages = 0; ; pages++) {
    if ([...reached].some((position) => position >= to)) return pages;
    const next = new Set<number>();
    for (const position of reached)
      for (let size = 1; size <= limit; size++) next.add((Math.floor(position / size) + 1) * size);
    reached = next;
  }
}

test('a page that fits into one upstream page takes one call, of the smallest size that holds it', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 5000 }), fc.integer({ min: 1, max: 120 }), (from, count) => {
      const [page, ...others] = coverOf({ from, to: from + count }, 250);
      const fits = (size: number): boolean => Math.floor(from / size) === Math.floor((from + count - 1) / size);
      const smallest = Array.from({ length: 250 }, (_, index) => index + 1).find((size) => size >= count && fits(size));
      if (smallest === undefined) {
        expect(others.length).toBeGreaterThan(0);
        return;
      }
      expect(others).toEqual([]);
      expect(page).toEqual({ number: Math.floor(from / smallest) + 1, size: smallest });
    }),
    { numRuns: runs(400) },
  );
});

test('a list without a reported length ends where its rows do, whatever its pages hold', async () => {
  await holds(
    [
      totals,
      limits,
      fc.constantFrom<Telling>('told', 'silent'),
      fc.record({ first: sizes, offset: fc.nat({ max: 150 }) }),
    ],
    async (total, limit, telling, cut) => {
      const { list, source } = upstreamOf(total, limit, { promised: 60, tellsTotal: false, telling });
      const { rows } = await readWindow(windowOfCut(list, cut), source, pageBudget);
      expect(rows).toEqual(slice(list, cut));
    },
  );
});

test('page sizes that keep changing fail with UPSTREAM_BAD_RESPONSE', async () => {
  const { source } = upstreamOf(0, 250);
  let calls = 0;
  const fetchPage = async () => ({ rows: [], totalResults: 500_000, pageSize: ++calls % 2 === 0 ? 7 : 5000 });
  const reading = readWindow(plain({ first: 10, offset: 100_000 }), { ...source, fetchPage }, pageBudget);
  await expect(reading).rejects.toMatchObject({ code: 'UPSTREAM_BAD_RESPONSE' });
});
