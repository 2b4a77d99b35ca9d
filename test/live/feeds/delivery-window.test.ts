import { expect, test } from 'vitest';
import { advance, deliveryOf, emptyWindow, goneDeliveries } from '../../../src/live/delivery-window.ts';
import type { WebhookDeliveryRecord } from '../../../src/generated/records.ts';
import { momentOf, type Moment } from '../../../src/moment.ts';
import { timestampAt } from '../../support/moving-upstream.ts';

const overlapMs = 10_000;

const momentAt = (second: number): Moment => momentOf(timestampAt(second)) ?? '';

function freshOf(rows: readonly unknown[], window = emptyWindow, isWhole = true) {
  const deliveries = (rows as WebhookDeliveryRecord[]).map(deliveryOf);
  const advanced = advance(window, deliveries, overlapMs, momentAt(1_000), isWhole);
  return { ...advanced, fresh: advanced.fresh.map(({ record }) => record) };
}

test('a delivery weighs as much more as its texts are longer, and some for each value', () => {
  const weightOf = (text: unknown) => deliveryOf({ id: 'd', webhook: { payload: { text } } }).weight;
  expect(weightOf('x'.repeat(100)) - weightOf('')).toBe(100);
  expect(weightOf([1, null, 'x']) - weightOf([])).toBe(3 * 32 + 1);
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

test('a window finds a delivery without a moment fresh once for as long as it is read, and last', () => {
  const undated = [{ id: 'u' }, { started_at: null }, { id: 'v', started_at: '2026-13-41T00:00:00Z' }];
  const dated = { id: 'a', started_at: '2026-10-01T00:00:00Z' };
  const first = freshOf([...undated, dated]);
  expect(first.fresh.map(({ id }) => id)).toEqual(['a', 'v', undefined, 'u']);
  expect(freshOf([...undated, dated], first.window).fresh).toEqual([]);
  expect(freshOf([dated], first.window).window.seen.size).toBe(1);
});

test('a window that another process adds to forgets none for not being added again, within a bound', () => {
  const add = (rows: readonly unknown[], window = emptyWindow) => freshOf(rows, window, false);
  const known = [{ id: 'u' }, { id: 'a', started_at: timestampAt(995) }];
  const first = add(known);
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

test('a window knows a delivery without an id by its values, however deeply nested', () => {
  const nested: unknown = JSON.parse('{"a":'.repeat(20_000) + '1' + '}'.repeat(20_000));
  const rows = ['a', 'b'].map((name) => ({ id: '', webhook: { name, payload: nested } }));
  const { fresh, window } = freshOf(rows);
  expect(fresh).toHaveLength(2);
  expect(freshOf(rows, window).fresh).toEqual([]);
});
