import { afterEach, vi } from 'vitest';
import { expect, test } from '../support/gateway.ts';
import { pushCanaries } from './canary-paths.ts';
import { canariesIn, spellingsOf } from './canary.ts';

const fault = vi.hoisted(() => ({ isPlanted: false }));

// Redaction as it is, but such that a test can take it away.
vi.mock(import('../../src/upstream/key-redaction.ts'), async (load) => {
  const original = await load();
  const removable = <Hide extends (text: string, ...others: never[]) => string>(hide: Hide): Hide =>
    ((...given) => (fault.isPlanted ? given[0] : hide(...given))) as Hide;
  return {
    ...original,
    withoutKey: removable(original.withoutKey),
    hideCallerKey: removable(original.hideCallerKey),
    createKeyHiding: (keptKey) => removable(original.createKeyHiding(keptKey)),
  };
});
afterEach(() => {
  fault.isPlanted = false;
});

const secret = 'SECRETcanary0123456789';
// One that GraphQL takes for a name, and one with every character that has to be percent-encoded.
const keys = ['KEYcanary_0123456789_abcdef', 'KEY+canary/9x.quux-abc_xyz0=='];
const settings = { UPSTREAM_TIMEOUT_MS: '50', UPSTREAM_BREAKER_OPEN_MS: '1', MCP: 'true', MCP_QUERIES: 'true' };

test.for(keys)('no path reveals a key or a secret: %s', async (key, { startWith, upstream }) => {
  const gateway = await startWith(settings);
  const output = await pushCanaries(gateway, upstream, { key, secret });
  expect(output.length).toBeGreaterThan(200);
  expect(upstream.requests.some(({ headers }) => headers.authorization === `Bearer ${key}`)).toBe(true);
  for (const canary of [key, secret]) expect(output.flatMap((text) => canariesIn(text, canary))).toEqual([]);
});

test('the same scan finds a key that nothing redacts', async ({ startWith, upstream }) => {
  const [, key = ''] = keys;
  fault.isPlanted = true;
  const gateway = await startWith(settings);
  const output = await pushCanaries(gateway, upstream, { key, secret });
  const found = output.flatMap((text) => canariesIn(text, key)).map((place) => place.split(':')[0]);
  expect([...new Set(found)].sort()).toEqual(expect.arrayContaining(['base64', 'hex', 'percent-encoded', 'plain']));
  expect(gateway.log.flatMap((line) => canariesIn(line, key))).not.toEqual([]);
});

test('the same scan finds a secret that is not hidden', async ({ startWith, upstream }) => {
  const gateway = await startWith({ ...settings, EXPOSE_SECRETS: 'true' });
  const output = await pushCanaries(gateway, upstream, { key: 'some-key-of-mine', secret });
  expect(output.flatMap((text) => canariesIn(text, secret))).not.toEqual([]);
  // To its own caller alone.
  expect(gateway.log.flatMap((line) => canariesIn(line, secret))).toEqual([]);
});

test.for([...new Set(keys.flatMap(spellingsOf))])('the scan knows a canary by every spelling: %s', (spelling) => {
  const found = keys.flatMap((key) => canariesIn(`{"a":"${spelling}"}`, key));
  expect(found).not.toEqual([]);
});
