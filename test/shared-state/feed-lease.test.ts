import fc from 'fast-check';
import { expect, test } from 'vitest';
import { feedEntry } from '../../src/bounds.ts';
import { createCallerSecrets } from '../../src/fleet/caller-secrets.ts';
import { openEntry, sealEntry, type EntryPosition } from '../../src/fleet/feed-lease.ts';
import { parseExactly } from '../../src/json.ts';
import type { WebhookDeliveryRecord } from '../../src/resources/webhook-delivery.ts';

const secrets = createCallerSecrets('https://api.example.com/v2')({ key: 'key', identity: 'caller' });
const position: EntryPosition = { feed: 'feed', token: 'token', sequence: 7 };
const rowsIn = (text: string): readonly WebhookDeliveryRecord[] =>
  parseExactly(text) as readonly WebhookDeliveryRecord[];
const sent = (rows: readonly WebhookDeliveryRecord[]) =>
  openEntry(secrets, position, sealEntry(secrets, position, rows));

test('an entry brings deliveries as they were read, numbers digit for digit', () => {
  const text = '[{"id":"a","webhook":{"payload":{"big":12345678901234567890,"small":1.50,"none":null}}},null,7]';
  expect(JSON.stringify(sent(rowsIn(text)))).toBe(text);
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), (rows) => {
      const printed = JSON.stringify(rows);
      expect(JSON.stringify(sent(rowsIn(printed)))).toBe(printed);
    }),
  );
});

test('an entry of another feed, of another owner or with another number is none', () => {
  const sealed = sealEntry(secrets, position, rowsIn('[{"id":"a"}]'));
  for (const other of [
    { ...position, feed: 'other' },
    { ...position, token: 'other' },
    { ...position, sequence: 8 },
  ])
    expect(openEntry(secrets, other, sealed)).toBeNull();
});

test('deliveries that are too long for an entry are left to a reading of the list', () => {
  expect(sent(rowsIn(`[{"id":"${'a'.repeat(feedEntry)}"}]`))).toBeNull();
});

test.for([1_000, 20_000, 100_000])('deliveries of %i levels come as they are, or are left to a reading', (levels) => {
  const rows = rowsIn(`[{"id":${'['.repeat(levels)}${']'.repeat(levels)}}]`);
  expect([null, 1]).toContain(sent(rows)?.length ?? null);
});
