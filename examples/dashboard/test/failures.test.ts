import type { Locator, Page } from '../../../test/pages/browser/chromium.ts';
import { beforeEach, describe, expect, it } from 'vitest';
import { picture, settle } from './dashboard.ts';
import type { Series } from '../src/charges/history-series.ts';
import { asks, visitDashboard } from './visit.ts';

const here = visitDashboard();
const { begin, button, column, rangeOf, rowsOf, section } = here;
let page: Page;

beforeEach(() => {
  page = here.visit.page;
});

interface History {
  readonly months: readonly object[];
  readonly services: readonly Series[];
  readonly others: Series;
}

describe('a failure on the dashboard', () => {
  it.each([
    ['Period of the history', '2024-01-01', '“To, exclusive” must be within 24 months of “From” (2024-01-01).'],
    [
      'Period of the bill',
      '2026-09-01',
      'The date range cannot exceed 31 days; from 2026-09-01 to 2026-11-01 it is 61.',
    ],
  ])(
    'shows the error of the %s at the field that it names, with the old figures and no button moved',
    async (name, startDate, message) => {
      await begin();
      const form = page.getByRole('form', { name });
      const show = form.getByRole('button', { name: 'Show' });
      const place = await placeOf(show);
      const figures = section('charges').locator('td.number');
      const before = await figures.allTextContents();
      await form.getByLabel('From').fill(startDate);
      await show.click();
      const end = form.getByLabel('To, exclusive');
      await form.getByText(message).waitFor();
      expect(await placeOf(show)).toEqual(place);
      expect(await figures.allTextContents()).toEqual(before);
      expect(await section('charges').getByText('What is shown was read before').count()).toBe(1);
      expect(await end.getAttribute('aria-invalid')).toBe('true');
      expect(await end.getAttribute('aria-describedby')).toContain('error');
      expect(await form.locator('.field-error').allInnerTexts()).toEqual([`To, exclusive: ${message}`]);
      expect(await form.getByLabel('From').getAttribute('aria-invalid')).toBe('false');
      expect(await rowsOf('connections').count()).toBe(15);
      await picture(section('charges'), `error-${startDate}`);
      await form.getByLabel('From').fill('2026-10-01');
      await form.getByRole('button', { name: 'Show' }).click();
      await form.locator('.field-error').waitFor({ state: 'detached' });
      await settle(page);
    },
  );

  it('shows a range that is reversed at both of its fields, in their words', async () => {
    await begin();
    const form = page.getByRole('form', { name: 'Filter of deliveries' });
    const before = await column('deliveries', 'Started');
    await form.getByLabel('Started from').fill('2026-10-20T00:00');
    await form.getByLabel('Started until').fill('2026-10-10T00:00');
    await form.getByRole('button', { name: 'Filter' }).click();
    await form.locator('.field-error').waitFor();
    expect(await form.locator('.field-error').allInnerTexts()).toEqual([
      'Started: “Started” must be a range that does not end before it begins.',
    ]);
    for (const name of ['Started from', 'Started until']) {
      expect(await form.getByLabel(name).getAttribute('aria-invalid')).toBe('true');
      expect(await form.getByLabel(name).getAttribute('aria-describedby')).toContain('error');
    }
    expect(await form.getByLabel('Status').getAttribute('aria-invalid')).toBe('false');
    expect(await column('deliveries', 'Started')).toEqual(before);
    expect(await section('deliveries').locator('.notice').count()).toBe(0);
  });

  it('lets all else stand where the account has no bill, and does not offer to try again what cannot succeed', async () => {
    await begin('unknown-account-key');
    const failed = page.locator('.figure.failed');
    expect(await failed.locator('.code').allTextContents()).toEqual([
      'Not possible for this account',
      'Not possible for this account',
    ]);
    expect(await page.locator('.figure:not(.failed) dd').allTextContents()).toEqual(['604', '772', '230']);
    expect(await section('charges').locator('.notice .code').allTextContents()).toEqual([
      'Not possible for this account',
      'Not possible for this account',
    ]);
    expect(await section('charges').locator('.notice strong').allTextContents()).toEqual([
      'All months from May 2026 to Oct 2026 could not be read.',
      'The bill could not be read.',
    ]);
    expect(await rowsOf('connections').count()).toBe(15);
    expect(await rowsOf('deliveries').count()).toBe(15);
    await picture(page, 'partial-failure');
    expect(await page.getByRole('button', { name: /^Try again/ }).count()).toBe(0);
  });

  it('keeps the old figures where the next reading fails, and tries again where that may help', async () => {
    await begin();
    const names = await column('connections', 'Name');
    const extensions = { code: 'UPSTREAM_TIMEOUT', retryable: true, requestId: 'request-of-this-test' };
    const errors = [{ message: 'No whole answer came in time.', path: ['ipConnections'], extensions }];
    await page.route('**/graphql', (route) =>
      asks(route.request(), 'Connections')
        ? route.fulfill({ json: { data: { ipConnections: null }, errors } })
        : route.continue(),
    );
    await button('connections', 'Next').click();
    const notice = section('connections').locator('.notice');
    await notice.getByText('What is shown was read before.').waitFor();
    expect(await notice.locator('.code').allTextContents()).toEqual(['No answer in time']);
    expect(await column('connections', 'Name')).toEqual(names);
    expect(await rangeOf('connections').textContent()).toBe('1–15 of 604 connections');
    const retry = notice.getByRole('button', { name: 'Try again' });
    await retry.focus();
    await retry.press('Enter');
    await settle(page);
    // A user who retries by keyboard can do so again.
    expect(await retry.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.unroute('**/graphql');
    await retry.press('Enter');
    await expect.poll(() => rangeOf('connections').textContent()).toBe('16–30 of 604 connections');
    expect(await notice.count()).toBe(0);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('connections');
  });

  it('shows a month whose predecessor failed, and a history that lacks a month', async () => {
    const extensions = { code: 'UPSTREAM_TIMEOUT', retryable: true, requestId: 'request-of-this-test' };
    const message = 'No whole answer came in time.';
    await page.route('**/graphql', async (route) => {
      const response = await route.fetch();
      const answer = (await response.json()) as {
        data: Record<string, object> & { chargesHistoryByService?: History; figures?: Pick<History, 'services'> };
      };
      const failing = (path: readonly (string | number)[], data: object) =>
        route.fulfill({
          response,
          json: { data: { ...answer.data, ...data }, errors: [{ message, path, extensions }] },
        });
      const history = answer.data.chargesHistoryByService;
      if (asks(route.request(), 'ChargesMonth'))
        return failing(['chargesSummary', 'previous'], {
          chargesSummary: JSON.parse(JSON.stringify(answer.data['chargesSummary']), (name, value: unknown) =>
            ['previous', 'changes', 'previousAmount'].includes(name) ? null : value,
          ) as object,
        });
      if (history != null) {
        const months = history.months.with(1, { ...history.months[1], summary: null });
        const unread = ({ alias, name, amounts }: Series): Series => ({ alias, name, amounts: amounts.with(1, null) });
        const { services, others } = history;
        return failing(['chargesHistoryByService', 'months', 1, 'summary'], {
          chargesHistoryByService: { ...history, months, services: services.map(unread), others: unread(others) },
          figures: { services: answer.data.figures?.services.map(unread) },
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
    expect(await section('missions').locator('.notice .code').allTextContents()).toEqual(['No connection']);
    expect(await rowsOf('connections').count()).toBe(15);
    await page.unroute('**/graphql');
    await button('missions', 'Try again').click();
    await expect.poll(() => section('missions').locator('article').count()).toBe(8);
    expect(await section('missions').locator('.notice').count()).toBe(0);
  });
});

/** Where an element stands in the document. */
function placeOf(element: Locator): Promise<readonly number[]> {
  return element.evaluate((node) => {
    const { x, y } = node.getBoundingClientRect();
    return [x + scrollX, y + scrollY];
  });
}
