import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { App } from '../../../src/app.ts';
import { expectAccessible } from '../../pages/browser/accessibility.ts';
import type { Chromium } from '../../pages/browser/chromium.ts';
import { contrast, luminance } from './contrast.ts';
import { openBrowser, startGateway } from '../../pages/browser/stage.ts';
import { expectQuiet, observe, overflow, type Visit } from '../../pages/browser/visit.ts';

let app: App;
let chromium: Chromium;
let page: Page;
let visit: Visit;

beforeAll(async () => {
  // Nothing listens there, and nothing calls it.
  app = await startGateway({ baseUrl: 'http://127.0.0.1:9/v2' }, { isSandbox: false });
  chromium = await openBrowser();
});

afterAll(async () => {
  await chromium?.close();
  await app?.close();
});

beforeEach(async () => {
  page = await chromium.context.newPage();
  visit = observe(page);
});

afterEach(async () => {
  await page.close();
  expectQuiet(visit, app.url);
});

describe('The picture of the schema', () => {
  it('begins with Query, at a size that can be read, and asks for nothing but its page', async () => {
    await open();
    expect(await isInSight(box('Query'))).toBe(true);
    expect((await box('Query').locator('text').first().boundingBox())?.height).toBeGreaterThan(10);
    for (const name of ['IpConnection', 'ChargesSummary', 'Mission', 'WebhookDelivery', 'SummaryLine'])
      expect([name, ((await box(name).boundingBox())?.width ?? 0) > 100]).toEqual([name, true]);
    expect(await box('ChargesSummary').textContent()).toContain('previous');
    expect(await page.locator('.schema-picture .line').count()).toBeGreaterThan(20);
    expect(visit.requests).toEqual([`${app.url}/voyager`]);
  });

  it('has no name that leaves its box', async () => {
    await open();
    const left = await page.locator('.schema-picture .type').evaluateAll((boxes) =>
      boxes.flatMap((each) => {
        const frame = each.querySelector('rect')?.getBoundingClientRect();
        const texts = [...each.querySelectorAll('text')].filter((text) => {
          const { left: from, right: to } = text.getBoundingClientRect();
          return frame === undefined || from < frame.left || to > frame.right;
        });
        return texts.map(({ textContent }) => textContent);
      }),
    );
    expect(left).toEqual([]);
  });

  it('finds names as they are typed, in the picture and in the list, and moves to the next by Enter', async () => {
    await open();
    const section = (name: string): Locator => page.locator(`section#${name}`);
    await page.getByLabel('Search the names').fill('SipRegion');
    expect(await page.locator('.is-found').allTextContents()).toEqual([expect.stringMatching(/^sipRegion/)]);
    expect([await section('IpConnectionInbound').isVisible(), await section('Mission').isVisible()]).toEqual([
      true,
      false,
    ]);
    expect(await page.locator('#found').textContent()).toContain('1 in the picture, 1 of');
    await page.keyboard.press('Enter');
    expect(await isInSight(box('IpConnectionInbound').getByText('sipRegion', { exact: true }))).toBe(true);
    await page.getByLabel('Search the names').fill('');
    expect([await page.locator('.is-found').count(), await section('Mission').isVisible()]).toEqual([0, true]);
  });

  it('shows all at once when asked to', async () => {
    await open();
    await page.getByLabel('Show all at once').check();
    for (const name of ['Query', 'HttpHeader', 'MonthDetail']) {
      const { x = -1, width = Infinity } = (await box(name).boundingBox()) ?? {};
      expect([name, x > 0 && x + width < 1440]).toEqual([name, true]);
    }
  });

  describe.each([
    ['light', 1],
    ['dark', 0],
  ] as const)('in %s', (colorScheme, ground) => {
    it.each([1440, 390])('axe finds nothing at %i pixels, nor is it wider', async (width) => {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.setViewportSize({ width, height: 844 });
      await open();
      await expectAccessible(page);
      expect(await overflow(page)).toBe(0);
    });

    it('has letters of enough contrast on a ground of its own, those that are found too', async () => {
      await page.emulateMedia({ colorScheme });
      await open();
      await page.getByLabel('Search the names').fill('SipRegion');
      await expectAccessible(page);
      const frame = box('Query').locator('> rect');
      expect(await contrast(box('Query').locator('.of').first(), frame)).toBeGreaterThan(4.5);
      expect(await contrast(box('Query').locator('a:not(.head) text').first(), frame)).toBeGreaterThan(4.5);
      expect(await contrast(box('Query').locator('.head text'), box('Query').locator('.head rect'))).toBeGreaterThan(
        4.5,
      );
      expect(Math.abs((await luminance(page.locator('body'), 'backgroundColor')) - ground)).toBeLessThan(0.1);
    });
  });

  it('is there without JavaScript, with its links, and offers no search that would do nothing', async () => {
    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setScriptExecutionDisabled', { value: true });
    await open();
    expect(await page.locator('#sought').isVisible()).toBe(false);
    await box('ChargesBreakdown').locator('.head').click();
    expect(page.url()).toBe(`${app.url}/voyager#ChargesBreakdown`);
    expect(await isInSight(page.locator('section#ChargesBreakdown h3'))).toBe(true);
  });

  it('leads to the first page and to GraphiQL', async () => {
    await open();
    const header = page.getByRole('banner');
    expect(await header.locator('[aria-current="page"]').textContent()).toBe('Voyager');
    expect(await header.getByRole('link', { name: 'GraphiQL' }).getAttribute('href')).toBe('/graphql');
    await header.getByRole('link', { name: 'Switchboard' }).click();
    await page.waitForURL(`${app.url}/`);
    await page.locator('#state').getByText('ready').waitFor();
    await page.goBack();
  });

  it('is kept from any origin by its policy, its own included', async () => {
    await open();
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
function box(name: string): Locator {
  return page.locator(`#picture-${name}`);
}

async function open(): Promise<void> {
  await page.goto(`${app.url}/voyager`);
  await box('Query').waitFor();
}

/** Whether an element, or its beginning, is within the window, and not scrolled out of the frame around it. */
async function isInSight(element: Locator): Promise<boolean> {
  return element.evaluate((found) => {
    const { left, top } = found.getBoundingClientRect();
    const seen = document.elementFromPoint(left + 10, top + 8);
    return seen !== null && (found.contains(seen) || seen.contains(found));
  });
}
