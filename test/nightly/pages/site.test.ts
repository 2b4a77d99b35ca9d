import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expectAccessible } from '../../pages/browser/accessibility.ts';
import { startStage, type Stage } from '../../pages/browser/stage.ts';
import { expectQuiet, observe, overflow, type Visit } from '../../pages/browser/visit.ts';

let stage: Stage;
let page: Page;
let visit: Visit;

beforeAll(async () => {
  stage = await startStage({}, { MCP: 'true', EXPLAIN: 'true' });
});

afterAll(() => stage?.close());

beforeEach(async () => {
  page = await stage.chromium.context.newPage();
  visit = observe(page);
});

afterEach(() => page.close());

const paths = ['/', '/docs', '/docs/guide/start.md', '/docs/clients/tanstack-query.md', '/voyager', '/nothing'];

describe.each(['light', 'dark'] as const)('In %s', (colorScheme) => {
  it.each([1440, 390, 320].flatMap((width) => paths.map((path) => [path, width] as const)))(
    '%s is accessible, and no wider than %i pixels',
    async (path, width) => {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 844 });
      await page.goto(stage.app.url + path);
      if (path === '/') {
        await page.locator('#calls li').first().waitFor();
        await page.locator('#live li:has(strong)').first().waitFor();
      }
      await page.getByRole('heading', { level: 1 }).waitFor();
      await expectAccessible(page);
      expect(await overflow(page)).toBe(0);
      // The browser complains about the status of the page itself.
      visit.complaints = visit.complaints.filter((text) => !text.includes('404'));
      expectQuiet(visit, stage.app.url);
    },
  );
});

it('The search of the guides is accessible with its results, and says when there are none', async () => {
  await page.goto(`${stage.app.url}/docs`);
  await page.getByLabel('Search the guides').fill('errors');
  await page.getByText(/^\d+ sections have it\.$/).waitFor();
  await expectAccessible(page);
  await page.getByLabel('Search the guides').fill('errors zebra');
  await page.getByText('No sections have it.').waitFor();
  expect(await page.getByRole('search').getByRole('listitem').count()).toBe(0);
});

it('Pages can be read without JavaScript', async () => {
  const context = await stage.chromium.context.browser()?.newContext({ javaScriptEnabled: false });
  if (context === undefined) throw new Error('There is no browser.');
  const bare = await context.newPage();
  await bare.goto(`${stage.app.url}/`);
  await bare.getByRole('navigation', { name: 'Places' }).getByRole('link', { name: 'Voyager' }).click();
  await bare.locator('#picture-Query').waitFor();
  expect(await bare.getByRole('button', { name: 'Show all' }).isVisible()).toBe(false);
  await bare.getByRole('navigation', { name: 'Places' }).getByRole('link', { name: 'Guides' }).click();
  await bare.getByRole('article').getByRole('link', { name: 'Deployment' }).click();
  expect(await bare.getByRole('heading', { level: 1 }).textContent()).toBe('Deployment');
  await context.close();
});
