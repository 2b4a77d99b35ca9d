import fc from 'fast-check';
import { expect, test } from 'vitest';
import { boundsOfPage, coverOf, uncovered } from '../../src/paging/page-cover.ts';
import { readWindow, type FetchPage } from '../../src/paging/reading.ts';
import { boundsOf, windowOf, type WindowArguments } from '../../src/paging/window.ts';

const runs = { numRuns: 3000 };

/** The slow and obvious way: the specification's algorithm over the whole list as an array. */
function slice(list: readonly number[], { first, after, last, before, offset }: Cut): readonly number[] {
  let rows = list.slice(offset ?? 0);
  if (after !== undefined) rows = list.slice(after + 1);
  if (before !== undefined) rows = rows.filter((position) => position < before);
  if (first !== undefined) rows = rows.slice(0, first);
  if (last !== undefined) rows = rows.slice(Math.max(0, rows.length - last));
  return rows;
}

interface Cut {
  readonly first?: number | undefined;
  readonly after?: number | undefined;
  readonly last?: number | undefined;
  readonly before?: number | undefined;
  readonly offset?: number | undefined;
}

const size = fc.integer({ min: 0, max: 60 });
const position = fc.integer({ min: 0, max: 150 });
const cuts: fc.Arbitrary<Cut> = fc.oneof(
  fc.record({ first: size, offset: fc.option(position, { nil: undefined }) }),
  fc.record({
    first: size,
    after: fc.option(position, { nil: undefined }),
    before: fc.option(position, { nil: undefined }),
  }),
  fc.record({
    last: size,
    after: fc.option(position, { nil: undefined }),
    before: fc.option(position, { nil: undefined }),
  }),
  fc.record({
    first: size,
    last: size,
    after: fc.option(position, { nil: undefined }),
    before: fc.option(position, { nil: undefined }),
  }),
);

function windowOfCut({ first, last, after, before, offset }: Cut) {
  const args: WindowArguments = { first, last, after: after?.toString(), before: before?.toString(), offset };
  return windowOf(args, Number);
}

/** An upstream that holds the numbers from 0 and clamps the page size to its own limit, silently. */
function upstreamOf(total: number, limit: number, tellsTotal = true) {
  const list = Array.from({ length: total }, (_, index) => index);
  const calls: { number: number; size: number }[] = [];
  const fetchPage: FetchPage<number> = async (page) => {
    calls.push(page);
    const used = Math.min(page.size, limit);
    const { from, to } = boundsOfPage({ number: page.number, size: used });
    return { rows: list.slice(from, to), totalResults: tellsTotal ? total : null, pageSize: used };
  };
  return { list, calls, fetchPage };
}

test('a window shows what a slice of the whole list would, for any list, window and page limit', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 120 }),
      fc.integer({ min: 1, max: 40 }),
      cuts,
      async (total, limit, cut) => {
        const { list, fetchPage } = upstreamOf(total, limit);
        const reading = await readWindow(windowOfCut(cut), limit, fetchPage);
        const expected = slice(list, cut);
        expect(reading.rows).toEqual(expected);
        expect(reading.total).toBe(total);
        expect(reading.rows.map((_row, index) => reading.positionAt(index))).toEqual(expected);
        if (expected.length === 0) return;
        expect(reading.bounds).toEqual({ from: expected[0], to: (expected.at(-1) ?? 0) + 1 });
      },
    ),
    runs,
  );
});

test('a window is right although the upstream uses smaller pages than it promised', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 120 }),
      fc.integer({ min: 1, max: 40 }),
      cuts,
      async (total, limit, cut) => {
        const { list, fetchPage } = upstreamOf(total, limit);
        const { rows } = await readWindow(windowOfCut(cut), 250, fetchPage);
        expect(rows).toEqual(slice(list, cut));
      },
    ),
    runs,
  );
});

test('a window with a known start takes the fewest calls that any choice of pages allows, in one round', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 0, max: 70 }),
      fc.integer({ min: 1, max: 40 }),
      async (limit, offset, first) => {
        const { calls, fetchPage } = upstreamOf(200, limit);
        await readWindow(
          windowOf({ first, offset }, () => null),
          limit,
          fetchPage,
        );
        expect(calls).toHaveLength(fewestPages(offset, offset + first, limit));
      },
    ),
    runs,
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
      const [page, ...others] = coverOf({ from, to: from + count }, { least: 1, most: 250 });
      const fits = (size: number): boolean => Math.floor(from / size) === Math.floor((from + count - 1) / size);
      const smallest = Array.from({ length: 250 }, (_, index) => index + 1).find((size) => size >= count && fits(size));
      if (smallest === undefined) {
        expect(others.length).toBeGreaterThan(0);
        return;
      }
      expect(others).toEqual([]);
      expect(page).toEqual({ number: Math.floor(from / smallest) + 1, size: smallest });
    }),
    runs,
  );
});

test('the last rows of a list cost one call where the list fits into a page, and two otherwise', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 90 }), fc.integer({ min: 1, max: 30 }), async (total, limit) => {
      const last = Math.max(1, Math.floor(limit / 2));
      const { calls, fetchPage } = upstreamOf(total, limit);
      const { rows } = await readWindow(
        windowOf({ last }, () => null),
        limit,
        fetchPage,
      );
      expect(rows).toHaveLength(Math.min(last, total));
      const rest = uncovered({ from: Math.max(0, total - last), to: total }, [{ from: 0, to: limit }]);
      expect(calls).toHaveLength(1 + rest.flatMap((gap) => coverOf(gap, { least: 1, most: limit })).length);
    }),
    runs,
  );
});

test('a list whose length is never told still ends where its rows do', async () => {
  const { list, fetchPage } = upstreamOf(33, 20, false);
  const window = windowOf({ first: 10, offset: 28 }, () => null);
  const reading = await readWindow(window, 20, fetchPage);
  expect(reading.rows).toEqual(list.slice(28));
});

test('the end of a list whose length is never told cannot be found', async () => {
  const { fetchPage } = upstreamOf(33, 20, false);
  await expect(
    readWindow(
      windowOf({ last: 5 }, () => null),
      20,
      fetchPage,
    ),
  ).rejects.toMatchObject({
    code: 'UPSTREAM_BAD_RESPONSE',
  });
});

test('an upstream with one page size of its own is read by that size', async () => {
  const list = Array.from({ length: 95 }, (_, index) => index);
  const calls: number[] = [];
  const fetchPage: FetchPage<number> = async ({ number }) => {
    calls.push(number);
    return { rows: list.slice((number - 1) * 30, number * 30), totalResults: 95, pageSize: 30 };
  };
  const { rows } = await readWindow(
    windowOf({ first: 10, offset: 55 }, () => null),
    250,
    fetchPage,
  );
  expect(rows).toEqual(list.slice(55, 65));
  expect(calls.length).toBeLessThanOrEqual(3);
});

test('page sizes that never come to rest are the upstream’s fault', async () => {
  let calls = 0;
  const fetchPage: FetchPage<number> = async () => ({
    rows: [],
    totalResults: 500_000,
    pageSize: ++calls % 2 === 0 ? 7 : 5000,
  });
  await expect(
    readWindow(
      windowOf({ first: 10, offset: 100_000 }, () => null),
      250,
      fetchPage,
    ),
  ).rejects.toMatchObject({
    code: 'UPSTREAM_BAD_RESPONSE',
  });
});

const refusals: readonly [WindowArguments, string][] = [
  [{ first: -1 }, 'first'],
  [{ first: 501 }, 'first'],
  [{ last: -1 }, 'last'],
  [{ last: 501 }, 'last'],
  [{ first: 5, after: 'x' }, 'after'],
  [{ last: 5, before: 'x' }, 'before'],
  [{ first: 5, offset: -1 }, 'offset'],
  [{ offset: 5 }, 'offset'],
  [{ last: 5, offset: 5 }, 'offset'],
  [{ first: 5, last: 5, offset: 5 }, 'offset'],
];

test.for(refusals)('%j is refused with the name of its argument', ([args, name]) => {
  expect(() => windowOf(args, () => null)).toThrow(
    expect.objectContaining({ code: 'BAD_USER_INPUT', argument: [name] }),
  );
});

test('offset does not go with a cursor', () => {
  expect(() => windowOf({ first: 5, offset: 5, after: '1' }, Number)).toThrow(
    expect.objectContaining({ code: 'BAD_USER_INPUT', argument: ['offset'] }),
  );
});

test('a page has twenty rows unless asked otherwise: the twenty before a lone `before`', () => {
  expect(boundsOf(windowOf({}, Number), 100)).toEqual({ from: 0, to: 20 });
  expect(boundsOf(windowOf({ after: '49' }, Number), 100)).toEqual({ from: 50, to: 70 });
  expect(boundsOf(windowOf({ before: '50' }, Number), 100)).toEqual({ from: 30, to: 50 });
});
