import { beforeEach, describe, expect, it } from 'vitest';
import { expectAccessible } from '../../../test/pages/browser/accessibility.ts';
import type { Locator, Page } from '../../../test/pages/browser/chromium.ts';
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
  it.each([1280, 390, 320])('finds nothing on the page at %i pixels, with rows and figures open', async (width) => {
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
  /** The headings of the cells that are seen in a row. */
  const seen = async (row: Locator): Promise<readonly string[]> => {
    const cells = await row.locator('td[data-label]').all();
    const shown = await Promise.all(cells.map(async (cell) => ((await cell.isVisible()) ? cell : null)));
    const labels = shown.map(async (cell) => (await cell?.getAttribute('data-label')) ?? '');
    return (await Promise.all(labels)).filter((label) => label !== '');
  };

  it('shows all of a row beside its headings, without scrolling sideways, once it is opened', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await begin();
    for (const id of ['connections', 'deliveries']) {
      const frame = section(id).getByRole('group', { name: id }).first();
      const row = frame.locator('tbody tr').first();
      await row.locator('.toggle').click();
      await settle(page);
      expect(await frame.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
      expect(await seen(row)).toContain(id === 'connections' ? 'Webhook address' : 'Last answer');
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

  it('shows of a closed row its title and two facts, and folds the rest', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await begin();
    const rowOf = (id: string, label: string): Locator =>
      section(id).getByRole('group', { name: label, exact: true }).locator('tbody tr').first();
    await section('deliveries').getByText('What fails, and why').click();
    await settle(page);
    const closed = async (): Promise<unknown> => ({
      services: await seen(rowOf('charges', 'Recurring services')),
      usage: await seen(rowOf('charges', 'Usage')),
      connections: await seen(rowOf('connections', 'Connections')),
      deliveries: await seen(rowOf('deliveries', 'Deliveries')),
      failures: await seen(rowOf('deliveries', 'Failures')),
    });
    const facts = {
      services: ['Amount', 'Change'],
      usage: ['Amount', 'Change'],
      connections: ['Name', 'State', 'Created'],
      deliveries: ['Event', 'Status', 'Started (UTC)'],
      failures: ['Error', 'Deliveries'],
    };
    expect(await closed()).toEqual(facts);
    const service = rowOf('charges', 'Recurring services');
    await service.getByRole('button', { name: /^All of / }).click();
    expect(await seen(service)).toHaveLength(7);
    await service.getByRole('button', { name: /^All of / }).click();
    expect(await closed()).toEqual(facts);
    await page.setViewportSize({ width: 1280, height: 844 });
    expect(await seen(service)).toHaveLength(7);
    expect(await service.getByRole('button').isVisible()).toBe(false);
    expect(await seen(rowOf('connections', 'Connections'))).toHaveLength(8);
  });
});
