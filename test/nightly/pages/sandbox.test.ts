import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { App } from '../../../src/app.ts';
import type { Sandbox } from '../../../src/sandbox/server.ts';
import { startFixedSandbox } from '../../support/sandbox.ts';
import { expectAccessible } from '../../pages/browser/accessibility.ts';
import type { Chromium } from '../../pages/browser/chromium.ts';
import { choose, clickPlay, isSubscription, open } from '../../pages/browser/graphiql-page.ts';
import { openBrowser, startGateway } from '../../pages/browser/stage.ts';
import { expectQuiet, observe, type Visit } from '../../pages/browser/visit.ts';

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
