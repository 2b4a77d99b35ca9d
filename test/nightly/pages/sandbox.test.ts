import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { App } from '../../../src/app.ts';
import type { Sandbox } from '../../../src/sandbox/server.ts';
import { startFixedSandbox } from '../../support/sandbox.ts';
import { expectAccessible } from '../../pages/browser/accessibility.ts';
import type { Chromium } from '../../pages/browser/chromium.ts';
import { choose, clickPlay, isSubscription, open } from '../../pages/browser/graphiql-page.ts';
import { openBrowser, startGateway } from '../../pages/browser/stage.ts';
import { expectQuiet, observe, overflow, type Visit } from '../../pages/browser/visit.ts';

let sandbox: Sandbox;
let app: App;
let chromium: Chromium;
let page: Page;
let visit: Visit;

beforeAll(async () => {
  sandbox = await startFixedSandbox();
  app = await startGateway(sandbox, { sandbox }, { SUBSCRIPTION_POLL_MS: '50' });
  chromium = await openBrowser();
});

afterAll(async () => {
  await chromium?.close();
  await app?.close();
  await sandbox?.close();
});

beforeEach(async () => {
  page = await chromium.context.newPage();
  visit = observe(page);
});

afterEach(async () => {
  await page.evaluate(() => localStorage.clear());
  await page.close();
  expectQuiet(visit, app.url);
});

const fault = () => page.getByLabel('Fault of the sandbox');
const account = () => page.getByLabel('Account of the sandbox');

describe('The page of the sandbox', () => {
  it.each([1280, 390])('lists what there is, accessibly and no wider than the screen, at %i pixels', async (width) => {
    await page.setViewportSize({ width, height: 844 });
    await page.goto(`${app.url}/sandbox`);
    const { accounts, faults, now } = sandbox.describe();
    await page.locator('#faults tr').last().waitFor();
    expect(await page.locator('#faults tr td:first-child').allTextContents()).toEqual(faults.map(({ name }) => name));
    expect(await page.locator('#accounts tr td:first-child').allTextContents()).toEqual(
      accounts.map(({ name }) => name),
    );
    expect(await page.locator('#present').textContent()).toBe(now);
    await account().waitFor();
    await expectAccessible(page);
    expect(await overflow(page)).toBe(0);
  });

  it('makes a delivery and sets the clock, and says why it cannot', async () => {
    await page.goto(`${app.url}/sandbox`);
    await account().selectOption('small');
    await page.getByLabel('Status').selectOption('failed');
    await page.getByRole('button', { name: 'Make it' }).click();
    await page.getByText(/^Made the delivery \S+ \(failed\)\.$/).waitFor();
    await page.getByLabel(/^Moment/).fill('2027-01-02T03:04:05Z');
    await page.getByRole('button', { name: 'Set the clock' }).click();
    await page.getByText('The present is 2027-01-02T03:04:05.000Z.').waitFor();
    await page.getByLabel(/^Moment/).fill('');
    await page.getByRole('button', { name: 'Set the clock' }).click();
    await page.getByText('The present is 2026-11-01T00:00:00.000Z.').waitFor();
    await page.getByLabel('Type').fill('not a type');
    await page.getByRole('button', { name: 'Make it' }).click();
    await page.getByText('type must be an event type such as call_initiated.').waitFor();
    expect(await page.locator('#present').textContent()).toBe('2026-11-01T00:00:00.000Z');
    // The browser complains about the refusal.
    visit.complaints = visit.complaints.filter((text) => !text.includes('400'));
  });
});

it('The first page asks again with the account and the fault that are chosen beside the key', async () => {
  async function answered(text: string): Promise<void> {
    await expect.poll(() => page.locator('#answer').textContent()).toContain(text);
  }
  await page.goto(`${app.url}/`);
  await answered('"totalCount": 604');
  await account().selectOption('small');
  await answered('"totalCount": 24');
  await fault().selectOption('forbidden');
  await answered('FORBIDDEN');
  expect(await page.getByLabel('Your key').inputValue()).toBe('small+forbidden');
  await expectAccessible(page);
});

describe('GraphiQL', () => {
  it('sends the account and the fault that are chosen beside the key, and shows those that are typed', async () => {
    await open(page, app.url);
    await fault().selectOption('rate-limited');
    expect(await page.locator('#key').inputValue()).toBe('rate-limited');
    const { errors } = (await (await clickPlay(page)).json()) as { errors: { extensions: { code: string } }[] };
    expect(errors.map(({ extensions }) => extensions.code)).toContain('RATE_LIMITED');
    await page.locator('#key').fill('small+slow=100');
    expect([await account().inputValue(), await fault().inputValue()]).toEqual(['small', 'slow']);
    await account().selectOption('large');
    await fault().selectOption('');
    expect(await page.locator('#key').inputValue()).toBe('sandbox-key');
    await expectAccessible(page);
  });

  it('makes a delivery, which the live tab then has', async () => {
    await open(page, app.url);
    await choose(page, 'LiveDeliveries', 'subscription');
    await clickPlay(page, 1, isSubscription);
    const made = page.locator('#sandbox-state').getByText(/^Made the delivery/);
    // What is made before the stream has begun is in the list, and not in the stream.
    await expect
      .poll(async () => {
        await page.getByRole('button', { name: 'Make a delivery' }).click();
        await made.waitFor();
        return page.locator('.graphiql-response').textContent();
      })
      .toContain('webhookDeliveries');
  });
});
