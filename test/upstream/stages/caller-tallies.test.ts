import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CallerTallies, Tally } from '../../../src/upstream/stages/breaker.ts';

const windowMs = 100;
const most = 3;
const callers = ['a', 'b', 'c', 'd', 'e'];
const step = fc.record({
  what: fc.constantFrom('keep', 'keep', 'keep', 'forget'),
  who: fc.constantFrom(...callers),
  afterMs: fc.constantFrom(0, 1, 30, 99, 100, 250),
});

test('tallies are kept for a window after the last call, for no more callers than there is room for', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const tallies = new CallerTallies(windowMs, most);
      const lastAt = new Map<string, number>();
      let now = 0;
      for (const { what, who, afterMs } of steps) {
        now += afterMs;
        for (const [identity, at] of lastAt) if (now - at >= windowMs) lastAt.delete(identity);
        const tally = tallies.of(who, now) ?? new Tally(who, now);
        if (what === 'keep') {
          const hasRoom = lastAt.has(who) || lastAt.size < most;
          expect(tallies.keep(tally, now)).toBe(hasRoom);
          if (hasRoom) lastAt.set(who, now);
        } else {
          tallies.delete(tally);
          lastAt.delete(who);
        }
        for (const identity of callers) expect(tallies.of(identity, now)?.lastAt).toBe(lastAt.get(identity));
        expect(tallies.hasRoom(now)).toBe(lastAt.size < most);
      }
    }),
    { numRuns: 500 },
  );
});
