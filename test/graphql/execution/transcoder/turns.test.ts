import { setImmediate as nextRound } from 'node:timers/promises';
import { describe, vi } from 'vitest';
import { bodyInTurn, sliceMs } from '../../../../src/bounds.ts';
import { Turns } from '../../../../src/graphql/execution/transcoder/turns.ts';
import { expect, test } from '../../../support/gateway.ts';
import { writtenFromBytes } from '../../../support/metrics.ts';
import { missionRecord } from '../../../support/records.ts';
import { pageReply } from '../../../support/scripted-upstream.ts';

/** Takes turns for so many pieces of work that come in one round, of so many milliseconds each; how many are done in each round. */
async function doneByRound(count: number, eachMs: number): Promise<readonly number[]> {
  let now = 0;
  const turns = new Turns(sliceMs, () => now);
  const done: number[] = [];
  for (let index = 0; index < count; index++)
    void turns.take(() => {
      now += eachMs;
      done.push(index);
    });
  const rounds = [done.length];
  let before = done.length;
  while (done.length < count && rounds.length <= count) {
    await nextRound();
    rounds.push(done.length - before);
    before = done.length;
  }
  expect(done).toEqual(Array.from({ length: count }, (_, index) => index));
  return rounds;
}

describe('work that comes together', () => {
  test('is done in its order, and no round of the event loop does more than its milliseconds and a piece', async () => {
    for (const count of [1, 10, 20, 40]) {
      const rounds = await doneByRound(count, sliceMs / 2);
      expect(Math.max(...rounds)).toBe(Math.min(2, count));
      expect(rounds).toHaveLength(Math.ceil(count / 2));
    }
    expect(await doneByRound(5, 3 * sliceMs)).toEqual([1, 1, 1, 1, 1]);
  });

  test('comes behind what waits from the round before', async () => {
    let now = 0;
    const turns = new Turns(sliceMs, () => now);
    const done: string[] = [];
    const take = (name: string) => turns.take(() => (now += sliceMs) && done.push(name));
    const first = [take('a'), take('b'), take('c')];
    await nextRound();
    expect(done).toEqual(['a', 'b']);
    await Promise.all([...first, take('d')]);
    expect(done).toEqual(['a', 'b', 'c', 'd']);
  });

  test('fails alone, now or later', async () => {
    let now = 0;
    const turns = new Turns(sliceMs, () => now);
    const fail = (): never => {
      now += sliceMs;
      throw new Error('of its own');
    };
    expect(() => turns.take(fail)).toThrow('of its own');
    const later = turns.take(fail);
    const last = turns.take(() => 'done');
    await expect(later).rejects.toThrow('of its own');
    expect(await last).toBe('done');
  });
});

test('large bodies take turns, and what waited is shown from its bytes to its own caller, with one call each', async ({
  gateway,
  upstream,
}) => {
  let size = bodyInTurn;
  upstream.script((request) => {
    const owner = String(request.headers['authorization']).slice('Bearer '.length);
    const name = owner.padEnd(Math.ceil(size / 20), ' x');
    return pageReply(
      Array.from({ length: 20 }, () => missionRecord({ name })),
      request,
    );
  });
  const query = '{ missions(first: 20) { nodes { name } } }';
  const keys = Array.from({ length: 24 }, (_, index) => `key-of-${index}-`);
  await gateway.query(query);
  const before = await writtenFromBytes(gateway);
  const take = vi.spyOn(Turns.prototype, 'take').mockImplementation(async (work) => {
    await nextRound();
    return work();
  });
  try {
    const answers = await Promise.all(keys.map((key) => gateway.query(query, { key })));
    expect(take).toHaveBeenCalledTimes(keys.length);
    for (const [index, { data, errors }] of answers.entries()) {
      expect(errors).toEqual([]);
      const names = data.missions.nodes.map(({ name }: { readonly name: string }) => name.split(' ')[0]);
      expect(names).toEqual(Array.from({ length: 20 }, () => keys[index]));
    }
    size = bodyInTurn / 10;
    await gateway.query(query);
    expect(take).toHaveBeenCalledTimes(keys.length);
  } finally {
    take.mockRestore();
  }
  expect(await writtenFromBytes(gateway)).toBe(before + keys.length + 1);
  expect(upstream.requests).toHaveLength(keys.length + 2);
});
