import { beforeEach, describe, expect, it } from 'vitest';
import type { Page } from '../../../test/pages/browser/chromium.ts';
import { settle } from './dashboard.ts';
import { key, visitDashboard } from './visit.ts';

const here = visitDashboard();
const { begin, button, column, rangeOf, section } = here;
let page: Page;

beforeEach(() => {
  page = here.visit.page;
});

const parameters = () => Object.fromEntries(new URL(page.url()).searchParams);

describe('the address of the dashboard', () => {
  it('has filters, order and periods, and shows the same when it is opened again', async () => {
    await begin();
    await section('connections').getByLabel('Name contains').fill('office');
    await button('connections', 'Filter').click();
    await settle(page);
    await section('connections').getByRole('button', { name: 'Name', exact: true }).click();
    await settle(page);
    await section('deliveries').getByLabel('Status').fill('failed');
    await section('deliveries').getByRole('button', { name: 'Last month' }).click();
    await settle(page);
    const bill = page.getByRole('form', { name: 'Period of the bill' });
    await bill.getByLabel('From').fill('2026-10-15');
    await bill.getByRole('button', { name: 'Show' }).click();
    await page.getByRole('button', { name: 'Last 12 months' }).first().click();
    await settle(page);
    expect(parameters()).toEqual({
      name: 'office',
      order: 'CONNECTION_NAME',
      status: 'failed',
      'started-from': '2026-10-01T00:00',
      'started-until': '2026-10-31T23:59',
      'bill-from': '2026-10-15',
      'bill-to': '2026-11-01',
      'history-from': '2025-11-01',
      'history-to': '2026-11-01',
    });
    const shown = [await column('connections', 'Name'), await column('deliveries', 'Started')];
    await page.goto(page.url());
    await page.reload();
    await begin();
    expect(await section('connections').getByLabel('Name contains').inputValue()).toBe('office');
    expect(await section('deliveries').getByLabel('Status').inputValue()).toBe('failed');
    expect(await bill.getByLabel('From').inputValue()).toBe('2026-10-15');
    expect([await column('connections', 'Name'), await column('deliveries', 'Started')]).toEqual(shown);
  });

  it('goes back with the browser, filter by filter, and begins at the first page', async () => {
    await begin();
    const all = await column('connections', 'Name');
    await button('connections', 'Next').click();
    await expect.poll(() => rangeOf('connections').textContent()).toMatch(/^16–30/);
    await section('connections').getByLabel('Name contains').fill('office');
    await section('connections').getByLabel('Name contains').press('Enter');
    await expect.poll(() => rangeOf('connections').textContent()).toMatch(/^1–15 of \d\d connections$/);
    await page.goBack();
    await expect.poll(() => rangeOf('connections').textContent()).toMatch(/of 604 connections$/);
    await settle(page);
    expect(await section('connections').getByLabel('Name contains').inputValue()).toBe('');
    await button('connections', 'First').click({ force: true });
    await settle(page);
    expect(all).toEqual(await column('connections', 'Name'));
  });

  it('never has the key, nor does the history of the browser', async () => {
    await begin();
    await section('deliveries').getByRole('button', { name: 'This month' }).click();
    await page.locator('a[href="#missions"]').click();
    expect(page.url()).not.toContain(key);
    expect(await page.evaluate(() => JSON.stringify(history.state))).toBe('null');
  });

  it('may be nonsense: the gateway says so at the field, and an unknown order is none', async () => {
    await page.goto(`${here.url}?bill-from=2026-02-30&order=DROP_TABLE&name=%3Cscript%3E`);
    await begin();
    const bill = page.getByRole('form', { name: 'Period of the bill' });
    expect(await bill.locator('.field-error').textContent()).toMatch(/^From:/);
    expect(await section('connections').locator('.empty').textContent()).toContain('“<script>”');
    expect(await section('charges').locator('.recharts-bar').count()).toBe(7);
  });

  it('takes a preset of this month and of the last for the bill, marked as pressed', async () => {
    await begin();
    const bill = page.getByRole('form', { name: 'Period of the bill' });
    const last = bill.getByRole('button', { name: 'Last month' });
    const current = bill.getByRole('button', { name: 'This month' });
    expect(await last.getAttribute('aria-pressed')).toBe('true');
    await current.click();
    await settle(page);
    expect(await current.getAttribute('aria-pressed')).toBe('true');
    expect(await bill.getByLabel('From').inputValue()).toBe('2026-11-01');
    expect(await bill.getByLabel('To, exclusive').inputValue()).toBe('2026-12-01');
    await last.click();
    await settle(page);
    expect(await section('charges').getByText('$4,696.52').count()).toBeGreaterThan(0);
  });
});
