import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Linked, LinkedSet, TransientMap } from '../../src/transient-collections.ts';

test('a linked set has the members of a Set, in their order, however they come and go', () => {
  const change = fc.record({ isAdded: fc.boolean(), index: fc.nat({ max: 5 }), isOther: fc.boolean() });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
      const members = Array.from({ length: 6 }, () => new Linked());
      const sets = [new LinkedSet(), new LinkedSet()] as const;
      const models = [new Set<Linked>(), new Set<Linked>()] as const;
      for (const { isAdded, index, isOther } of changes) {
        const member = members[index] as Linked;
        const at = isOther ? 1 : 0;
        if (!isAdded) expect(sets[at].delete(member)).toBe(models[at].delete(member));
        else if (!models[0].has(member) && !models[1].has(member)) {
          sets[at].add(member);
          models[at].add(member);
        }
        for (const each of [0, 1] as const) {
          expect([...sets[each]]).toEqual([...models[each]]);
          expect(sets[each].first).toBe([...models[each]][0] ?? null);
        }
      }
      const left = new Set([...models[0], ...models[1]]);
      // What has been taken out refers to nothing that would live as long as it does.
      for (const member of members)
        if (!left.has(member)) expect(member).toEqual({ previous: null, next: null, owner: null });
    }),
  );
});

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
