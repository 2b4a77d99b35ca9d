import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
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
