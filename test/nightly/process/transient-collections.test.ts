import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TransientMap } from '../../../src/upstream/transient-map.ts';

test('a transient map leaves no tables behind among old objects', () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const map = new TransientMap<number, object>();
  const fill = (): void => {
    for (let at = 0; at < 200_000; at++) {
      map.set(at, map);
      map.delete(at - 16);
    }
  };
  fill();
  collectGarbage();
  const before = oldBytes();
  fill();
  // Those of a Map would take eight megabytes.
  expect(oldBytes() - before).toBeLessThan(1_000_000);
});

function oldBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space')?.space_used_size ?? 0;
}

test('a transient map has the entries of a Map, in their order, however many come and go', () => {
  const change = fc.record({
    isAdded: fc.boolean(),
    key: fc.nat({ max: 300 }),
    times: fc.integer({ min: 1, max: 150 }),
  });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 20 }), (changes) => {
      const map = new TransientMap<number, number>();
      const model = new Map<number, number>();
      for (const { isAdded, key, times } of changes) {
        for (let at = key; at < key + times; at++) {
          if (!isAdded) expect(map.delete(at)).toBe(model.delete(at));
          else {
            map.set(at, key);
            model.set(at, key);
          }
        }
        expect(map.size).toBe(model.size);
        expect(map.get(key)).toBe(model.get(key));
        expect([...map]).toEqual([...model]);
        expect([...map.values()]).toEqual([...model.values()]);
      }
    }),
  );
});
