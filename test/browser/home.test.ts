import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startApp, type App } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { startFixedSandbox } from '../support/sandbox.ts';
import { expectAccessible } from './accessibility.ts';
import { startChromium, type Chromium } from './chromium.ts';
import { expectQuiet, observe, overflow, picture, type Visit } from './visit.ts';

let sandbox: Sandbox;
let app: App;
let upstreamApp: App;
let chromium: Chromium;

beforeAll(async () => {
  sandbox = await startFixedSandbox(() => performance.now());
  const config = readConfig({ PORT: '0', LOG_LEVEL: 'silent', UPSTREAM_BASE_URL: sandbox.baseUrl });
  app = await startApp({ ...config, upstreamBaseUrl: sandbox.baseUrl }, { isSandbox: true });
  upstreamApp = await startApp({ ...config, upstreamBaseUrl: sandbox.baseUrl });
  chromium = await startChromium();
});

afterAll(async () => {
  await chromium?.close();
  await app?.close();
  await upstreamApp?.close();
  await sandbox?.close();
});

const widths = [1280, 390];
const schemes = ['light', 'dark'] as const;

describe('The first page', () => {
  let page: Page;
  let visit: Visit;

  beforeEach(async () => {
    page = await chromium.context.newPage();
    visit = observe(page);
  });

  afterEach(async () => {
    await page.close();
  });

  describe.each(schemes)('in %s', (colorScheme) => {
    it.each(widths)('is accessible at %i pixels, with its answer, and no wider than the screen', async (width) => {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 844 });
      await page.goto(`${app.url}/`);
      await page.locator('#answer').getByText('"totalCount": 604').waitFor();
      await page.locator('#state').getByText('ready').waitFor();
      await expectAccessible(page);
      expect(await overflow(page)).toBe(0);
      await picture(page, `home-${colorScheme}-${width}`);
      expectQuiet(visit, app.url);
    });

    it.each(widths)('is followed by an accessible page for what there is not, at %i pixels', async (width) => {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 844 });
      await page.goto(`${app.url}/nothing`);
      await page.getByText('There is no such page').waitFor();
      await expectAccessible(page);
      expect(await overflow(page)).toBe(0);
      await picture(page, `not-found-${colorScheme}-${width}`);
      // The browser complains about the status of the page itself.
      visit.complaints = visit.complaints.filter((text) => !text.includes('404'));
      expectQuiet(visit, app.url);
      await page.getByRole('link', { name: 'Begin at the first page' }).click();
      await page.locator('#answer').waitFor();
    });
  });

  it('asks an upstream nothing until somebody gives it a key, and keeps none', async () => {
    await page.goto(`${upstreamApp.url}/`);
    await page.locator('#state').getByText('ready').waitFor();
    expect(visit.requests.filter((url) => url.endsWith('/graphql'))).toEqual([]);
    await page.getByLabel('Your key').fill('a-key-of-mine');
    await page.keyboard.press('Enter');
    await page.locator('#answer').getByText('"totalCount": 604').waitFor();
    expect(page.url()).toBe(`${upstreamApp.url}/`);
    expect(await page.evaluate(() => JSON.stringify([localStorage, sessionStorage, document.cookie]))).not.toContain(
      'a-key-of-mine',
    );
    expectQuiet(visit, upstreamApp.url);
  });

  it('says that the answer has errors where the key is not taken', async () => {
    await page.goto(`${upstreamApp.url}/`);
    await page.getByLabel('Your key').fill('invalid-key');
    await page.getByRole('button', { name: 'Run the query' }).click();
    await page.locator('#outcome').getByText('Answered with errors').waitFor();
    expect(await page.locator('#answer').textContent()).toContain('UNAUTHENTICATED');
    await expectAccessible(page);
  });

  it('is operated by the keyboard alone', async () => {
    await page.goto(`${app.url}/`);
    const seen: string[] = [];
    for (let press = 0; press < 20; press++) {
      await page.keyboard.press('Tab');
      seen.push(
        await page.evaluate(() => document.activeElement?.getAttribute('href') ?? document.activeElement?.id ?? ''),
      );
    }
    for (const place of ['/graphql', '/voyager', '/schema.graphql', 'key', 'query', 'answer'])
      expect(seen).toContain(place);
  });
});
