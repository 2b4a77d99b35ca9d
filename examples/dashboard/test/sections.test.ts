import { readFile } from 'node:fs/promises';
import type { Page } from '../../../test/pages/browser/chromium.ts';
import { beforeEach, describe, expect, it } from 'vitest';
import { picture, settle } from './dashboard.ts';
import { visitDashboard } from './visit.ts';

const here = visitDashboard();
const { begin, button, column, rangeOf, rowsOf, section } = here;
let page: Page;

beforeEach(() => {
  page = here.visit.page;
});

describe('a section of the dashboard', () => {
  it('shows each section with its data, in light and dark', async () => {
    await begin();
    expect(await page.locator('.figures dd').allTextContents()).toEqual([
      '$4,696.52',
      '$4,669.43$4,596.41 to $5,489.42 in six months',
      '604',
      '772',
      '230',
    ]);
    expect(await section('charges').locator('.recharts-bar').count()).toBe(7);
    expect(await section('charges').locator('.recharts-bar-rectangle').count()).toBe(42);
    expect(await rowsOf('connections').count()).toBe(15);
    expect(await rowsOf('deliveries').count()).toBe(15);
    expect(await section('missions').locator('article').count()).toBe(8);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await picture(page, `page-${colorScheme}`);
    }
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      for (const id of ['charges', 'connections', 'deliveries', 'missions'])
        await picture(section(id), `${id}-${colorScheme}`);
    }
  });

  it('shows lines of both shapes with their change to the month before', async () => {
    await begin();
    const charges = section('charges');
    const recurring = charges.getByRole('group', { name: 'Recurring services' }).locator('tbody tr');
    const usage = charges.getByRole('group', { name: 'Usage' }).locator('tbody tr');
    expect(await recurring.count()).toBe(8);
    expect(await usage.count()).toBe(5);
    expect(await recurring.first().innerText()).toMatch(
      /^Local number\s+5\s+\$5.00\s+\$5.00\s+857\s+\$857.00\s+\$867.00\s+\+\$2.00/,
    );
    await charges.locator('.recharts-wrapper').hover({ position: { x: 600, y: 150 } });
    expect(await charges.locator('.tooltip tr').count()).toBe(8);
    expect(await charges.locator('.tooltip caption').textContent()).toMatch(/2026$/);
    await picture(charges.locator('.chart'), 'chart-tooltip');
    await charges.getByText('Figures of all 13 services').click();
    expect(await charges.getByRole('group', { name: 'Charges by service and month' }).locator('tbody tr').count()).toBe(
      13,
    );
    await picture(charges, 'charges-figures');
  });

  it('tells what fails and why, and which connections are off', async () => {
    await begin();
    await section('deliveries').getByText('What fails, and why').click();
    const failures = section('deliveries').getByRole('group', { name: 'Failures' });
    await failures.waitFor();
    expect(await failures.locator('tbody tr').count()).toBe(10);
    expect(await failures.locator('tbody tr').first().innerText()).toMatch(/^https:.*\d/s);
    await section('connections').getByLabel('State').selectOption('off');
    await button('connections', 'Filter').click();
    await expect.poll(() => rangeOf('connections').textContent()).toMatch(/^1–15 of \d{2,3} connections$/);
    expect(new Set(await column('connections', 'State'))).toEqual(new Set(['off']));
  });

  it('names a part of a month by its days, and keeps the smaller services last in another period', async () => {
    await begin();
    const form = page.getByRole('form', { name: 'Period of the history' });
    const legend = section('charges').locator('.legend');
    const before = await legend.allTextContents();
    await form.getByLabel('From').fill('2026-08-15');
    await form.getByRole('button', { name: 'Show' }).click();
    const chart = section('charges').locator('.recharts-wrapper');
    await expect.poll(() => chart.innerText()).toMatch(/15\s–\s31 Aug 2026/);
    const after = await legend.allTextContents();
    expect(after).not.toEqual(before);
    expect(after).toHaveLength(7);
    expect(after.at(-1)).toBe('7 other services');
    await picture(chart, 'chart-part-of-month');
  });

  it('filters connections by a part of their name, and says beside the field what the platform wants', async () => {
    await begin();
    const name = section('connections').getByLabel('Name contains');
    await name.fill('of');
    await name.press('Enter');
    await section('connections').getByText('The value must have at least three characters.').waitFor();
    expect(await name.getAttribute('aria-invalid')).toBe('true');
    await picture(section('connections'), 'connections-error');
    await name.fill('office');
    await name.press('Enter');
    await expect.poll(() => rangeOf('connections').textContent()).toMatch(/^1–15 of \d\d connections$/);
    for (const text of await column('connections', 'Name')) expect(text).toContain('office');
  });

  it('sorts connections by a click on a head, and tells assistive technology how', async () => {
    await begin();
    const head = section('connections').getByRole('columnheader', { name: 'Name' });
    const sorted = async (direction: string): Promise<readonly string[]> => {
      await head.getByRole('button').click();
      await expect.poll(() => head.getAttribute('aria-sort')).toBe(direction);
      await settle(page);
      return column('connections', 'Name');
    };
    const up = await sorted('ascending');
    expect(up).toEqual([...up].sort());
    expect(up[0]).toMatch(/^Chicago/);
    const down = await sorted('descending');
    expect(down[0]).toMatch(/^Zürich/);
  });

  it('pages connections both ways by cursors', async () => {
    await begin();
    const first = await column('connections', 'Name');
    const turn = async (name: string, range: string): Promise<readonly string[]> => {
      await button('connections', name).click();
      await expect.poll(() => rangeOf('connections').textContent()).toBe(`${range} of 604 connections`);
      await settle(page);
      return column('connections', 'Name');
    };
    const second = await turn('Next', '16–30');
    expect(second).not.toEqual(first);
    // A user who pages by keyboard stays on the button.
    expect(await button('connections', 'Next').evaluate((element) => element === document.activeElement)).toBe(true);
    await turn('Next', '31–45');
    expect(await turn('Previous', '16–30')).toEqual(second);
    expect(await turn('Previous', '1–15')).toEqual(first);
    await turn('Last', '590–604');
    expect(await button('connections', 'Next').isDisabled()).toBe(true);
    await turn('Previous', '575–589');
    expect(await turn('First', '1–15')).toEqual(first);
  });

  it('filters deliveries by status and start, newest first', async () => {
    await begin();
    const deliveries = section('deliveries');
    await deliveries.getByLabel('Status').fill('failed');
    await deliveries.getByLabel('Started from').fill('2026-10-10T00:00');
    await deliveries.getByLabel('Started until').fill('2026-10-10T23:59');
    await button('deliveries', 'Filter').click();
    await expect.poll(() => rangeOf('deliveries').textContent()).toMatch(/^1–15 of \d\d deliveries$/);
    await settle(page);
    expect(new Set(await column('deliveries', 'Status'))).toEqual(new Set(['failed']));
    const starts = await column('deliveries', 'Started');
    expect(starts).toEqual([...starts].sort().toReversed());
    for (const start of starts) expect(start).toMatch(/^10 Oct 2026/);
  });

  it('opens a delivery to its attempts, with credentials shown as withheld', async () => {
    await begin();
    const toggles = section('deliveries').locator('.toggle');
    for (let at = 0; at < 15; at++) {
      await toggles.nth(at).press('Enter');
      expect(await toggles.nth(at).getAttribute('aria-expanded')).toBe('true');
    }
    await settle(page);
    const withheld = section('deliveries').locator('.redacted');
    expect(await withheld.count()).toBeGreaterThan(0);
    expect(new Set(await withheld.allTextContents())).toEqual(new Set(['[redacted]']));
    expect(await page.content()).not.toContain('made-up-');
    expect(await section('deliveries').getByText('Request headers').count()).toBeGreaterThanOrEqual(15);
    await picture(section('deliveries').locator('.attempts').nth(13), 'attempts');
    await toggles.first().press('Enter');
    expect(await toggles.first().getAttribute('aria-expanded')).toBe('false');
  });

  it('adds missions below, and shows their numbers digit for digit', async () => {
    await begin();
    await section('missions').locator('summary').first().click();
    await section('missions').getByText('9007199254740993').first().waitFor();
    await button('missions', 'Show more').click();
    await expect.poll(() => section('missions').locator('article').count()).toBe(16);
    expect(await rangeOf('missions').textContent()).toBe('16 of 230 missions');
    await picture(section('missions'), 'missions-more');
  });

  it('downloads the breakdown as CSV, and shows its error beside the field', async () => {
    await begin();
    const form = page.getByRole('form', { name: 'Period of the bill' });
    const download = page.waitForEvent('download');
    await form.getByRole('button', { name: 'Download' }).click();
    const file = await download;
    expect(file.suggestedFilename()).toBe('charges-breakdown-2026-10-01-2026-11-01.csv');
    const lines = (await readFile(await file.path(), 'utf8')).trim().split('\n');
    expect(lines[0]).toMatch(/tn/i);
    expect(lines.length).toBeGreaterThan(1800);
    expect(await form.getByRole('status').textContent()).toMatch(/^Saved charges-breakdown-\S+\.csv, \d+ kB$/);
    await form.getByLabel('To, exclusive').fill('2026-09-01');
    here.visit.expect('400');
    await form.getByRole('button', { name: 'Download' }).click();
    await form.getByText('“To, exclusive” must be later than “From”').waitFor();
    expect(await form.getByRole('status').textContent()).toBe('Not downloaded');
    expect(await form.getByLabel('To, exclusive').getAttribute('aria-invalid')).toBe('true');
  });

  it('can be used on a narrow screen without scrolling sideways', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await begin();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await picture(page, 'narrow');
    await picture(section('deliveries'), 'narrow-deliveries');
    await picture(section('charges'), 'narrow-charges');
  });
});
