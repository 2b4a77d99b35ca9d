import { beforeEach, describe, expect, it } from 'vitest';
import type { Page } from '../../../test/pages/browser/chromium.ts';
import { settle } from './dashboard.ts';
import { asks, visitDashboard } from './visit.ts';

const here = visitDashboard();
const { begin, button, rangeOf, rowsOf, section } = here;
let page: Page;

beforeEach(() => {
  page = here.visit.page;
});

const pageInfo = { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null };
const none = { offset: 0, totalCount: 0, pageInfo, nodes: [] };

/** Answers as for an account that has nothing. */
async function haveNothing(): Promise<void> {
  const empty: Readonly<Record<string, object>> = {
    Connections: { ipConnections: none },
    Deliveries: { webhookDeliveries: none },
    Missions: { missions: none },
    ChargesHistory: {
      chargesHistoryByService: { currency: null, months: [], services: [], others: null },
      figures: { services: [] },
    },
  };
  await page.route('**/graphql', async (route) => {
    const name = Object.keys(empty).find((operation) => asks(route.request(), operation));
    if (name === undefined) return route.continue();
    return route.fulfill({ json: { data: empty[name] } });
  });
}

describe('an empty part of the dashboard', () => {
  it('says for each section of a new account what to do', async () => {
    await haveNothing();
    await begin();
    const texts = await page.locator('.empty').allTextContents();
    expect(texts).toHaveLength(4);
    expect(texts[0]).toContain('Choose other dates');
    expect(texts[1]).toContain('Create one at the platform');
    expect(texts[2]).toContain('press Live');
    expect(texts[3]).toContain('Create one at the platform');
    expect(await page.locator('.chart').count()).toBe(0);
  });

  it('says which filter nothing matches, and how to see all again', async () => {
    await begin();
    await section('connections').getByLabel('Name contains').fill('no such name');
    await button('connections', 'Filter').click();
    await section('connections').getByText('No connection has “no such name” in its name.').waitFor();
    expect(await rangeOf('connections').textContent()).toBe('No connections');
    await button('connections', 'Clear').click();
    await expect.poll(() => rowsOf('connections').count()).toBe(15);
    await section('deliveries').getByLabel('Status').fill('no such status');
    await button('deliveries', 'Filter').click();
    await section('deliveries').getByText('No delivery matches the filter.').waitFor();
    await button('deliveries', 'Clear').click();
    await expect.poll(() => rowsOf('deliveries').count()).toBe(15);
    await settle(page);
  });

  it('has skeletons in the place of what has not come, and no word of emptiness', async () => {
    const held = Promise.withResolvers<void>();
    await page.route('**/graphql', async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.locator('#key').fill('sandbox-key');
    await page.locator('#key').press('Enter');
    for (const id of ['charges', 'connections', 'deliveries', 'missions'])
      await section(id).locator('.skeleton').first().waitFor();
    expect(await page.locator('.figures .skeleton').count()).toBe(5);
    expect(await page.locator('.empty').count()).toBe(0);
    held.resolve();
    await settle(page);
    expect(await page.locator('.skeleton').count()).toBe(0);
  });
});
