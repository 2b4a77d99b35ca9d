import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Keyed, KeyedSet } from '../../src/upstream/keyed-set.ts';

class Member extends Keyed {}

// Most of them share a slot: they differ where it does not look.
const alike = Array.from({ length: 6 }, (_, index) => `ab${'-'.repeat(index)}x${'-'.repeat(20 - index)}yz`);
const keys = [...alike, '', 'a', 'b', 'ab', 'ba', '\u{1F600}', 'ab é'];

test('a keyed set finds the members that a Map finds, however they come and go', () => {
  const change = fc.record({ index: fc.nat({ max: keys.length - 1 }), isAdded: fc.boolean() });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
      const set = new KeyedSet<Member>();
      const model = new Map<string, Member>();
      for (const { index, isAdded } of changes) {
        // As texts of requests are, each is one of its own.
        const key = Buffer.from(keys[index] as string).toString();
        const known = model.get(key);
        if (isAdded && known === undefined) {
          const member = new Member();
          set.add(key, member);
          model.set(key, member);
        }
        if (!isAdded && known !== undefined) {
          set.delete(known);
          model.delete(key);
          // It refers to nothing that would live as long as it does.
          expect(known.nextInSlot).toBeNull();
        }
        for (const each of keys) expect(set.get(each)).toBe(model.get(each) ?? null);
      }
    }),
  );
});
