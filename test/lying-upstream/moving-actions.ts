import { expect } from 'vitest';
import type { Random } from '../../src/sandbox/random.ts';
import { outcomeOf, readPage, scanPages, type Action } from './actions.ts';
import type { Page } from './client.ts';
import type { Happen, LyingList } from './lying-list.ts';

const mostTurns = 60;

/** Rows come and go before this share of the calls, at the head for the most part. */
export function movesOf(random: Random): Happen {
  const share = random.pick([0, 0.05, 0.3, 1]);
  const isGrowing = random.chance(0.5);
  return (list) => {
    if (random.chance(share)) move(list, random, isGrowing);
  };
}

/** Some come or some go: where as many do both between two pages, nothing would tell. */
function move(list: LyingList, random: Random, isGrowing: boolean): void {
  const isInsertion = isGrowing || random.chance(0.5);
  for (let count = random.int(1, 3); count > 0; count--) {
    const at = random.chance(0.7) ? 0 : random.int(0, list.rows.length);
    if (isInsertion) list.insert(at);
    else list.delete(at);
  }
}

/** Page after page while rows come and go: each that was there all along is shown exactly once, or there is an error. */
const chain: Action = async (scene) => {
  const { list, random } = scene;
  const size = random.pick([5, 10, 20, 50, 125, 250, 500]);
  const isForward = random.chance(0.7);
  const always = new Set(list.ids);
  const shown: string[] = [];
  let cursor: string | null = null;
  for (let turn = 0; turn < mostTurns; turn++) {
    const place = cursor === null ? {} : isForward ? { after: cursor } : { before: cursor };
    const page: Page | null = await readPage(scene, { ...(isForward ? { first: size } : { last: size }), ...place });
    if (page === null) return 'error';
    for (const { id } of page.nodes) shown.push(id);
    cursor = isForward ? page.pageInfo.endCursor : page.pageInfo.startCursor;
    const { ids } = list;
    for (const id of always) if (!ids.includes(id)) always.delete(id);
    const hasMore = isForward ? page.pageInfo.hasNextPage : page.pageInfo.hasPreviousPage;
    if (cursor === null || !hasMore) {
      const stayed = shown.filter((id) => always.has(id));
      expect(stayed.toSorted(), 'rows that stood still').toEqual([...always].toSorted());
      return 'right';
    }
    if (random.chance(0.5)) move(list, random, random.chance(0.5));
  }
  expect(new Set(shown).size, 'rows shown twice').toBe(shown.length);
  return 'right';
};

/** Rows that are there all the while are found, or it is said that they may be. */
const lookUp: Action = async ({ ask, list, random }) => {
  if (list.rows.length === 0) return 'right';
  const ids = [...new Set(Array.from({ length: 3 }, () => random.pick(list.ids)))];
  const before = list.calls;
  const { one } = list.noun;
  const answer = await ask(`{ ${ids.map((id, index) => `a${index}: ${one}(id: "${id}") { id }`).join(' ')} }`);
  const outcome = outcomeOf(answer);
  expect(list.calls - before, 'calls of one look-up').toBeLessThanOrEqual(scanPages);
  const failed = new Set(answer.errors.map(({ path = [] }) => path[0]));
  for (const [index, id] of ids.entries())
    if (!failed.has(`a${index}`) && list.ids.includes(id)) expect(answer.data[`a${index}`], id).toEqual({ id });
  return outcome;
};

/** What clients do of a list that moves, by name. */
export const movingActions = { chain, lookUp } as const;
