import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { expectAccessible, gateway, open, page, press, rows, search, see } from './visit.ts';

test('charges have the total of a month and the changes by service', async () => {
  await open('charges/2026-10');
  await see('$4,696.5205');
  expect(await page.getByRole('row').count()).toBeGreaterThan(3);
  expect(await page.locator('tbody td').allTextContents()).not.toContain('unknown');
  await expectAccessible();
  await page.getByLabel('Month').fill('2026-11');
  await see('the month has not ended');
});

test('the charges of each number come as a file, with the key', async () => {
  await open('charges/2026-10');
  const [download] = await Promise.all([page.waitForEvent('download'), press('Download CSV')]);
  expect(download.suggestedFilename()).toBe('charges-breakdown-2026-10-01-2026-11-01.csv');
  expect((await readFile(await download.path(), 'utf8')).split('\n').length).toBeGreaterThan(1_000);
  gateway.sandbox.use('forbidden');
  await press('Download CSV');
  await see('FORBIDDEN');
});

test('the list of connections is read to its end as a reader scrolls', async () => {
  await open('connections');
  await rows().first().waitFor();
  await expectAccessible();
  const scrolled = async () => {
    await rows().last().scrollIntoViewIfNeeded();
    return page.getByRole('status').textContent();
  };
  await expect.poll(scrolled).toBe('604 of 604');
  const addresses = await rows()
    .locator('a')
    .evaluateAll((links) => links.map((link) => link.getAttribute('href')));
  expect(new Set(addresses).size).toBe(604);
  expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0);
});

test('a search finds connections by a part of their names', async () => {
  await open('connections');
  await search('fax');
  const areFound = (names: string[]) => names.length > 1 && names.every((name) => name.includes('fax'));
  await expect.poll(() => rows().locator('a').allTextContents()).toSatisfy(areFound);
  await search('no such name');
  await see('0 of 0');
});

test('deliveries appear on the page of their connection', async () => {
  await open('connections');
  await rows().getByRole('link').first().click();
  await page.getByText('Live', { exact: true }).waitFor();
  const { hash } = new URL(page.url());
  const connection = decodeURIComponent(hash.slice('#/connections/'.length));
  // The first may still come with the list, which is read when the stream begins; the second comes by the stream.
  for (const type of ['call_parked', 'call_unparked']) {
    gateway.sandbox.deliver({ connection, type, status: 'failed' });
    await rows().filter({ hasText: type }).waitFor();
  }
  expect(await rows().first().textContent()).toMatch(/^call_unparkedfailed/);
  expect(await rows().filter({ hasText: 'parked' }).count()).toBe(2);
  await expectAccessible();
});

test('a connection that does not exist is told', async () => {
  await open('connections/no-such-connection');
  await see('There is no such connection.');
  expect(await page.getByRole('alert').count()).toBe(0);
});

test.for(['charges/2026-10', 'connections'])('%s fits a phone', async (address) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await open(address);
  await page.locator('tbody tr, .rows li').first().waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
});
