import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startApp, type App } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { expectAccessible } from './accessibility.ts';
import { startChromium, type Chromium } from './chromium.ts';
import { contrast, luminance } from './contrast.ts';
import { expectQuiet, observe, picture, type Visit } from './visit.ts';

let app: App;
let chromium: Chromium;

beforeAll(async () => {
  // Nothing listens there, and nothing calls it.
  const upstreamBaseUrl = 'http://127.0.0.1:9/v2';
  const config = readConfig({ PORT: '0', LOG_LEVEL: 'silent', UPSTREAM_BASE_URL: upstreamBaseUrl });
  app = await startApp({ ...config, upstreamBaseUrl });
  chromium = await startChromium();
});

afterAll(async () => {
  await chromium?.close();
  await app?.close();
});

describe('The picture of the schema', () => {
  let page: Page;
  let visit: Visit;

  beforeEach(async () => {
    page = await chromium.context.newPage();
    visit = observe(page);
  });

  afterEach(async () => {
    await page.evaluate(() => localStorage.clear());
    await page.close();
    expectQuiet(visit, app.url);
  });

  it('draws the types and what leads from one to another, and asks for nothing but its page', async () => {
    await open(page);
    await picture(page, 'voyager');
    for (const name of ['Query', 'IpConnection', 'ChargesSummary', 'Mission', 'WebhookDelivery', 'SummaryLine']) {
      const { width, height } = (await box(page, name).boundingBox()) ?? { width: 0, height: 0 };
      expect({ name, isDrawn: width > 10 && height > 10 }).toEqual({ name, isDrawn: true });
    }
    expect(await box(page, 'ChargesSummary').textContent()).toContain('previous');
    expect(await page.locator('#voyager svg .edge').count()).toBeGreaterThan(20);
    // Besides the worker, whose text the page has.
    expect(visit.requests.filter((url) => !url.startsWith('blob:'))).toEqual([`${app.url}/voyager`]);
  });

  it('draws the same once more from the storage of the browser', async () => {
    await open(page);
    const names = await typeNames(page);
    await expect.poll(() => page.evaluate(() => localStorage.length)).toBe(1);
    await open(page);
    expect(await typeNames(page)).toEqual(names);
  });

  it('shows what a type is for, and draws all of it, larger', async () => {
    await open(page);
    await reset(page);
    const before = await box(page, 'IpConnection').boundingBox();
    await page.getByRole('button', { name: 'Show IpConnection in the picture' }).click();
    const width = async (): Promise<number> => (await box(page, 'IpConnection').boundingBox())?.width ?? 0;
    await expect.poll(width).toBeGreaterThan((before?.width ?? Infinity) * 1.5);
    await box(page, 'IpConnection').click();
    await page.locator('.doc-panel').getByText('An IP-based SIP connection').waitFor();
    await picture(page, 'voyager-type');
  });

  describe.each([
    ['light', 1],
    ['dark', 0],
  ] as const)('in %s', (colorScheme, ground) => {
    it.each([1440, 390])('axe finds nothing at %i pixels, in no state', async (pixels) => {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.setViewportSize({ width: pixels, height: 844 });
      await open(page);
      await expectAccessible(page);
      await picture(page, `voyager-${colorScheme}-${pixels}`);
      await page.locator('.doc-panel').getByText('IpConnection', { exact: true }).click();
      await page.getByText('An IP-based SIP connection').waitFor();
      await page.locator('.search-box input').fill('id');
      await page.getByText('other results').waitFor();
      await expectAccessible(page);
      await page.locator('.type-name.-built-in').first().click();
      await page.locator('.type-info-popover.-opened').waitFor();
      await expectAccessible(page);
      await page.getByRole('button', { name: 'Close' }).click();
      await page.getByRole('combobox', { name: 'Type that the picture begins with' }).click();
      await page.getByRole('option', { name: 'Subscription' }).waitFor();
      await expectAccessible(page);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(pixels);
    });

    it.each(['Query', 'Subscription', 'WebhookDelivery'])(
      'begins with %s, on an own ground, at a size that can be read',
      async (root) => {
        await page.emulateMedia({ colorScheme });
        await open(page);
        if (root !== 'Query') await chooseRoot(page, root);
        const text = box(page, root).locator('text').nth(1);
        await expect.poll(async () => (await text.boundingBox())?.height ?? 0).toBeGreaterThan(10);
        const first = await box(page, root).boundingBox();
        // The pane is 320 pixels wide.
        expect(first?.x).toBeGreaterThan(320);
        expect((first?.x ?? 0) + (first?.width ?? 0)).toBeLessThan(1440);
        const field = box(page, root).locator('.field').first();
        expect(await contrast(field.locator('text').first(), field.locator('polygon').first())).toBeGreaterThan(4.5);
        expect(Math.abs((await luminance(page.locator('body'), 'backgroundColor')) - ground)).toBeLessThan(0.1);
      },
    );
  });

  it('shows all at once when its button is pressed, and every field when asked to', async () => {
    await open(page);
    await reset(page);
    for (const name of ['Query', 'HttpHeader', 'MonthDetail']) {
      const place = await box(page, name).boundingBox();
      expect([name, (place?.x ?? 0) > 320 && (place?.x ?? 0) + (place?.width ?? 0) < 1440]).toEqual([name, true]);
    }
    expect(await box(page, 'ChargesSummary').textContent()).not.toContain('currency');
    await page.getByLabel('Show leaf fields').check();
    await expect.poll(() => box(page, 'ChargesSummary').textContent()).toContain('currency');
  });

  it.each([320, 390, 600, 900, 1440])('has its buttons for zooming within reach at %i pixels', async (width) => {
    await page.setViewportSize({ width, height: 700 });
    await open(page);
    // A click waits until nothing covers its button.
    await reset(page);
    const height = async (): Promise<number> => (await box(page, 'Query').boundingBox())?.height ?? 0;
    const whole = await height();
    await page.getByRole('button', { name: 'Zoom in', exact: true }).click({ timeout: 5_000 });
    await expect.poll(height).toBeGreaterThan(whole);
    await page.getByRole('button', { name: 'Zoom out', exact: true }).click({ timeout: 5_000 });
    await page.getByLabel('Show leaf fields').check({ timeout: 5_000 });
  });

  it('is operated by the keyboard alone', async () => {
    await open(page);
    await page.locator('.search-box input').focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('.doc-navigation .active').getByText('Query').waitFor();
    await page.getByRole('button', { name: 'Type List' }).focus();
    await page.keyboard.press('Enter');
    await page.locator('.doc-navigation .header').getByText('Type List').waitFor();
    expect(await page.locator('.typelist-item').count()).toBeGreaterThan(20);
  });

  it('leads to the first page and to GraphiQL', async () => {
    await open(page);
    const header = page.getByRole('banner');
    expect(await header.locator('[aria-current="page"]').textContent()).toBe('Voyager');
    expect(await header.getByRole('link', { name: 'GraphiQL' }).getAttribute('href')).toBe('/graphql');
    await header.getByRole('link', { name: 'Switchboard' }).click();
    await page.waitForURL(`${app.url}/`);
    await page.locator('#state').getByText('ready').waitFor();
    await page.goBack();
  });

  it('is kept from any origin by its policy, its own included', async () => {
    await open(page);
    const directive = await page.evaluate(`(async () => {
      const violation = new Promise((resolve) => addEventListener('securitypolicyviolation', resolve));
      await fetch('/graphql?query={__typename}').catch(() => {});
      return (await violation).effectiveDirective;
    })()`);
    expect(directive).toBe('connect-src');
    // The test caused this attempt and the browser's complaint about it.
    visit.complaints = visit.complaints.filter((text) => !text.includes('/graphql?query='));
  });
});

/** The box of a type in the picture. */
function box(page: Page, name: string): Locator {
  return page.locator(`#voyager svg [id="TYPE::${name}"]`);
}

async function open(page: Page): Promise<void> {
  await page.goto(`${app.url}/voyager`);
  await page.locator('#voyager svg text').getByText('IpConnection', { exact: true }).first().waitFor();
}

async function reset(page: Page): Promise<void> {
  const height = async (): Promise<number> => (await box(page, 'Query').boundingBox())?.height ?? 0;
  await expect.poll(height).toBeGreaterThan(150);
  await page.getByRole('button', { name: 'Reset zoom' }).click();
  await expect.poll(height).toBeLessThan(150);
}

async function chooseRoot(page: Page, name: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Type that the picture begins with' }).click();
  await page.getByRole('option', { name, exact: true }).click();
  await page.locator('.typelist-item.-root').getByText(name, { exact: true }).waitFor();
}

async function typeNames(page: Page): Promise<readonly string[]> {
  return page.locator('#voyager svg .node').evaluateAll((nodes) => nodes.map(({ id }) => id));
}
