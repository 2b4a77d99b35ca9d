import type { Page } from '../../../test/pages/browser/chromium.ts';
import { beforeEach, describe, expect, it } from 'vitest';
import { picture, settle } from './dashboard.ts';
import { key, visitDashboard } from './visit.ts';

const here = visitDashboard();
const { begin, button, rowsOf } = here;
let page: Page;

beforeEach(() => {
  page = here.visit.page;
});

describe('the key of the dashboard', () => {
  it('asks for a key first, and for nothing of the gateway before', async () => {
    await picture(page, 'welcome');
    expect(here.visit.requests.filter((url) => url.includes('/graphql'))).toEqual([]);
    expect(await page.locator('#charges').count()).toBe(0);
  });

  it('keeps the key out of storage, address and document, and forgets it', async () => {
    await begin();
    const kept = await page.evaluate(async () => ({
      storage: JSON.stringify([localStorage, sessionStorage, document.cookie]),
      databases: (await indexedDB.databases()).length,
      caches: (await caches.keys()).length,
      field: document.querySelector<HTMLInputElement>('#key')?.value,
      address: location.href + JSON.stringify(history.state),
    }));
    expect(kept).toEqual({
      storage: '[{},{},""]',
      databases: 0,
      caches: 0,
      field: '',
      address: `${here.url}null`,
    });
    expect(await page.content()).not.toContain(key);
    expect(await page.locator('#key').getAttribute('type')).toBe('password');
    await page.getByRole('button', { name: 'Forget' }).click();
    await page.locator('#charges').waitFor({ state: 'detached' });
    await begin();
    await page.reload();
    expect(await page.locator('#charges').count()).toBe(0);
  });

  it('says once that a key is refused, and leads to the field for another', async () => {
    await enterRefused();
    expect(await page.getByRole('alert').count()).toBe(1);
    expect(await page.getByRole('alert').textContent()).toContain('The API key is refused.');
    expect(await page.locator('main section').count()).toBe(0);
    await picture(page, 'refused-key');
    await page.getByRole('button', { name: 'Enter another key' }).press('Enter');
    await page.keyboard.type('sandbox-key');
    await page.keyboard.press('Enter');
    await settle(page);
    await expect.poll(() => rowsOf('connections').count()).toBe(15);
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('keeps what it shows where a key is refused later, and says so once', async () => {
    await begin();
    const extensions = { code: 'UNAUTHENTICATED', retryable: false };
    const errors = [{ message: 'The key is not accepted.', path: ['ipConnections'], extensions }];
    await page.route('**/graphql', (route) => route.fulfill({ json: { data: { ipConnections: null }, errors } }));
    await button('connections', 'Next').click();
    await page.getByText('The API key is refused.').waitFor();
    await settle(page);
    expect(await page.locator('.notice').count()).toBe(1);
    expect(await rowsOf('connections').count()).toBe(15);
  });
});

async function enterRefused(): Promise<void> {
  await page.locator('#key').fill('invalid-key');
  await page.locator('#key').press('Enter');
  await page.getByText('The API key is refused.').waitFor();
}
