import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { App } from '../../../src/app.ts';
import { expectAccessible } from '../../pages/browser/accessibility.ts';
import { visibleText } from '../../pages/browser/graphiql-page.ts';
import { startGateway, startStage, type Stage } from '../../pages/browser/stage.ts';
import { expectQuiet, observe, overflow, type Visit } from '../../pages/browser/visit.ts';

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

const guides = ['/docs', '/docs/client-guide.md', '/docs/agents.md', '/docs/clients/tanstack-query.md'];
const views = (['light', 'dark'] as const).flatMap((colorScheme) =>
  [1280, 390].flatMap((width) => guides.map((guide) => ({ colorScheme, width, guide }))),
);

describe('A guide', () => {
  it.each(views)('$guide is accessible in $colorScheme, and no wider than $width pixels', async (view) => {
    const { colorScheme, width, guide } = view;
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 844 });
    await page.goto(app.url + guide);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expectAccessible(page);
    expect(await overflow(page)).toBe(0);
    expect(visit.requests).toEqual([app.url + guide]);
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

  it('finds what is sought in all guides, by the keyboard alone', async () => {
    await page.goto(`${app.url}/docs/clients/urql.md`);
    await page.keyboard.press('/');
    await page.keyboard.type('resume Feed');
    const results = page.getByRole('search').getByRole('listitem');
    await page
      .getByRole('status')
      .filter({ hasText: /^\d+ sections have it\.$/ })
      .waitFor();
    for (const text of await results.allTextContents()) expect(text.toLowerCase()).not.toBe('');
    await expectAccessible(page);
    await page.keyboard.type(' zebra');
    await page.getByRole('status').filter({ hasText: 'No sections have it.' }).waitFor();
    expect(await results.count()).toBe(0);
    await page.getByLabel('Search the guides').fill('exact numbers');
    await results.first().waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Client package' }).waitFor();
    expect(new URL(page.url()).hash).toBe('#exact-numbers');
    expectQuiet(visit, app.url);
  });

  it('shows and copies the origin that it came from, and opens its queries in GraphiQL', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: app.url });
    await page.goto(`${app.url}/docs/client-guide.md`);
    expect(await page.getByRole('main').textContent()).not.toContain(':4000');
    const schema = page.locator('.code').filter({ hasText: '/schema.graphql -o' });
    await schema.getByRole('button', { name: 'Copy' }).click();
    await schema.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      `curl -s ${app.url}/schema.graphql -o schema.graphql`,
    );
    await page.getByRole('link', { name: 'Run in GraphiQL', exact: true }).first().click();
    await expect.poll(() => visibleText(page, '.graphiql-query-editor')).toContain('{ missions { totalCount } }');
  });

  it('folds the list of guides on a phone', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${app.url}/docs/clients/urql.md`);
    const link = page.getByRole('navigation', { name: 'Guides' }).getByRole('link', { name: 'Relay' });
    expect(await link.isVisible()).toBe(false);
    await page.getByText('All guides').click();
    await link.click();
    await page.getByRole('heading', { level: 1, name: 'Relay' }).waitFor();
  });

  it('leads to its headings, to the other guide, and back by the header', async () => {
    await page.goto(`${app.url}/docs/agents.md`);
    const main = page.getByRole('article');
    await page.getByRole('navigation', { name: 'Guides' }).getByRole('link', { name: 'Connect a host' }).click();
    await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(0);
    expect(new URL(page.url()).hash).toBe('#connect-a-host');
    await main.getByRole('link', { name: 'the client guide' }).click();
    await page.getByRole('heading', { name: 'Errors', exact: true }).waitFor();
    expect(page.url()).toBe(`${app.url}/docs/client-guide.md#errors`);
    const header = page.getByRole('navigation', { name: 'Places' });
    expect(await header.locator('[aria-current]').textContent()).toBe('Guides');
    await header.getByRole('link', { name: 'Guides' }).click();
    await page.getByRole('heading', { level: 1, name: 'Guides' }).waitFor();
    expectQuiet(visit, app.url);
  });
});
