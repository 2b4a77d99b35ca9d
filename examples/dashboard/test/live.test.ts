import type { Page } from '../../../test/pages/browser/chromium.ts';
import { beforeEach, describe, expect, it } from 'vitest';
import { picture, settle } from './dashboard.ts';
import { asks, visitDashboard } from './visit.ts';

// A new delivery every five seconds, as when the dashboard is started by hand.
const here = visitDashboard(() => performance.now());
const { begin, button, column, rangeOf, rowsOf, section } = here;
let page: Page;

beforeEach(() => {
  page = here.visit.page;
});

/** Follows the deliveries, and waits until the list has been read again for it. */
async function goLive(): Promise<void> {
  const read = page.waitForResponse((response) => asks(response.request(), 'Deliveries'));
  await button('deliveries', 'Live').click();
  await read;
  await settle(page);
  expect(await here.streams()).toBe(1);
}

const status = () => section('deliveries').locator('p[role="status"]');
const patiently = { timeout: 20_000 };

describe('the live deliveries', () => {
  it('appear by themselves on top of the others, in light and dark', async () => {
    await begin();
    await goLive();
    expect(await button('deliveries', 'Live').getAttribute('aria-pressed')).toBe('true');
    const before = await column('deliveries', 'Started');
    const isRead = here.visit.requests.length;
    await expect.poll(() => status().textContent(), patiently).toBe('Live: 2 new');
    const after = await column('deliveries', 'Started');
    expect(after.slice(-before.length)).toEqual(before);
    expect(after.length).toBeGreaterThan(before.length);
    const marked = section('deliveries').locator('tbody tr.new');
    expect(await marked.count()).toBe(2);
    expect(await marked.locator('.tag', { hasText: 'new' }).count()).toBe(2);
    expect(await rowsOf('deliveries').nth(0).getAttribute('class')).toBe('new');
    expect(await rowsOf('deliveries').nth(2).getAttribute('class')).toBeNull();
    expect(here.visit.requests).toHaveLength(isRead);
    await section('deliveries').locator('.toggle').first().click();
    await settle(page);
    expect(await section('deliveries').getByText('Request headers').count()).toBeGreaterThanOrEqual(1);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await picture(section('deliveries'), `live-${colorScheme}`);
    }
  });

  it('are those of the filter, also where it changes meanwhile', async () => {
    await begin();
    await goLive();
    await section('deliveries').getByLabel('Status').fill('delivered');
    await button('deliveries', 'Filter').click();
    await settle(page);
    await expect.poll(here.streams).toBe(1);
    await expect.poll(() => status().textContent(), patiently).toMatch(/^Live: [1-9]/);
    expect(new Set(await column('deliveries', 'Status'))).toEqual(new Set(['delivered']));
  });

  it('stop where they are turned off, and stand in the list then', async () => {
    await begin();
    await button('deliveries', 'Next').click();
    await expect.poll(() => rangeOf('deliveries').textContent()).toMatch(/^16–30 of/);
    await goLive();
    await expect.poll(() => status().textContent(), patiently).toBe('Live: 1 new');
    const [newest] = await column('deliveries', 'Started');
    await button('deliveries', 'Live').click();
    await expect.poll(here.streams).toBe(0);
    await settle(page);
    expect(await rangeOf('deliveries').textContent()).toMatch(/^1–15 of/);
    expect(await rowsOf('deliveries').count()).toBe(15);
    expect(await column('deliveries', 'Started')).toContain(newest);
  });

  it.each([
    ['the key is forgotten', () => page.getByRole('button', { name: 'Forget' }).click()],
    ['the page is left', () => page.goto('about:blank')],
  ])('stop where %s', async (_when, leave) => {
    await begin();
    await goLive();
    await leave();
    await expect.poll(here.streams).toBe(0);
  });

  it('go on where the connection breaks off, with what came meanwhile', async () => {
    here.visit.expect('net::ERR_FAILED');
    let attempts = 0;
    await page.route('**/graphql', (route) =>
      asks(route.request(), 'DeliveryFeed') && attempts++ === 0 ? route.abort() : route.continue(),
    );
    await begin();
    const read = page.waitForResponse((response) => asks(response.request(), 'Deliveries'), patiently);
    await button('deliveries', 'Live').click();
    expect((await read).status()).toBe(200);
    expect(attempts).toBe(2);
    expect(await here.streams()).toBe(1);
    expect(await section('deliveries').locator('.notice').count()).toBe(0);
  });

  it('say why they ended, and begin anew when they are turned on again', async () => {
    const extensions = { code: 'FORBIDDEN', retryable: false };
    const errors = [{ message: 'The key lacks permission.', path: ['deliveryFeed'], extensions }];
    const body = `event: next\ndata: ${JSON.stringify({ data: null, errors })}\n\nevent: complete\ndata:\n\n`;
    await page.route('**/graphql', (route) =>
      asks(route.request(), 'DeliveryFeed')
        ? route.fulfill({ contentType: 'text/event-stream', body })
        : route.continue(),
    );
    await begin();
    await button('deliveries', 'Live').click();
    await expect
      .poll(() => section('deliveries').locator('.notice strong').allTextContents())
      .toEqual(['New deliveries could not be read.']);
    expect(await section('deliveries').locator('.notice .code').allTextContents()).toEqual(['Not allowed']);
    expect(await status().textContent()).toBe('No longer live: 0 new');
    await settle(page);
    expect(await rowsOf('deliveries').count()).toBe(15);
    await picture(section('deliveries'), 'live-ended');
    await page.unroute('**/graphql');
    await button('deliveries', 'Live').click();
    await button('deliveries', 'Live').click();
    await expect.poll(here.streams).toBe(1);
    await expect.poll(() => section('deliveries').locator('.notice').count()).toBe(0);
  });
});
