import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startSwitchboard, type Switchboard } from '@switchboard-gateway/gateway/testing';
import { faults } from './faults.ts';
import { followDeliveries, loadDeliveries, texts } from './page.js';

// With Vitest alone: what the page asks for and says, without a browser.
let gateway: Switchboard;

beforeAll(async () => {
  gateway = await startSwitchboard();
});
afterEach(() => gateway.sandbox.use());
afterAll(() => gateway.close());

test.each(Object.entries(faults))('the page has a text for %s', async (code, fault) => {
  gateway.sandbox.use(fault);
  expect(await loadDeliveries(gateway.url, 'any-key')).toMatchObject({ text: texts[code as keyof typeof faults] });
});

test('the page has a text for QUERY_TOO_COMPLEX', async () => {
  await using strict = await startSwitchboard({ env: { LIMIT_COST: '1' } });
  expect(await loadDeliveries(strict.url, 'any-key')).toEqual({ rows: [], text: texts.QUERY_TOO_COMPLEX });
});

test('an account without deliveries has none', async () => {
  gateway.sandbox.use('empty');
  expect(await loadDeliveries(gateway.url, 'any-key')).toEqual({ rows: [], text: '' });
});

test('a delivery appears while the page is open', async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const following = followDeliveries(gateway.url, 'any-key', resolve);
  // Whatever appears before the stream has begun is in the list, and not in the stream.
  const making = setInterval(() => gateway.sandbox.deliver({ status: 'failed' }), 100);
  expect(await promise).toMatchObject({ status: 'failed' });
  clearInterval(making);
  await gateway.close();
  await following;
  gateway = await startSwitchboard();
});
