import { describe, vi } from 'vitest';
import { createCursorForm } from '../../src/paging/cursor.ts';
import { expect, test } from '../support/gateway.ts';
import { MovingUpstream } from '../support/moving-upstream.ts';

// Cursors of this file remember more rows than those of the gateway.
const bounds = await vi.hoisted(() => import('../../src/bounds.ts'));
vi.mock(import('../../src/bounds.ts'), () => ({
  ...bounds,
  cursorNeighbours: { before: 12, after: 12 } as unknown as typeof bounds.cursorNeighbours,
}));

describe('a cursor of 12 neighbours on either side', () => {
  test('leads from page to page in both directions', async ({ gateway, upstream }) => {
    const list = new MovingUpstream('/ai/missions', 60);
    upstream.script((request) => list.answer(request));
    const all = await gateway.query('{ missions(first: 60) { edges { cursor node { id } } } }');
    expect(all.errors).toEqual([]);
    const { edges } = all.data.missions;
    expect(edges).toHaveLength(60);
    const idAt = (index: number): string | undefined => edges[index]?.node.id;
    for (const index of [0, 1, 12, 13, 30, 47, 58]) {
      const document = `{
        next: missions(first: 1, after: "${edges[index].cursor}") { nodes { id } }
        previous: missions(last: 1, before: "${edges[index].cursor}") { nodes { id } }
      }`;
      const { data, errors } = await gateway.query(document);
      expect(errors).toEqual([]);
      expect(data.next.nodes.map(({ id }: { id: string }) => id)).toEqual([idAt(index + 1)]);
      expect(data.previous.nodes.map(({ id }: { id: string }) => id)).toEqual(index === 0 ? [] : [idAt(index - 1)]);
    }
  });

  test('is found again by the 12th row before its own, where all between are gone', async ({ gateway, upstream }) => {
    const list = new MovingUpstream('/ai/missions', 60);
    upstream.script((request) => list.answer(request));
    const { data } = await gateway.query('{ missions(first: 40) { edges { cursor node { id } } } }');
    const { edges } = data.missions;
    const [own, next] = [30, 31];
    list.delete(own - 11, 12);
    const document = `{ missions(first: 1, after: "${edges[own].cursor}") { nodes { id } } }`;
    const after = await gateway.query(document);
    expect(after.errors).toEqual([]);
    expect(after.data.missions.nodes).toEqual([{ id: edges[next].node.id }]);
  });
});

test('a cursor of more neighbours is longer, and fits into a text argument', () => {
  const longestOf = (before: number, after: number): number =>
    createCursorForm({ before, after } as unknown as typeof bounds.cursorNeighbours).longest;
  expect(longestOf(8, 3)).toBeLessThan(200);
  expect(longestOf(9, 3)).toBe(longestOf(8, 3) + 8);
  expect(longestOf(35, 35)).toBeLessThan(bounds.argumentTextBytes);
});
