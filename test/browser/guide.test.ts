import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { App } from '../../src/app.ts';
import { expectAccessible } from './accessibility.ts';
import { startGateway, startStage, type Stage } from './stage.ts';
import { expectQuiet, observe, overflow, picture, type Visit } from './visit.ts';

let stage: Stage;
let app: App;
let page: Page;
let visit: Visit;

beforeAll(async () => {
  stage = await startStage();
  app = await startGateway(stage.sandbox, {}, { MCP: 'true' });
});

afterAll(async () => {
  await app?.close();
  await stage?.close();
});

beforeEach(async () => {
  page = await stage.chromium.context.newPage();
  visit = observe(page);
});

afterEach(async () => {
  await page.close();
});

const guides = ['client-guide', 'agents'];
const views = (['light', 'dark'] as const).flatMap((colorScheme) =>
  [1280, 390].flatMap((width) => guides.map((guide) => ({ colorScheme, width, guide }))),
);

describe('A guide', () => {
  it.each(views)('$guide is accessible in $colorScheme, and no wider than $width pixels', async (view) => {
    const { colorScheme, width, guide } = view;
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 844 });
    await page.goto(`${app.url}/docs/${guide}.md`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expectAccessible(page);
    expect(await overflow(page)).toBe(0);
    await picture(page, `${guide}-${colorScheme}-${width}`);
    expect(visit.requests).toEqual([`${app.url}/docs/${guide}.md`]);
    expectQuiet(visit, app.url);
  });

  it('scrolls code and tables within their frames at 390 pixels, by the keyboard too', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${app.url}/docs/client-guide.md`);
    for (const name of ['Code: sh', 'Table']) {
      const wide = page.getByRole('group', { name, exact: true });
      const at = await wide.evaluateAll((frames) => frames.findIndex((each) => each.scrollWidth > each.clientWidth));
      expect(at).not.toBe(-1);
      const frame = wide.nth(at);
      await frame.focus();
      await page.keyboard.press('ArrowRight');
      await expect.poll(() => frame.evaluate((found) => found.scrollLeft)).toBeGreaterThan(0);
    }
    // A cell is read without scrolling to and fro within its lines.
    for (const cell of await page.getByRole('cell').all())
      expect((await cell.boundingBox())?.width ?? 0).toBeLessThanOrEqual(390);
  });

  it('leads to its headings, to the other guide, and back by the header', async () => {
    await page.goto(`${app.url}/docs/agents.md`);
    const main = page.getByRole('main');
    await main.getByRole('link', { name: 'Connect a host' }).click();
    await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(0);
    expect(new URL(page.url()).hash).toBe('#connect-a-host');
    await main.getByRole('link', { name: 'the client guide' }).click();
    await page.getByRole('heading', { name: 'Errors', exact: true }).waitFor();
    expect(page.url()).toBe(`${app.url}/docs/client-guide.md#errors`);
    const header = page.getByRole('navigation', { name: 'Places' });
    expect(await header.locator('[aria-current]').textContent()).toBe('Client guide');
    await header.getByRole('link', { name: 'Tools' }).click();
    await page.getByRole('heading', { level: 1, name: 'Tools' }).waitFor();
    expectQuiet(visit, app.url);
  });
});
