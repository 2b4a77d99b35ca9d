import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  advance,
  emptyWindow,
  watermarkOf,
  type DeliveryWindow,
  goneDeliveries,
} from '../../../src/live/delivery-window.ts';
import type { WebhookDeliveryRecord } from '../../../src/generated/records.ts';
import { momentOf, type Moment } from '../../../src/moment.ts';
import { runs } from '../../support/runs.ts';
import { timestampAt } from '../../support/moving-upstream.ts';

const overlapMs = 10_000;
const overlap = overlapMs / 1000;

/** A delivery and when it appears, in steps of the clock. */
interface Arrival {
  /** Seconds. */
  readonly start: number;
  readonly appears: number;
}

const momentAt = (second: number): Moment => momentOf(timestampAt(second)) ?? '';

const steps = 40;
// Deliveries begin at any moment, several at one, and appear at once or a little late.
const arrivals: fc.Arbitrary<readonly Arrival[]> = fc.array(
  fc
    .record({ start: fc.integer({ min: 0, max: steps }), late: fc.integer({ min: 0, max: overlap }) })
    .map(({ start, late }) => ({ start, appears: start + late })),
  { maxLength: 80 },
);

const rowOf = ({ start }: Arrival, index: number): WebhookDeliveryRecord => ({
  id: `d-${index}`,
  started_at: timestampAt(start),
});

test('a window finds each delivery that appears within the overlap fresh exactly once', () => {
  fc.assert(
    fc.property(
      arrivals,
      fc.array(fc.boolean(), { minLength: steps + overlap + 1, maxLength: steps + overlap + 1 }),
      fc.integer(),
      (given, isPolled, seed) => {
        const rows = given.map(rowOf);
        const sent: string[] = [];
        let window: DeliveryWindow = emptyWindow;
        let baseline: ReadonlySet<unknown> | null = null;
        const poll = (step: number): void => {
          const there = rows.filter((_, index) => (given[index]?.appears ?? 0) <= step);
          // In any order, some twice, and as if the upstream had not heard of the bound: what is before it is left out all the same.
          const shuffled = [...there, ...there.slice(0, 3)].sort((a, b) => order(a, seed) - order(b, seed));
          const next = advance(window, shuffled, overlapMs, momentAt(step));
          if (baseline === null) baseline = new Set(there.map(({ id }) => id));
          else sent.push(...next.fresh.map(({ id }) => String(id)));
          ({ window } = next);
        };
        for (const [step, polled] of isPolled.entries()) if (polled) poll(step);
        poll(steps + overlap);
        const before: ReadonlySet<unknown> = baseline ?? new Set();
        const expected = rows.map(({ id }) => String(id)).filter((id) => !before.has(id));
        expect([...sent].sort()).toEqual(expected.sort());
        expect(
          [...window.seen.values()].every(
            (moment) => moment !== null && moment >= (watermarkOf(window, overlapMs) ?? ''),
          ),
        ).toBe(true);
      },
    ),
    { numRuns: runs(80) },
  );
});

test('a window remembers a bounded number of gone deliveries from the future', () => {
  const rows = Array.from({ length: 5_000 }, (_, index) => ({ id: `d-${index}`, started_at: '2031-01-01T00:00:00Z' }));
  const past = { id: 'a', started_at: timestampAt(999) };
  const all = freshOf([...rows, past]).window;
  // As long as they are read they are known, however many they are.
  expect(freshOf([...rows, past], all).fresh).toEqual([]);
  const { window } = freshOf([past], all);
  expect(window.seen.size).toBe(goneDeliveries + 1);
  expect(freshOf([...rows.slice(-goneDeliveries), past], window).fresh).toEqual([]);
});

function order({ id }: WebhookDeliveryRecord, seed: number): number {
  return (Number(String(id).slice(2)) * 31 + Math.abs(seed % 1_009)) % 97;
}

const freshOf = (rows: readonly unknown[], window = emptyWindow) =>
  advance(window, rows as WebhookDeliveryRecord[], overlapMs, momentAt(1_000));

test('a window finds a delivery without a moment fresh once for as long as it is read, and last', () => {
  const undated = [{ id: 'u' }, { started_at: null }, { id: 'v', started_at: '2026-13-41T00:00:00Z' }];
  const dated = { id: 'a', started_at: '2026-10-01T00:00:00Z' };
  const first = freshOf([...undated, dated]);
  expect(first.fresh.map(({ id }) => id)).toEqual(['a', 'v', undefined, 'u']);
  expect(freshOf([...undated, dated], first.window).fresh).toEqual([]);
  expect(freshOf([dated], first.window).window.seen.size).toBe(1);
});

test('a window that another process adds to forgets none for not being added again, within a bound', () => {
  const add = (rows: readonly unknown[], window: DeliveryWindow) =>
    advance(window, rows as WebhookDeliveryRecord[], overlapMs, momentAt(1_000), false);
  const known = [{ id: 'u' }, { id: 'a', started_at: timestampAt(995) }];
  const first = add(known, emptyWindow);
  expect(first.fresh).toHaveLength(2);
  const second = add([{ id: 'b', started_at: timestampAt(996) }], first.window);
  expect(freshOf([...known, { id: 'c', started_at: timestampAt(990) }], second.window).fresh).toEqual([
    { id: 'c', started_at: timestampAt(990) },
  ]);
  const undated = Array.from({ length: 3 * goneDeliveries }, (_, index) => ({ id: `u-${index}` }));
  let { window } = first;
  for (const row of undated) ({ window } = add([row], window));
  expect(window.seen.size).toBeLessThanOrEqual(goneDeliveries + 3);
});

test('a window skips rows that are no records', () => {
  expect(freshOf([null, 7, 'text', [], { id: 'a', started_at: '2026-10-01T00:00:00Z' }]).fresh).toHaveLength(1);
});

test('a window knows a delivery without an id by its values, however deeply nested', () => {
  const nested: unknown = JSON.parse('{"a":'.repeat(20_000) + '1' + '}'.repeat(20_000));
  const rows = ['a', 'b'].map((name) => ({ webhook: { name, payload: nested } }));
  const { fresh, window } = freshOf(rows);
  expect(fresh).toHaveLength(2);
  expect(freshOf(rows, window).fresh).toEqual([]);
});
