import fc from 'fast-check';
import { expect, testOfFile as test } from '../support/gateway.ts';
import { MovingUpstream } from '../support/moving-upstream.ts';
import { pagesOf, pinned, unpinned } from '../paging/page-chain/page.ts';
import { runs } from '../support/runs.ts';

interface Edit {
  readonly kind: 'insert' | 'delete';
  /** As a share of the list's length; 0 is the head. */
  readonly at: number;
  readonly count: number;
}

const edit: fc.Arbitrary<Edit> = fc.record({
  kind: fc.constantFrom('insert', 'delete'),
  at: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1, noNaN: true })),
  count: fc.integer({ min: 1, max: 15 }),
});

// Row by row through the longest list, with all that may come to it.
const mostTurns = 90 + 8 * 4 * 15;

function apply(list: MovingUpstream, { kind, at, count }: Edit): void {
  const index = Math.floor(at * list.rows.length);
  if (kind === 'insert') list.insert(index, count);
  else list.delete(index, count);
}

test('each row that was there all along is shown once, whatever comes and goes', async ({ gateway, upstream }) => {
  const walk = fc.record({
    field: fc.constantFrom(pinned, unpinned),
    size: fc.integer({ min: 0, max: 90 }),
    pageSize: fc.integer({ min: 1, max: 20 }),
    isForward: fc.boolean(),
    turns: fc.array(fc.array(edit, { maxLength: 4 }), { maxLength: 8 }),
  });
  // A failure prints its seed and path, with which fast-check walks the same way again.
  await fc.assert(
    fc.asyncProperty(walk, async ({ field: { list: name, path }, size, pageSize, isForward, turns }) => {
      const list = new MovingUpstream(path, size);
      upstream.script(list.answer);
      const always = new Set(list.ids);
      const seen: string[] = [];
      let turn = 0;
      for await (const { ids } of pagesOf(gateway, name, pageSize, isForward)) {
        expect(turn).toBeLessThan(mostTurns);
        seen.push(...ids);
        for (const change of turns[turn++] ?? []) apply(list, change);
        const now = new Set(list.ids);
        for (const id of always) if (!now.has(id)) always.delete(id);
      }
      expect(seen.filter((id) => always.has(id)).toSorted()).toEqual([...always].toSorted());
    }),
    { numRuns: runs(160) },
  );
});
