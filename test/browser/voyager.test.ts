import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startApp, type App } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { startChromium, type Chromium } from './chromium.ts';
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
    expect(await box(page, 'ChargesSummary').textContent()).toContain('currency');
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

  it('shows what a type is for, and draws it larger', async () => {
    await open(page);
    const before = await box(page, 'IpConnection').boundingBox();
    await page.locator('.doc-panel').getByText('IpConnection', { exact: true }).click();
    await page.locator('.doc-panel').getByText('An IP-based SIP connection').waitFor();
    await box(page, 'IpConnection').click();
    const width = async (): Promise<number> => (await box(page, 'IpConnection').boundingBox())?.width ?? 0;
    await expect.poll(width).toBeGreaterThan((before?.width ?? Infinity) * 1.5);
    await picture(page, 'voyager-type');
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

  it('is a click away from GraphiQL', async () => {
    await page.goto(`${app.url}/graphql`);
    const opening = chromium.context.waitForEvent('page');
    await page.getByRole('link', { name: 'The schema as a picture' }).click();
    const opened = await opening;
    expect(opened.url()).toBe(`${app.url}/voyager`);
    await box(opened, 'IpConnection').waitFor();
    await opened.close();
    await picture(page, 'voyager-link');
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

async function typeNames(page: Page): Promise<readonly string[]> {
  return page.locator('#voyager svg .node').evaluateAll((nodes) => nodes.map(({ id }) => id));
}
