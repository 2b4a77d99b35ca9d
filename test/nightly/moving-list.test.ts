import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hashOf, type Anchor } from '../../src/paging/anchor.ts';
import { connectionOf } from '../../src/paging/connection.ts';
import { decodeCursor } from '../../src/paging/cursor.ts';
import { momentOf } from '../../src/moment.ts';
import { boundsOfPage } from '../../src/paging/page-cover.ts';
import { readWindow } from '../../src/paging/window-reading.ts';
import { ServedSizes, type Source } from '../../src/paging/source.ts';
import { runs } from '../support/runs.ts';

// A model of a list whose rows come and go between the turns of its pages. Failures print a seed and a path with which
// fast-check runs the very same interleaving again.
const some = { numRuns: runs(6_000), verbose: false };
const pageBudget = 200;

interface Row {
  readonly id: string;
  readonly created_at: string | null;
}

/** One change of the list: where, as a share of its length; how many rows in a run. */
interface Edit {
  readonly kind: 'insert' | 'delete';
  readonly at: number;
  readonly count: number;
}

interface Turn {
  readonly direction: 'forward' | 'backward';
  readonly size: number;
  readonly edits: readonly Edit[];
}

/** A list in a hidden order, newest first; only where `dated` do its rows say when they were made. */
class MovingList {
  rows: readonly Row[] = [];
  calls = 0;
  readonly #dated: boolean;
  readonly #moments = new Map<string, number>();
  #next = 0;

  constructor(size: number, dated: boolean) {
    this.#dated = dated;
    this.#insert(0, size);
  }

  edit({ kind, at, count }: Edit): void {
    const index = Math.min(this.rows.length, Math.floor(at * (this.rows.length + 1)));
    if (kind === 'insert') this.#insert(index, count);
    else this.rows = this.rows.toSpliced(index, count);
  }

  #insert(index: number, count: number): void {
    const above = this.#momentAt(index - 1) ?? (this.#momentAt(index) ?? 1_000_000) + 1000;
    const below = this.#momentAt(index) ?? above - 1000;
    const added = Array.from({ length: count }, (_, row) =>
      this.#create(above - ((above - below) * (row + 1)) / (count + 1)),
    );
    this.rows = this.rows.toSpliced(index, 0, ...added);
  }

  #momentAt(index: number): number | undefined {
    const row = this.rows[index];
    return row === undefined ? undefined : this.#moments.get(row.id);
  }

  #create(moment: number): Row {
    const id = `row-${this.#next++}`;
    this.#moments.set(id, moment);
    const [whole, fraction] = (moment + 1e9).toFixed(9).split('.');
    const time = new Date(Number(whole) * 1000).toISOString().replace('.000Z', `.${fraction}Z`);
    return { id, created_at: this.#dated ? time : null };
  }

  source(pageLimit: number): Source<Row> {
    return {
      sizes: new ServedSizes(pageLimit),
      identityOf: ({ id }) => id,
      momentOf: ({ created_at: time }) => momentOf(time),
      fetchPage: async (page) => {
        this.calls++;
        const { from, to } = boundsOfPage(page);
        return { rows: this.rows.slice(from, to), totalResults: this.rows.length, pageSize: page.size };
      },
    };
  }
}

/**
 * Whether a page at `boundary` of the list as it is now goes on where the cursor stood: every row that was there then and
 * is there now is on the same side of the boundary as it was of the cursor.
 */
function keepsItsPlace(earlier: readonly Row[], now: readonly Row[], behind: number, boundary: number): boolean {
  const places = new Map(now.map(({ id }, index) => [id, index]));
  return earlier.every(({ id }, index) => {
    const place = places.get(id);
    return place === undefined || place < boundary === index < behind;
  });
}

async function turnPage(list: MovingList, cursor: Anchor, { direction, size }: Turn, limit: number) {
  const none = { first: null, last: null, after: null, before: null, offset: 0 };
  const window =
    direction === 'forward' ? { ...none, first: size, after: cursor } : { ...none, last: size, before: cursor };
  const reading = await readWindow(window, list.source(limit), pageBudget);
  const { from, to } = reading.bounds;
  expect(reading.rows).toEqual(list.rows.slice(from, to));
  const isFull = reading.rows.length === size || (direction === 'forward' ? to === list.rows.length : from === 0);
  expect(isFull).toBe(true);
  return { reading, boundary: direction === 'forward' ? from : to };
}

const edit: fc.Arbitrary<Edit> = fc.record({
  kind: fc.constantFrom('insert', 'delete'),
  at: fc.oneof(
    { weight: 2, arbitrary: fc.constant(0) },
    { weight: 3, arbitrary: fc.double({ min: 0, max: 1, noNaN: true }) },
  ),
  count: fc.integer({ min: 1, max: 12 }),
});
const turn: fc.Arbitrary<Turn> = fc.record({
  direction: fc.constantFrom('forward', 'forward', 'backward'),
  size: fc.integer({ min: 1, max: 10 }),
  edits: fc.array(edit, { maxLength: 4 }),
});
const story = fc.record({
  size: fc.integer({ min: 1, max: 60 }),
  // No upstream has smaller pages; with them a first page could not learn what stands around its rows.
  limit: fc.integer({ min: 8, max: 25 }),
  turns: fc.array(turn, { minLength: 1, maxLength: 12 }),
});

interface Visit {
  readonly earlier: readonly Row[];
  readonly now: readonly Row[];
  readonly behind: number;
  readonly boundary: number;
  readonly cursor: Anchor;
}

/** Walks through a list by cursors while it moves, and tells of each turn. */
async function walk(
  list: MovingList,
  limit: number,
  turns: readonly Turn[],
  visit: (turned: Visit) => void,
): Promise<void> {
  const none = { first: 5, last: null, after: null, before: null, offset: 0 };
  let reading = await readWindow(none, list.source(limit), pageBudget);
  for (const next of turns) {
    if (reading.rows.length === 0) return;
    const { direction } = next;
    const connection = connectionOf(reading, {
      list: () => 'rows',
      newest: () => null,
    });
    const index = direction === 'forward' ? reading.rows.length - 1 : 0;
    const cursor = decodeCursor('rows', connection.cursors.at(index));
    if (cursor === null) throw new Error('A cursor of this list was refused.');
    const earlier = list.rows;
    const behind = reading.bounds.from + index + (direction === 'forward' ? 1 : 0);
    for (const change of next.edits) list.edit(change);
    const turned = await turnPage(list, cursor, next, limit);
    visit({
      earlier,
      now: list.rows,
      behind,
      boundary: turned.boundary,
      cursor,
    });
    ({ reading } = turned);
  }
}

test('no page of a moving list in the order of time repeats or skips a lasting row', async () => {
  await fc.assert(
    fc.asyncProperty(story, async ({ size, limit, turns }) => {
      await walk(new MovingList(size, true), limit, turns, ({ earlier, now, behind, boundary }) => {
        expect(keepsItsPlace(earlier, now, behind, boundary)).toBe(true);
      });
    }),
    some,
  );
});

test('no page of a moving list of unknown order repeats or skips a lasting row while a neighbour of the cursor is left', async () => {
  let turned = 0;
  let lost = 0;
  await fc.assert(
    fc.asyncProperty(story, async ({ size, limit, turns }) => {
      await walk(new MovingList(size, false), limit, turns, ({ earlier, now, behind, boundary, cursor }) => {
        const hashes = new Set([cursor.row, ...cursor.before, ...cursor.after]);
        const survives = now.some(({ id }) => hashes.has(hashOf(id)));
        turned++;
        if (survives) expect(keepsItsPlace(earlier, now, behind, boundary)).toBe(true);
        else lost++;
      });
    }),
    some,
  );
  expect(turned - lost).toBeGreaterThan(1000);
});

test('a whole walk of a moving list shows every lasting row exactly once', async () => {
  await fc.assert(
    fc.asyncProperty(story, fc.integer({ min: 1, max: 10 }), async ({ size, limit, turns }, pageSize) => {
      const list = new MovingList(size, true);
      const always = new Set(list.rows.map(({ id }) => id));
      const seen: string[] = [];
      let after: Anchor | null = null;
      // Edits run out before the rows do: the walk ends.
      for (let step = 0; ; step++) {
        const window = { first: pageSize, last: null, after, before: null, offset: 0 };
        const reading = await readWindow(window, list.source(limit), pageBudget);
        seen.push(...reading.rows.map(({ id }) => id));
        if (reading.rows.length < pageSize) break;
        const connection = connectionOf(reading, {
          list: () => 'rows',
          newest: () => null,
        });
        after = decodeCursor('rows', connection.cursors.at(reading.rows.length - 1));
        for (const change of turns[step]?.edits ?? []) list.edit(change);
        for (const id of always) if (!list.rows.some((row) => row.id === id)) always.delete(id);
      }
      expect(seen.filter((id) => always.has(id)).toSorted()).toEqual([...always].toSorted());
    }),
    some,
  );
});
