import { beforeEach, describe, expect, it } from 'vitest';
import type { Locator, Page } from '../../../test/pages/browser/chromium.ts';
import { settle } from './dashboard.ts';
import { asks, key, visitDashboard } from './visit.ts';

const here = visitDashboard();
const { begin, button, column, rangeOf, section } = here;
let page: Page;

beforeEach(() => {
  page = here.visit.page;
});

const isFocused = (element: Locator): Promise<boolean> => element.evaluate((node) => node === document.activeElement);

/** Presses Tab until the focus is on the element, as a person without a mouse does. */
async function tabTo(element: Locator): Promise<void> {
  for (let press = 0; press < 120; press++) {
    if (await isFocused(element)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`The keyboard does not reach ${String(element)}.`);
}

describe('the keyboard on the dashboard', () => {
  it.each(['connections', 'deliveries'])('stays on the button that opens and closes a row of the %s', async (id) => {
    await begin();
    const toggle = section(id).locator('.toggle').nth(2);
    await toggle.focus();
    for (const isOpen of ['true', 'false', 'true']) {
      await page.keyboard.press('Enter');
      await settle(page);
      expect(await toggle.getAttribute('aria-expanded')).toBe(isOpen);
      expect(await isFocused(toggle)).toBe(true);
    }
    expect(await section(id).locator('.below').count()).toBe(1);
  });

  it.each(['connections', 'deliveries'])('stays on the buttons of the %s at either end of the list', async (id) => {
    await begin();
    for (const name of ['Last', 'First', 'Next', 'Previous']) {
      const turn = button(id, name);
      const before = await rangeOf(id).textContent();
      await turn.focus();
      await page.keyboard.press('Enter');
      await expect.poll(() => rangeOf(id).textContent()).not.toBe(before);
      await settle(page);
      expect(await isFocused(turn)).toBe(true);
    }
    // A button at the end of the list does nothing.
    const first = await column(id, id === 'connections' ? 'Name' : 'Started');
    expect(await button(id, 'Previous').isDisabled()).toBe(true);
    await page.keyboard.press('Enter');
    await settle(page);
    expect(await column(id, id === 'connections' ? 'Name' : 'Started')).toEqual(first);
  });

  it('stays on a head that sorts, and on the button that shows more missions', async () => {
    await begin();
    const head = section('connections').getByRole('button', { name: 'Created' });
    await head.focus();
    await page.keyboard.press('Enter');
    await settle(page);
    expect(await isFocused(head)).toBe(true);
    const more = button('missions', 'Show more');
    await more.focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => section('missions').locator('article').count()).toBe(16);
    expect(await isFocused(more)).toBe(true);
  });

  it('does everything alone: key, periods, filter, order, rows, pages, stream', async () => {
    await tabTo(page.locator('#key'));
    await page.keyboard.type(key);
    await page.keyboard.press('Enter');
    await section('charges').waitFor();
    await settle(page);
    const months = section('charges').getByRole('form', { name: 'Period of the history' });
    await tabTo(months.getByRole('button', { name: 'Last 12 months' }));
    await page.keyboard.press('Enter');
    await settle(page);
    expect(await section('charges').locator('.recharts-bar-rectangle').count()).toBeGreaterThan(42);
    await tabTo(section('connections').getByLabel('Name contains'));
    await page.keyboard.type('office');
    await page.keyboard.press('Enter');
    await expect.poll(() => rangeOf('connections').textContent()).toMatch(/^1–15 of \d\d connections$/);
    await tabTo(section('connections').getByRole('button', { name: 'Name', exact: true }));
    await page.keyboard.press('Enter');
    await settle(page);
    await tabTo(section('connections').locator('.toggle').first());
    await page.keyboard.press(' ');
    await section('connections').getByText('SIP region').waitFor();
    await tabTo(button('connections', 'Next'));
    await page.keyboard.press('Enter');
    await expect.poll(() => rangeOf('connections').textContent()).toMatch(/^16–/);
    const stream = page.waitForRequest((request) => asks(request, 'DeliveryFeed'));
    await tabTo(button('deliveries', 'Live'));
    await page.keyboard.press(' ');
    await stream;
  });
});
