import { beforeEach, describe, expect, it } from 'vitest';
import { expectAccessible } from '../../../test/browser/accessibility.ts';
import type { Page } from '../../../test/browser/chromium.ts';
import { picture, settle } from './dashboard.ts';
import { visitDashboard } from './visit.ts';

const here = visitDashboard();
const { begin, button, section } = here;
let page: Page;

beforeEach(() => {
  page = here.visit.page;
});

const schemes = ['light', 'dark'] as const;

describe.each(schemes)('axe in %s', (colorScheme) => {
  it.each([1280, 390])('finds nothing on the page at %i pixels, with rows and figures open', async (width) => {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height: 844 });
    await expectAccessible(page);
    await begin();
    await section('charges').getByText('Figures of all').click();
    await section('connections').locator('.toggle').first().click();
    await section('deliveries').locator('.toggle').nth(1).click();
    await section('missions').locator('summary').first().click();
    await settle(page);
    await expectAccessible(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    await picture(section('connections'), `open-connection-${colorScheme}-${width}`);
    await picture(section('deliveries'), `open-delivery-${colorScheme}-${width}`);
  });

  it('finds nothing on what loads, fails, is empty, comes live or is refused', async () => {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const held = Promise.withResolvers<void>();
    await page.route('**/graphql', async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.locator('#key').fill('unknown-account-key');
    await page.locator('#key').press('Enter');
    await section('connections').locator('.skeleton').waitFor();
    await expectAccessible(page);
    await picture(page, `skeletons-${colorScheme}`);
    held.resolve();
    await settle(page);
    await section('connections').getByLabel('Name contains').fill('no such name');
    await button('connections', 'Filter').click();
    await section('deliveries').getByLabel('Status').fill('no such status');
    await button('deliveries', 'Filter').click();
    await section('deliveries').locator('.empty').waitFor();
    await button('deliveries', 'Live').click();
    await section('connections').locator('.empty').waitFor();
    await settle(page);
    await expectAccessible(page);
    await picture(page, `failed-${colorScheme}`);
    await picture(section('connections'), `empty-${colorScheme}`);
    await page.locator('#key').fill('invalid-key');
    await page.locator('#key').press('Enter');
    await page.getByText('The API key is refused.').waitFor();
    await expectAccessible(page);
    expect(await page.locator('main section').count()).toBe(0);
  });
});

describe('a narrow screen', () => {
  it('shows all of a row beside its headings, without scrolling sideways', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await begin();
    for (const id of ['connections', 'deliveries']) {
      const frame = section(id).getByRole('group', { name: id }).first();
      expect(await frame.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
      const row = frame.locator('tbody tr').first();
      const heads = await row
        .locator('td[data-label]')
        .evaluateAll((cells) => cells.map((cell) => getComputedStyle(cell, '::before').content));
      expect(heads).toContain(id === 'connections' ? '"Webhook address"' : '"Last answer"');
    }
    for (const label of ['Recurring services', 'Usage']) {
      const frame = section('charges').getByRole('group', { name: label });
      expect(await frame.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
    }
    const head = section('connections').getByRole('button', { name: 'Name', exact: true });
    await head.click();
    await settle(page);
    expect(await section('connections').locator('.name').first().textContent()).toMatch(/^Chicago/);
    await picture(section('connections'), 'narrow-connections');
  });
});
