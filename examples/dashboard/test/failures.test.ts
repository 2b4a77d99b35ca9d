import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { picture, settle } from './dashboard.ts';
import type { Series } from '../src/charges/history-series.ts';
import { asks, visitDashboard } from './visit.ts';

const here = visitDashboard();
const { begin, button, rowsOf, section } = here;
let page: Page;

beforeEach(() => {
  page = here.visit.page;
});

interface History {
  readonly months: readonly object[];
  readonly services: readonly Series[];
}

describe('a failure on the dashboard', () => {
  it.each([
    ['Period of the history', '2024-01-01', 'endDate must be within 24 months of startDate (2024-01-01).'],
    [
      'Period of the bill',
      '2026-09-01',
      'The date range cannot exceed 31 days; from 2026-09-01 to 2026-11-01 it is 61.',
    ],
  ])('shows the error of the %s beside the field that it names', async (name, startDate, message) => {
    await begin();
    const form = page.getByRole('form', { name });
    await form.getByLabel('From').fill(startDate);
    await form.getByRole('button', { name: 'Show' }).click();
    const end = form.getByLabel('To, exclusive');
    await form.getByText(message).waitFor();
    expect(await end.getAttribute('aria-invalid')).toBe('true');
    expect(await end.getAttribute('aria-describedby')).toContain('error');
    expect(await form.locator('.field-error').allInnerTexts()).toEqual([`BAD_USER_INPUT ${message}`]);
    expect(await form.getByLabel('From').getAttribute('aria-invalid')).toBe('false');
    expect(await rowsOf('connections').count()).toBe(15);
    await picture(section('charges'), `error-${startDate}`);
    await form.getByLabel('From').fill('2026-10-01');
    await form.getByRole('button', { name: 'Show' }).click();
    await form.locator('.field-error').waitFor({ state: 'detached' });
    await settle(page);
  });

  it('lets all else stand where the account has no bill, and tries again on demand', async () => {
    await begin('unknown-account-key');
    const failed = page.locator('.figure.failed');
    expect(await failed.locator('.code').allTextContents()).toEqual(['UNPROCESSABLE_ENTITY']);
    expect(await page.locator('.figure:not(.failed) dd').allTextContents()).toEqual(['604', '772', '230']);
    expect(await section('charges').locator('.notice .code').allTextContents()).toEqual([
      'UNPROCESSABLE_ENTITY',
      'UNPROCESSABLE_ENTITY',
    ]);
    expect(await section('charges').locator('.notice strong').allTextContents()).toEqual([
      'All months from May 2026 to Oct 2026 could not be read.',
      'The bill could not be read.',
    ]);
    expect(await rowsOf('connections').count()).toBe(15);
    expect(await rowsOf('deliveries').count()).toBe(15);
    await picture(page, 'partial-failure');
    const again = page.waitForResponse((response) => asks(response.request(), 'ChargesHistory'));
    const retry = section('charges').getByRole('button', { name: 'Try again' }).first();
    await retry.focus();
    await retry.press('Enter');
    expect((await again).status()).toBe(200);
    await settle(page);
    // A user who retries by keyboard can do so again.
    expect(await retry.evaluate((element) => element === document.activeElement)).toBe(true);
  });

  it('shows a month whose predecessor failed, and a history that lacks a month', async () => {
    const extensions = { code: 'UPSTREAM_TIMEOUT', retryable: true, requestId: 'request-of-this-test' };
    const message = 'No whole answer came in time.';
    await page.route('**/graphql', async (route) => {
      const response = await route.fetch();
      const answer = (await response.json()) as {
        data: Record<string, object> & { chargesHistoryByService?: History };
      };
      const failing = (path: readonly (string | number)[], data: object) =>
        route.fulfill({
          response,
          json: { data: { ...answer.data, ...data }, errors: [{ message, path, extensions }] },
        });
      const history = answer.data.chargesHistoryByService;
      if (asks(route.request(), 'ChargesMonth'))
        return failing(['chargesSummary', 'previous'], {
          chargesSummary: { ...answer.data['chargesSummary'], previous: null },
        });
      if (history != null) {
        const months = history.months.with(1, { ...history.months[1], summary: null });
        const services = history.services.map(({ alias, name, amounts }) => ({
          alias,
          name,
          amounts: amounts.with(1, null),
        }));
        return failing(['chargesHistoryByService', 'months', 1, 'summary'], {
          chargesHistoryByService: { ...history, months, services },
        });
      }
      return route.fulfill({ response });
    });
    await begin();
    const charges = section('charges');
    expect(await charges.locator('.recharts-bar-rectangle').count()).toBe(35);
    expect(await charges.locator('.notice strong').allTextContents()).toEqual([
      'Jun 2026 could not be read.',
      'The month before could not be read.',
    ]);
    expect(await charges.locator('.recharts-wrapper').innerText()).toContain('Jun 2026, not read');
    await charges.getByText('Figures of all 13 services').click();
    const figures = charges.getByRole('group', { name: 'Charges by service and month' });
    expect(await figures.getByRole('columnheader').allTextContents()).toContain('Jun 2026, not read');
    expect(await figures.locator('tbody tr td:nth-child(3)').allTextContents()).toEqual(Array(13).fill('–'));
    expect(await charges.getByRole('group', { name: 'Usage' }).locator('tbody tr').first().innerText()).toMatch(/–$/);
    await picture(charges, 'partial-history');
  });

  it('says that the gateway cannot be reached, and recovers', async () => {
    here.visit.expect('net::ERR_FAILED');
    await page.route('**/graphql', (route) => (asks(route.request(), 'Missions') ? route.abort() : route.continue()));
    await begin();
    expect(await section('missions').locator('.notice .code').allTextContents()).toEqual(['NETWORK_ERROR']);
    expect(await rowsOf('connections').count()).toBe(15);
    await page.unroute('**/graphql');
    await button('missions', 'Try again').click();
    await expect.poll(() => section('missions').locator('article').count()).toBe(8);
    expect(await section('missions').locator('.notice').count()).toBe(0);
  });

  it('says of a key that is refused what the gateway says', async () => {
    await begin('invalid-key');
    expect(await page.locator('.figure.failed').count()).toBe(4);
    for (const id of ['charges', 'connections', 'deliveries', 'missions'])
      expect(await section(id).locator('.notice .code').first().textContent()).toBe('UNAUTHENTICATED');
    await picture(page, 'refused-key');
  });
});
