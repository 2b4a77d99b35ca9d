import fc from 'fast-check';
import { expect, test } from 'vitest';

interface Placed {
  readonly end: number;
  readonly calls: readonly {
    readonly call: { readonly startMilliseconds: unknown };
    readonly place: { readonly left: number; readonly width: number } | null;
  }[];
}

// A script of the page, which has no types.
const { placeCalls } = (await import(new URL('../../src/explorer/views.js', import.meta.url).href)) as {
  readonly placeCalls: (calls: readonly object[]) => Placed;
};

test('a call of the waterfall begins and ends where its numbers say', () => {
  const { end, calls } = placeCalls([
    { startMilliseconds: 30, milliseconds: 10 },
    { startMilliseconds: 10, milliseconds: 20 },
    { startMilliseconds: null, milliseconds: 5 },
  ]);
  expect(end).toBe(40);
  expect(calls.map(({ place }) => place)).toEqual([{ left: 0.25, width: 0.5 }, { left: 0.75, width: 0.25 }, null]);
});

test('no call of the waterfall leaves its axis, whatever its numbers say', () => {
  const measure = fc.oneof(
    fc.double(),
    fc.double({ min: 0, max: 1e5 }),
    fc.constantFrom(null, undefined, 'soon', -1, {}),
  );
  const call = fc.record({ startMilliseconds: measure, milliseconds: measure });
  fc.assert(
    fc.property(fc.array(call), (calls) => {
      const placed = placeCalls(calls).calls;
      expect(placed).toHaveLength(calls.length);
      for (const { place } of placed) {
        const { left, width } = place ?? { left: 0, width: 0 };
        expect(left).toBeGreaterThanOrEqual(0);
        expect(width).toBeGreaterThanOrEqual(0);
        expect(left + width).toBeLessThanOrEqual(1 + 1e-9);
      }
      const starts = placed
        .filter(({ place }) => place !== null)
        .map(({ call: { startMilliseconds } }) => startMilliseconds);
      expect(starts).toEqual(starts.toSorted((one, other) => Number(one) - Number(other)));
      expect(placed.slice(starts.length).every(({ place }) => place === null)).toBe(true);
    }),
  );
});
