import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expectAccessible } from '../../pages/browser/accessibility.ts';
import { open, run, show } from '../../pages/browser/graphiql-page.ts';
import { startStage, type Stage } from '../../pages/browser/stage.ts';
import { expectQuiet, observe, overflow, type Visit } from '../../pages/browser/visit.ts';

let stage: Stage;
let page: Page;
let visit: Visit;

beforeAll(async () => {
  stage = await startStage({}, { EXPLAIN: 'true' });
});

afterAll(() => stage?.close());

beforeEach(async () => {
  page = await stage.chromium.context.newPage();
  visit = observe(page);
});

afterEach(() => page.close());

describe('GraphiQL', () => {
  it.each([
    ['light', 1440],
    ['dark', 1440],
    ['dark', 390],
  ] as const)('is accessible in %s colours at %i pixels', async (colorScheme, width) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 844 });
    await open(page, stage.app.url);
    await show(page, 'Calls');
    await run(page);
    await page.locator('.calls summary').first().click();
    // A tab of GraphiQL's own holds a button.
    await page.locator('.graphiql-tabs').evaluate((tabs) => tabs.remove());
    await expectAccessible(page);
    expect(await overflow(page)).toBe(0);
    const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    expect(ground).toBe(colorScheme === 'dark' ? 'rgb(19, 17, 20)' : 'rgb(250, 248, 250)');
    expectQuiet(visit, stage.app.url);
  });
});
