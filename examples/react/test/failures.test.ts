import { expect, test } from 'vitest';
import { alert, enterKey, expectAccessible, gateway, open, page, press, rows, search, see } from './visit.ts';

test('a refused key is shown as such, and another key has the page', async () => {
  await open('charges/2026-10', 'invalid-key');
  await see('The API key is refused');
  await see('UNAUTHENTICATED');
  expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  await expectAccessible();
  await enterKey('sandbox-key');
  await see('$4,696.5205');
  expect(await alert().count()).toBe(0);
});

test('a refused search names the argument at fault', async () => {
  await open('connections');
  await search('x'.repeat(5_000));
  await expect.poll(() => alert().textContent()).toContain('BAD_USER_INPUT at filter.connectionName.contains');
});

test('another attempt waits for as long as the platform says', async () => {
  gateway.sandbox.use('rate-limited=600');
  await open('charges/2026-10', 'a-key-in-a-hurry');
  await see('RATE_LIMITED');
  expect(await page.getByRole('button', { name: 'Try again in 600 s' }).isDisabled()).toBe(true);
});

test('what failed comes by another attempt', async () => {
  gateway.sandbox.use('failing');
  await open('charges/2026-10');
  await see('UPSTREAM_ERROR');
  await expectAccessible();
  gateway.sandbox.use();
  await press('Try again');
  await see('$4,696.5205');
  expect(await alert().count()).toBe(0);
});

test('a field that has failed is asked for again when its page is opened again', async () => {
  gateway.sandbox.use('failing');
  await open('charges/2026-10');
  await see('UPSTREAM_ERROR');
  await page.getByRole('link', { name: 'Connections' }).click();
  await page.getByRole('heading', { name: 'Connections' }).waitFor();
  gateway.sandbox.use();
  await page.goBack();
  await see('$4,696.5205');
  expect(await alert().count()).toBe(0);
});

test('a later page that fails leaves the rows before it, and comes by another attempt', async () => {
  await open('connections');
  await see('50 of 604');
  gateway.sandbox.use('failing');
  await rows().last().scrollIntoViewIfNeeded();
  await see('UPSTREAM_ERROR');
  expect(await rows().count()).toBe(50);
  gateway.sandbox.use();
  await press('Try again');
  await expect.poll(() => rows().count()).toBeGreaterThan(50);
  expect(await alert().count()).toBe(0);
});

test('a gateway that is not reached is asked again', async () => {
  await page.route('**/graphql', (route) => route.abort());
  await open('charges/2026-10');
  await see('The gateway cannot be reached');
  await page.unroute('**/graphql');
  await press('Try again');
  await see('$4,696.5205');
  expect(await alert().count()).toBe(0);
});
