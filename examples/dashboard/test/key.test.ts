import type { Page } from '../../../test/browser/chromium.ts';
import { beforeEach, describe, expect, it } from 'vitest';
import { picture } from './dashboard.ts';
import { key, visitDashboard } from './visit.ts';

const here = visitDashboard();
const { begin } = here;
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
});
