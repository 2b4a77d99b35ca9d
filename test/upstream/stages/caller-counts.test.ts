import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { idleCallers } from '../../../src/bounds.ts';
import { CallerCounts, type CallerCount } from '../../../src/upstream/stages/caller-counts.ts';
import { createKnownCallers } from '../../../src/upstream/stages/known-callers.ts';

const accepted = 200;
const refused = 401;

describe('the counts of callers', () => {
  // So many callers that those without a count are forgotten again and again.
  const step = fc.record({
    what: fc.constantFrom('add', 'add', 'add', 'subtract', 'subtract', 'accept', 'refuse', 'visit'),
    who: fc.nat({ max: 4 * idleCallers }),
  });

  test('add up to those that have not been taken back, of all callers and of strangers', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 200, maxLength: 2_000, size: 'max' }), (steps) => {
        const known = createKnownCallers(40);
        const counts = new CallerCounts(known);
        const held: CallerCount[] = [];
        for (const { what, who } of steps) {
          const identity = `caller ${who % (what === 'visit' ? 4 * idleCallers : 60)}`;
          if (what === 'add') held.push(counts.add(identity));
          if (what === 'subtract')
            for (const one of held.splice(who % Math.max(1, held.length), 1)) counts.subtract(one);
          if (what === 'visit') counts.subtract(counts.add(identity));
          if (what === 'accept') known.learn(identity, accepted);
          if (what === 'refuse') known.learn(identity, refused);
          expect(counts.total).toBe(held.length);
          expect(counts.strangersTotal).toBe(held.filter((one) => !known.has(one.identity)).length);
          expect(counts.of(identity)).toBe(held.filter((one) => one.identity === identity).length);
        }
      }),
      { numRuns: 30 },
    );
  });

  test('forget a caller who has had none for a while', () => {
    const counts = new CallerCounts(createKnownCallers());
    const first = counts.add('once');
    counts.subtract(first);
    for (let n = 0; n < 3 * idleCallers; n++) counts.add(`made up ${n}`);
    expect(counts.add('once')).not.toBe(first);
  });

  test('keep a caller’s own where thousands of strangers come and go', () => {
    const known = createKnownCallers();
    const counts = new CallerCounts(known);
    const own = counts.add('steady');
    for (let n = 0; n < 20 * idleCallers; n++) counts.subtract(counts.add(`made up ${n}`));
    expect(counts.of('steady')).toBe(1);
    expect(counts.add('steady')).toBe(own);
    expect(counts.total).toBe(2);
  });
});
